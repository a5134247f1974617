import { basename, resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { writeJson } from '../host/files.ts';
import { checksNamed, withHumanVerdict } from '../judge/human.ts';
import type { VerdictFile, VerdictValue } from '../judge/schema.ts';
import { datasetOf } from './datasets.ts';
import { HUMAN } from './judge-specs.ts';
import { locateRollout } from './show.ts';
import { loadExperiment, lockExperiment, readVerdicts, verdictPath } from './store.ts';

export interface HumanVerdict {
  /** Directory, key, or a unique part of the key. */
  rollout: string;
  /** Id, or `category/id` where several categories have it. */
  check: string;
  verdict: Exclude<VerdictValue, 'unscored'>;
  why: string;
  who: string;
  /** Where to look for the key; undefined = the newest experiment. */
  experiment: string | undefined;
  dataset: string | null;
  env: NodeJS.ProcessEnv;
}

/**
 * Enters a person's verdict on one check of a rollout: `verdicts/human.json`, with every earlier word in its history. It is a
 * column of its own and enters no mean of the panel.
 * @returns what was entered, in one line
 * @throws BenchError('usage') for a rollout or check that is none, or that several have
 */
export const setHumanVerdict = async (given: HumanVerdict): Promise<{ text: string; file: VerdictFile }> => {
  const { dir: path } = await locateRollout(given.rollout, given.experiment);
  const dir = resolve(path, '..', '..');
  const release = await lockExperiment(dir, { mustExist: true });
  try {
    const experiment = await loadExperiment(dir);
    const dataset = await datasetOf(experiment, given.dataset, given.env);
    const planned = experiment.planned.find((p) => p.key === basename(path));
    const instance = dataset.instances.find((i) => i.id === planned?.instance);
    if (instance === undefined) {
      throw new BenchError(
        'usage',
        'verdict',
        `the dataset has no instance of ${basename(path)}; name its dataset with -d`,
      );
    }
    const [one, ...others] = checksNamed(instance.checklist, given.check);
    if (one === undefined) {
      const ids = instance.checklist.categories.flatMap((c) => c.checks.map((k) => k.id));
      throw new BenchError(
        'usage',
        'verdict',
        `${instance.id} has no check "${given.check}"${suggestion(given.check, ids)}`,
      );
    }
    if (others.length > 0) {
      const named = [one, ...others].map((x) => `${x.category}/${x.check}`).join(', ');
      throw new BenchError('usage', 'verdict', `several checks are called "${given.check}": write one of ${named}`);
    }
    const { verdict, why, who } = given;
    const before = (await readVerdicts(path)).find((f) => f.judge === HUMAN) ?? null;
    const file = withHumanVerdict(before, HUMAN, { at: new Date().toISOString(), who, ...one, verdict, why });
    await writeJson(verdictPath(path, HUMAN), file);
    return { text: `${basename(path)} ${one.category}/${one.check}: ${verdict} (${who})`, file };
  } finally {
    await release();
  }
};
