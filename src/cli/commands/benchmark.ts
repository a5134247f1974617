import type { Command } from 'commander';
import { EXIT } from '../failure.ts';
import type { CommandGroup, Session } from '../group.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Io } from '../io.ts';
import { collect, JSON_OPTION, positive } from '../options.ts';
import { progressTo } from '../progress.ts';

interface VerifyFlags {
  include?: string[];
  scaffold?: string;
  fresh?: boolean;
  output?: string;
  concurrency?: number;
  sandbox?: string;
  quiet?: boolean;
  json?: boolean;
}

const FOLDER = 'benchmark';

const print = (shown: { text: string; json: unknown }, flags: { json?: boolean }, io: Io): void =>
  io.out(flags.json === true ? JSON.stringify(shown.json, null, 1) : shown.text);

const addVerify = (benchmark: Command, io: Io, session: Session): void => {
  benchmark
    .command('verify')
    .description('run every script on the real scaffold and find checks without a witness (exit code 100)')
    .argument('[folder]', 'benchmark folder', FOLDER)
    .option('-i, --include <glob>', 'only instances whose id matches (repeatable)', collect)
    .option('-s, --scaffold <name[@version]>', "agent CLI to run; default: each instance's own")
    .option('-n, --concurrency <n>', 'scripts at a time', positive)
    .option('--sandbox <kind>', 'docker, bubblewrap or local')
    .option('--fresh', 'run everything, also what is in verified.json')
    .option('-o, --output <dir>', 'directory to keep the runs in; default: a temporary one')
    .option('-q, --quiet', 'no progress')
    .addOption(JSON_OPTION())
    .action(async (folder: string, flags: VerifyFlags) => {
      const { verifyBenchmark } = await import('../../pipeline/benchmark-verify.ts');
      const interrupt = onInterrupt(io);
      const progress = progressTo(io, flags.quiet === true);
      try {
        const verified = await verifyBenchmark({
          folder,
          include: flags.include ?? [],
          scaffold: flags.scaffold ?? null,
          fresh: flags.fresh === true,
          output: flags.output ?? null,
          concurrency: flags.concurrency ?? null,
          sandbox: flags.sandbox ?? null,
          env: io.env,
          onProgress: progress.show,
          drain: interrupt.drain,
          stop: interrupt.stop,
        });
        print(verified, flags, io);
        if (verified.findings > 0) session.code = EXIT.gate;
        else if (verified.interrupted) session.code = EXIT.interrupted;
      } finally {
        progress.end();
        interrupt.release();
      }
    });
};

const addStats = (benchmark: Command, io: Io): void => {
  benchmark
    .command('stats')
    .description("its figures: counterparts of the paper's tables, shares, near duplicates, a sample for readers")
    .argument('[folder]', 'benchmark folder', FOLDER)
    .option('--sample <n>', 'draw so many checks, stratified by category, with their sources', positive)
    .option('--seed <text>', 'what the sample is drawn by, e.g. the hash of a commit', '1')
    .addOption(JSON_OPTION())
    .action(async (folder: string, flags: { sample?: number; seed: string; json?: boolean }) => {
      const { benchmarkStats } = await import('../../pipeline/benchmark-stats.ts');
      print(await benchmarkStats(folder, { sample: flags.sample ?? null, seed: flags.seed }), flags, io);
    });
};

const addNew = (benchmark: Command, io: Io): void => {
  const made = benchmark.command('new').description('write a commented skeleton to fill in (docs/authoring.md)');
  const tell = (files: readonly string[], folder: string): void =>
    io.out([...files.map((file) => `wrote ${file}`), `octobench validate ${folder} says what is missing`].join('\n'));
  made
    .command('environment')
    .description('a small repository to work in')
    .argument('<id>', 'its name')
    .option('-d, --dataset <folder>', 'benchmark folder', FOLDER)
    .action(async (id: string, flags: { dataset: string }) => {
      const { newEnvironment } = await import('../../pipeline/benchmark-new.ts');
      tell(await newEnvironment(flags.dataset, id), flags.dataset);
    });
  made
    .command('instance')
    .description('a task with checks, a hidden test and two scripts')
    .argument('<id>', 'its id')
    .requiredOption('-e, --environment <name>', 'the environment it works in')
    .option('-d, --dataset <folder>', 'benchmark folder', FOLDER)
    .action(async (id: string, flags: { dataset: string; environment: string }) => {
      const { newInstance } = await import('../../pipeline/benchmark-new.ts');
      tell(await newInstance(flags.dataset, id, flags.environment), flags.dataset);
    });
};

/** `benchmark verify|stats|new`. */
export const benchmarkCommands: CommandGroup = (program, io, session) => {
  const benchmark = program.command('benchmark').description('a benchmark folder: its proofs, its figures, new parts');
  addVerify(benchmark, io, session);
  addStats(benchmark, io);
  addNew(benchmark, io);
};
