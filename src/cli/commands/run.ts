import type { Command } from 'commander';
import { Option } from 'commander';
import type { Overrides } from '../../pipeline/experiment.ts';
import type { Finished, Hooks } from '../../pipeline/schema.ts';
import { EXIT } from '../failure.ts';
import type { CommandGroup, Session } from '../group.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Io } from '../io.ts';
import { collect, ENV_FILE, environmentOf, JSON_OPTION, money, positive, whole } from '../options.ts';
import { progressTo } from '../progress.ts';

interface RunFlags extends Overrides {
  config?: string;
  scaffold?: string[];
  model?: string[];
  judge?: string[];
  output?: string;
  envFile?: string;
  dryRun?: boolean;
  json?: boolean;
  quiet?: boolean;
  failUnder?: string;
}

/** Shows what a run came to and sets the exit code. */
export const finish = (finished: Finished, flags: { json?: boolean }, io: Io, session: Session): void => {
  io.out(flags.json === true ? JSON.stringify(finished.result, null, 1) : finished.text);
  if (finished.interrupted) session.code = EXIT.interrupted;
  else if (finished.gate !== null) {
    io.err(`octobench: ${finished.gate}`);
    session.code = EXIT.gate;
  } else if (finished.gaps) session.code = EXIT.gaps;
};

/** Does long work with progress on stderr; Ctrl-C drains it, a second one stops it. */
export const withProgress = async (
  io: Io,
  quiet: boolean,
  work: (hooks: Hooks) => Promise<Finished>,
): Promise<Finished> => {
  const interrupt = onInterrupt(io);
  const progress = progressTo(io, quiet);
  try {
    return await work({ onProgress: progress.show, drain: interrupt.drain, stop: interrupt.stop });
  } finally {
    progress.end();
    interrupt.release();
  }
};

const addRun = (program: Command, io: Io, session: Session): void => {
  program
    .command('run')
    .description('run an experiment: rollouts, verdicts, table and report')
    .option('-c, --config <file>', 'experiment file (docs/formats/experiment.md)')
    .option('-d, --dataset <source>', 'a .jsonl file, a benchmark folder, or hf:owner/name[@revision]')
    .option(
      '-s, --scaffold <name[@version]>',
      'agent CLI to run (repeatable); default: each row names its own',
      collect,
    )
    .option('-m, --model <provider/model>', 'model under test (repeatable)', collect)
    .option('--judge <[id=]provider/model>', 'LLM judge (repeatable)', collect)
    .option('-i, --include <glob>', 'only instances whose id matches (repeatable)', collect)
    .option('-x, --exclude <glob>', 'leave out instances whose id matches (repeatable)', collect)
    .option('-l, --limit <n>', 'at most this many instances', positive)
    .option('-k, --repeats <n>', 'rollouts of each cell', positive)
    .option('-n, --concurrency <n>', 'rollouts at a time', positive)
    .option('--sandbox <kind>', 'docker, bubblewrap or local')
    .option('--seed <n>', 'order of the rollouts', whole)
    .option('--max-cost <amount>', 'stop starting rollouts when the models have cost this much', money)
    .option('--timeout <duration>', 'wall time of one attempt: 90s, 30m')
    .option('--strict-version', 'refuse rows whose scaffold version cannot be had')
    .option('-o, --output <dir>', 'directory of the experiment; default: experiments/<name>-<time>')
    .option('--dry-run', 'plan and forecast, run nothing')
    .option('--fail-under <list>', 'exit with 100 when a figure is below: isr=0.3,csr=0.8')
    .option('-q, --quiet', 'no progress')
    .addOption(ENV_FILE())
    .addOption(JSON_OPTION())
    .action(async (flags: RunFlags) => {
      const { runExperiment } = await import('../../pipeline/run.ts');
      const { scaffold, model, judge, config, output, envFile, dryRun, json, quiet, failUnder, ...rest } = flags;
      const overrides: Overrides = {
        ...rest,
        ...(scaffold === undefined ? {} : { scaffolds: scaffold }),
        ...(model === undefined ? {} : { models: model }),
        ...(judge === undefined ? {} : { judges: judge }),
      };
      const env = await environmentOf(io.env, envFile);
      const finished = await withProgress(io, quiet === true, (hooks) =>
        runExperiment({
          config: config ?? null,
          overrides,
          env,
          cwd: io.cwd,
          output: output ?? null,
          dryRun: dryRun === true,
          failUnder: failUnder ?? null,
          view: { width: io.width, color: io.color },
          ...hooks,
        }),
      );
      finish(finished, { json: json === true }, io, session);
    });
};

const addQuickstart = (program: Command, io: Io, session: Session): void => {
  program
    .command('quickstart')
    .description('run the experiment that comes with octobench: scripted models, a real scaffold, no API key')
    .option('-o, --output <dir>', 'directory of the experiment; default: experiments/quickstart-<time>')
    .option('-q, --quiet', 'no progress')
    .addOption(JSON_OPTION())
    .action(async (flags: { output?: string; quiet?: boolean; json?: boolean }) => {
      const { benchmarkFolder } = await import('../../pipeline/benchmark-folder.ts');
      const { runExperiment } = await import('../../pipeline/run.ts');
      const config = `${await benchmarkFolder(io.env)}/quickstart.yaml`;
      const finished = await withProgress(io, flags.quiet === true, (hooks) =>
        runExperiment({
          ...{ config, overrides: {}, env: io.env, cwd: io.cwd, output: flags.output ?? null, dryRun: false },
          ...{ failUnder: null, view: { width: io.width, color: io.color } },
          ...hooks,
        }),
      );
      finish(finished, flags, io, session);
    });
};

const addResume = (program: Command, io: Io, session: Session): void => {
  program
    .command('resume')
    .description('go on with an experiment that was stopped; finished rollouts are never run again')
    .argument('<dir>', 'directory of the experiment')
    .option('-n, --concurrency <n>', 'rollouts at a time', positive)
    .option('-m, --model <provider/model>', 'add a model (repeatable)', collect)
    .option('-k, --repeats <n>', 'raise the number of repeats', positive)
    .addOption(new Option('--only <what>', 'run again only these').choices(['infra_failed', 'unscored']))
    .option('--fail-under <list>', 'exit with 100 when a figure is below: isr=0.3,csr=0.8')
    .option('-q, --quiet', 'no progress')
    .addOption(ENV_FILE())
    .addOption(JSON_OPTION())
    .action(async (dir: string, flags: RunFlags & { only?: 'infra_failed' | 'unscored' }) => {
      const { resumeExperiment } = await import('../../pipeline/resume.ts');
      const env = await environmentOf(io.env, flags.envFile);
      const finished = await withProgress(io, flags.quiet === true, (hooks) =>
        resumeExperiment(dir, {
          env,
          concurrency: flags.concurrency ?? null,
          models: flags.model ?? [],
          repeats: flags.repeats ?? null,
          only: flags.only ?? null,
          failUnder: flags.failUnder ?? null,
          view: { width: io.width, color: io.color },
          ...hooks,
        }),
      );
      finish(finished, flags, io, session);
    });
};

/** `quickstart`, `init`, `run`, `resume`. */
export const runCommands: CommandGroup = (program, io, session) => {
  program
    .command('init')
    .description('write a commented experiment file to start from')
    .argument('[file]', 'where to write it', 'octobench.yaml')
    .option('--force', 'write over a file that is there')
    .option('--schema', 'print the JSON Schema of experiment files instead, for editors')
    .action(async (file: string, flags: { force?: boolean; schema?: boolean }) => {
      if (flags.schema === true) {
        const { experimentJsonSchema } = await import('../../pipeline/experiment.ts');
        io.out(JSON.stringify(experimentJsonSchema(), null, 1));
        return;
      }
      const { initExperiment } = await import('../../pipeline/init.ts');
      await initExperiment(file, flags.force === true);
      io.out(`Wrote ${file}. Next: octobench run -c ${file}`);
    });
  addRun(program, io, session);
  addQuickstart(program, io, session);
  addResume(program, io, session);
};
