import { join, resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { parseJson } from '../core/json.ts';
import { assertUsable, loadDataset } from '../dataset/load.ts';
import type { Dataset } from '../dataset/schema.ts';
import { readText } from '../host/files.ts';
import { readReleaseMap, withReleaseRules } from '../judge/release.ts';
import { defaultCacheDir } from '../scaffolds/install.ts';
import { benchmarkFolder } from './benchmark-folder.ts';
import { assertRules } from './rules.ts';
import type { ExperimentFile } from './schema.ts';

const isHub = (source: string): boolean => source.startsWith('hf:');

/** Gives checks of the published release the rules that are known for them; a check whose wording changed gets none. */
const addReleaseRules = async (dataset: Dataset, env: NodeJS.ProcessEnv): Promise<void> => {
  if (dataset.instances.every((i) => i.environmentDir !== null)) return;
  const text = await readText(join(await benchmarkFolder(env), 'release-72.json'));
  if (text === null) return;
  const map = readReleaseMap(parseJson(text));
  for (const instance of dataset.instances) instance.checklist = withReleaseRules(map, instance.id, instance.checklist);
};

/** Loads the dataset of an experiment and refuses it, with every problem, when it cannot be used. Rules of checks are read too. */
export const usableDataset = async (
  source: string,
  selection: { include: string[]; exclude: string[]; limit: number | null },
  env: NodeJS.ProcessEnv,
): Promise<Dataset> => {
  const dataset = await loadDataset(source, {
    include: selection.include,
    exclude: selection.exclude,
    cacheDir: defaultCacheDir(env),
    ...(selection.limit === null ? {} : { limit: selection.limit }),
    ...(env.HF_TOKEN === undefined ? {} : { token: env.HF_TOKEN }),
    ...(env.HF_ENDPOINT === undefined ? {} : { hubUrl: env.HF_ENDPOINT }),
  });
  assertUsable(dataset);
  await addReleaseRules(dataset, env);
  assertRules(dataset);
  if (dataset.instances.length === 0) {
    throw new BenchError('input', 'dataset', `${source} has no instance that matches the selection`);
  }
  return dataset;
};

/** A source as the experiment file names it, made absolute: relative paths start from the experiment file's folder. */
export const sourceFrom = (source: string, base: string): string => (isHub(source) ? source : resolve(base, source));

/** The dataset an existing experiment is judged by: its own, or the one named instead. */
export const datasetOf = (file: ExperimentFile, named: string | null, env: NodeJS.ProcessEnv): Promise<Dataset> => {
  const everything = { include: [], exclude: [], limit: null };
  if (named !== null) return usableDataset(isHub(named) ? named : resolve(named), everything, env);
  const { source } = file.experiment.dataset;
  if (source === '') {
    throw new BenchError('usage', 'dataset', 'imported calls have no checklists of their own; name a dataset with -d');
  }
  return usableDataset(sourceFrom(source, file.base), everything, env);
};
