import { type Command, Option } from 'commander';
import type { ExportFormat } from '../../pipeline/export.ts';
import { EXIT } from '../failure.ts';
import type { CommandGroup, Session } from '../group.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Io } from '../io.ts';
import { ENV_FILE, environmentOf, JSON_OPTION, share } from '../options.ts';
import { finish, withProgress } from './run.ts';

const FORMATS: readonly ExportFormat[] = ['csv', 'parquet', 'hf', 'paper', 'atif', 'markdown', 'reference'];

const addExport = (program: Command, io: Io): void => {
  program
    .command('export')
    .description('write verdicts, trajectories or a dataset in a shape that other tools read')
    .argument('<source>', 'directory of an experiment; with --format hf also a .jsonl file or a benchmark folder')
    .addOption(
      new Option(
        '--format <name>',
        'csv, parquet: a row a verdict; paper, atif, markdown, reference: a trajectory a file; hf: the dataset',
      )
        .choices(FORMATS)
        .makeOptionMandatory(),
    )
    .option('-o, --output <dir>', 'where to write; default: <experiment>/export/<format>')
    .option('-d, --dataset <source>', 'checklists, when the experiment has none of its own (imports)')
    .option('--with-traces', 'copy the recorded calls too: all that the agent saw and wrote')
    .addOption(JSON_OPTION())
    .action(
      async (
        source: string,
        flags: { format: ExportFormat; output?: string; dataset?: string; withTraces?: boolean; json?: boolean },
      ) => {
        const { exportSource } = await import('../../pipeline/export.ts');
        const written = await exportSource(source, {
          format: flags.format,
          output: flags.output ?? null,
          dataset: flags.dataset ?? null,
          withTraces: flags.withTraces === true,
          env: io.env,
        });
        io.out(flags.json === true ? JSON.stringify(written.json, null, 1) : written.text);
      },
    );
};

const addConflict = (program: Command, io: Io, session: Session): void => {
  program
    .command('conflict')
    .description('whom each model followed where two orders conflict: by type, by scenario, case by case')
    .argument('<dir>', 'directory of the experiment')
    .option('-d, --dataset <source>', 'conflicts to judge by; default: those of the experiment')
    .addOption(ENV_FILE())
    .addOption(JSON_OPTION())
    .action(async (dir: string, flags: { dataset?: string; envFile?: string; json?: boolean }) => {
      const { reportConflicts } = await import('../../pipeline/conflict.ts');
      const env = await environmentOf(io.env, flags.envFile);
      const interrupt = onInterrupt(io);
      const options = { dataset: flags.dataset ?? null, env, signal: interrupt.drain };
      const report = await reportConflicts(dir, options).finally(() => interrupt.release());
      io.out(flags.json === true ? JSON.stringify(report.json, null, 1) : report.text);
      if (report.unscored > 0) session.code = EXIT.gaps;
    });
};

const addRefine = (program: Command, io: Io, session: Session): void => {
  program
    .command('refine')
    .description('run partial failures again with feedback, without, and with a generic reminder, and compare')
    .argument('<dir>', 'directory of the experiment; the arms go to <dir>/refine')
    .option('--hold-back <share>', 'share of the failed checks that the feedback does not name (0 to 1)', share)
    .option('--dry-run', 'show what would be run and said, run nothing')
    .option('-q, --quiet', 'no progress')
    .addOption(ENV_FILE())
    .addOption(JSON_OPTION())
    .action(
      async (
        dir: string,
        flags: { holdBack?: number; dryRun?: boolean; quiet?: boolean; envFile?: string; json?: boolean },
      ) => {
        const { refineExperiment } = await import('../../pipeline/refine.ts');
        const env = await environmentOf(io.env, flags.envFile);
        const finished = await withProgress(io, flags.quiet === true, (hooks) =>
          refineExperiment(dir, {
            env,
            holdBack: flags.holdBack ?? null,
            dryRun: flags.dryRun === true,
            view: { width: io.width, color: io.color },
            ...hooks,
          }),
        );
        finish(finished, flags, io, session);
      },
    );
};

/** `export`, `conflict`, `refine`. */
export const analysisCommands: CommandGroup = (program, io, session) => {
  addExport(program, io);
  addConflict(program, io, session);
  addRefine(program, io, session);
};
