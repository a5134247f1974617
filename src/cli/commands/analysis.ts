import { type Command, Option } from 'commander';
import type { ExportFormat } from '../../pipeline/export.ts';
import type { CommandGroup } from '../group.ts';
import type { Io } from '../io.ts';
import { JSON_OPTION } from '../options.ts';

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

/** `export`, `conflict`, `refine`. */
export const analysisCommands: CommandGroup = (program, io) => {
  addExport(program, io);
};
