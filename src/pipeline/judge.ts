import { resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { COUNTED } from '../rollout/schema.ts';
import { readRollout } from '../rollout/store.ts';
import { datasetOf } from './datasets.ts';
import { judgeRollout } from './judge-rollout.ts';
import { checkGate, collectResults, writeResult } from './results.ts';
import { asPlanned } from './schedule.ts';
import type { ExperimentFile, Finished, Progress, View } from './schema.ts';
import { loadExperiment, lockExperiment, readVerdicts, rolloutDir, writeExperiment } from './store.ts';
import { summaryText } from './summary.ts';

export interface JudgeOptions {
  /** Checklists to judge by; null = those of the experiment. */
  dataset: string | null;
  env: NodeJS.ProcessEnv;
  failUnder: string | null;
  view: View;
  onProgress: (event: Progress) => void;
}

const allScored = async (rolloutPath: string): Promise<boolean> => {
  const files = await readVerdicts(rolloutPath);
  return (
    files.length > 0 && files.every((f) => f.samples.every((s) => s.verdicts.every((v) => v.verdict !== 'unscored')))
  );
};

/** Judges the counted rollouts of an experiment: all, or those with unscored checks or no verdicts. */
export const judgeAll = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  onProgress: (event: Progress) => void,
  which: 'all' | 'unscored' = 'all',
): Promise<void> => {
  const instances = new Map<string, Instance>(dataset.instances.map((i) => [i.id, i]));
  const environments = new Map(dataset.environments.map((e) => [e.name, e.setup]));
  const setupOf = (instance: Instance): string[] => environments.get(instance.environment) ?? [];
  let found = 0;
  for (const planned of file.planned) {
    const instance = instances.get(planned.instance);
    if (instance === undefined) continue;
    found++;
    const rollout = await readRollout(rolloutDir(dir, planned.key));
    const counts = rollout !== null && (rollout.outcome === null || COUNTED.has(rollout.outcome));
    if (which === 'unscored' && (await allScored(rolloutDir(dir, planned.key)))) continue;
    if (counts) {
      const asked = asPlanned(instance, planned);
      await judgeRollout(rolloutDir(dir, planned.key), rollout, asked, setupOf(instance), onProgress);
    }
  }
  if (found === 0) {
    const first = file.planned[0]?.instance ?? '';
    throw new BenchError(
      'input',
      'judge',
      `${dataset.source} has none of the instances of this experiment (the first is ${first}); name its dataset with -d`,
    );
  }
};

/**
 * Judges every counted rollout of an experiment again; nothing is run again. Verdicts that change are kept under `verdicts/old`.
 * @throws BenchError('usage' | 'input') when the directory is no experiment or no checklist can be found
 */
export const judgeExperiment = async (dir: string, options: JudgeOptions): Promise<Finished> => {
  const file = await loadExperiment(dir);
  const release = await lockExperiment(dir);
  try {
    const dataset = await datasetOf(file, options.dataset, options.env);
    if (options.dataset !== null && file.experiment.dataset.source === '') {
      // An import has no dataset of its own: from now on it has this one, so that `report` needs no -d.
      const local = /^hf:/.test(options.dataset) ? options.dataset : resolve(options.dataset);
      file.experiment.dataset.source = local;
      file.dataset = { digest: dataset.digest, revision: dataset.revision, instances: dataset.instances.length };
      await writeExperiment(dir, file);
    }
    await judgeAll(dir, file, dataset, options.onProgress);
    const { data } = await collectResults(dir, file, dataset);
    await writeResult(dir, data);
    return { ...summaryText(dir, data, options.view), gate: checkGate(options.failUnder, data), interrupted: false };
  } finally {
    await release();
  }
};
