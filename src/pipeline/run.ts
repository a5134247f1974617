import { join, resolve } from 'node:path';
import PQueue from 'p-queue';
import { BenchError } from '../core/errors.ts';
import { safeName } from '../core/ids.ts';
import { VERSION } from '../core/version.ts';
import type { Dataset } from '../dataset/schema.ts';
import { chooseSandbox } from '../environment/providers.ts';
import { conclude } from './conclude.ts';
import { sourceFrom, usableDataset } from './datasets.ts';
import { type Overrides, readExperiment } from './experiment.ts';
import { forecastText } from './forecast.ts';
import { judgeByModels } from './judge-models.ts';
import { modelJudges } from './judge-specs.ts';
import { SCRIPT } from './models.ts';
import { runRollout } from './rollout.ts';
import { planRollouts } from './schedule.ts';
import type { Experiment, ExperimentFile, Finished, Hooks, View } from './schema.ts';
import { exists, experimentPath, lockExperiment, rolloutDir, writeExperiment } from './store.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

export interface RunOptions extends Hooks {
  /** Experiment file, or null for an experiment made of flags alone. */
  config: string | null;
  overrides: Overrides;
  env: NodeJS.ProcessEnv;
  cwd: string;
  output: string | null;
  dryRun: boolean;
  failUnder: string | null;
  view: View;
}

const stamp = (): string =>
  new Date()
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');

const plan = async (experiment: Experiment, base: string, dataset: Dataset): Promise<ExperimentFile> => {
  modelJudges(experiment); // refused before anything has run
  const allScripts = experiment.models.every((m) => m.provider === SCRIPT);
  const sandbox = await chooseSandbox(experiment.sandbox, allScripts);
  const planned = planRollouts(dataset, experiment);
  const notes = [...(sandbox.note === null ? [] : [sandbox.note]), ...substitutions(planned)];
  if (experiment.network === 'open') notes.push('The sandboxes had open network access, as the experiment asked for.');
  return {
    version: 1,
    octobench: VERSION,
    created: new Date().toISOString(),
    base,
    experiment,
    dataset: { digest: dataset.digest, revision: dataset.revision, instances: dataset.instances.length },
    sandbox: { kind: sandbox.provider.kind, note: sandbox.note },
    planned,
    notes,
  };
};

const substitutions = (planned: ExperimentFile['planned']): string[] => {
  const seen = new Map<string, Set<string>>();
  for (const { scaffold, instance } of planned) {
    if (scaffold.substitutedFor === null) continue;
    const what = `${scaffold.id} ${scaffold.substitutedFor} cannot be had; ${scaffold.version} ran instead`;
    seen.set(what, (seen.get(what) ?? new Set()).add(instance));
  }
  return [...seen].map(([what, of]) => `${what} (${of.size} instances).`);
};

/** Runs what is planned and not done yet, `concurrency` at a time, and says when it is over. */
const runAll = async (bench: Workbench, hooks: Hooks): Promise<void> => {
  const { planned, experiment } = bench.file;
  const open: ExperimentFile['planned'] = [];
  for (const p of planned) if (!(await exists(join(rolloutDir(bench.dir, p.key), 'rollout.json')))) open.push(p);
  hooks.onProgress({ type: 'planned', total: planned.length, already: planned.length - open.length });
  const queue = new PQueue({ concurrency: experiment.concurrency });
  let spent = false;
  const failures: unknown[] = [];
  for (const next of open) {
    void queue.add(async () => {
      if (hooks.drain.aborted || spent || failures.length > 0) return;
      if (experiment.maxCost !== null && bench.proxy.cost() >= experiment.maxCost) {
        spent = true;
        hooks.onProgress({ type: 'note', text: `max_cost ${experiment.maxCost} is reached: no new rollout starts` });
        return;
      }
      await runRollout(bench, next, hooks).catch((e: unknown) => failures.push(e));
    });
  }
  await queue.onIdle();
  if (failures.length > 0) throw failures[0];
};

/** Opens everything an experiment needs, runs it, closes everything, writes results and report. */
export const execute = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  options: Hooks & { env: NodeJS.ProcessEnv; failUnder: string | null; view: View },
): Promise<Finished> => {
  const bench = await openWorkbench(dir, file, dataset, options);
  try {
    await runAll(bench, options);
  } finally {
    await bench.close();
  }
  if (!options.drain.aborted) await judgeByModels(dir, file, dataset, { ...options, which: 'missing' });
  const finished = await conclude(dir, file, dataset, { failUnder: options.failUnder, view: options.view });
  return { ...finished, interrupted: options.drain.aborted };
};

/**
 * Runs an experiment: plans the matrix, runs each rollout in its sandbox behind the recording proxy, judges it, writes
 * `result.json` and the report.
 * @throws BenchError('usage' | 'input' | 'unavailable') before anything has run; a failure of a rollout is data, not an exception
 */
export const runExperiment = async (options: RunOptions): Promise<Finished> => {
  const { experiment, base } = await readExperiment(options.config, options.overrides, options.env);
  // A flag is relative to where the user stands, a file's own field to the file.
  const from = options.overrides.dataset === undefined ? base : options.cwd;
  experiment.dataset.source = sourceFrom(experiment.dataset.source, from);
  const dataset = await usableDataset(experiment.dataset.source, experiment.dataset, options.env);
  const file = await plan(experiment, base, dataset);
  if (options.dryRun) {
    const { text, json } = await forecastText(file, dataset, options.env);
    return { dir: '', text, result: json, gaps: false, gate: null, interrupted: false };
  }
  const dir = resolve(options.cwd, options.output ?? join('experiments', `${safeName(experiment.name)}-${stamp()}`));
  if (await exists(experimentPath(dir))) {
    throw new BenchError('usage', 'run', `${dir} holds an experiment already; go on with it: octobench resume ${dir}`);
  }
  const release = await lockExperiment(dir);
  try {
    await writeExperiment(dir, file);
    return await execute(dir, file, dataset, options);
  } finally {
    await release();
  }
};
