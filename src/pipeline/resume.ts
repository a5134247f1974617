import { BenchError } from '../core/errors.ts';
import type { Dataset } from '../dataset/schema.ts';
import { readRollout, reopenRollout } from '../rollout/store.ts';
import { datasetOf } from './datasets.ts';
import { judgeAll } from './judge.ts';
import { readModel } from './models.ts';
import { execute } from './run.ts';
import { planRollouts } from './schedule.ts';
import type { ExperimentFile, Finished, Hooks, View } from './schema.ts';
import { loadExperiment, lockExperiment, rolloutDir, writeExperiment } from './store.ts';

export interface ResumeOptions extends Hooks {
  env: NodeJS.ProcessEnv;
  concurrency: number | null;
  /** Models to add. */
  models: string[];
  /** Repeats to raise to. */
  repeats: number | null;
  /** `infra_failed`: run those again; `unscored`: judge again what has unscored checks. */
  only: 'infra_failed' | 'unscored' | null;
  failUnder: string | null;
  view: View;
}

/** Adds models and repeats to the plan. What is planned already stays as it is, in its order. */
const extend = (file: ExperimentFile, dataset: Dataset, options: ResumeOptions): boolean => {
  const { experiment } = file;
  const known = new Set(experiment.models.map((m) => m.id));
  const added = options.models.filter((id) => !known.has(id)).map((id) => readModel({ id }, experiment.providers));
  const repeats = options.repeats ?? experiment.repeats;
  if (repeats < experiment.repeats) {
    throw new BenchError(
      'usage',
      'resume',
      `the experiment has ${experiment.repeats} repeats; resume can add some, never take any away`,
    );
  }
  if (options.concurrency !== null) experiment.concurrency = options.concurrency;
  if (added.length === 0 && repeats === experiment.repeats) return options.concurrency !== null;
  experiment.models.push(...added);
  experiment.repeats = repeats;
  const planned = new Set(file.planned.map((p) => p.key));
  file.planned.push(...planRollouts(dataset, experiment).filter((p) => !planned.has(p.key)));
  return true;
};

/** Takes the commit point of infrastructure failures away: they are run again, their attempts stay on record. */
const reopenFailed = async (dir: string, file: ExperimentFile): Promise<void> => {
  for (const { key } of file.planned) {
    const rollout = await readRollout(rolloutDir(dir, key));
    if (rollout?.outcome === 'infra_failed') await reopenRollout(rolloutDir(dir, key));
  }
};

/**
 * Goes on with an experiment: runs what is planned and not finished, judges what is not judged. A finished rollout is never run again.
 * @throws BenchError('usage' | 'input') when the directory is no experiment, is in use, or its dataset changed
 */
export const resumeExperiment = async (dir: string, options: ResumeOptions): Promise<Finished> => {
  const release = await lockExperiment(dir, { mustExist: true });
  try {
    const file = await loadExperiment(dir);
    if (file.imported !== undefined) {
      throw new BenchError(
        'usage',
        'resume',
        `${dir} holds imported calls: nothing to run; judge them with: octobench judge ${dir} -d DATASET`,
      );
    }
    const dataset = await datasetOf(file, null, options.env);
    if (extend(file, dataset, options)) await writeExperiment(dir, file);
    if (options.only === 'infra_failed') await reopenFailed(dir, file);
    if (options.only === 'unscored') await judgeAll(dir, file, dataset, options.onProgress, 'unscored');
    return await execute(dir, file, dataset, options);
  } finally {
    await release();
  }
};
