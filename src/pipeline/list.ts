import { basename, join } from 'node:path';
import { isObject } from '../core/json.ts';
import { oneLine } from '../core/text.ts';
import { exists, foldersIn, loadExperiment, rolloutDir } from './store.ts';

interface Listed {
  dir: string;
  name: string;
  created: string;
  models: string[];
  planned: number;
  ended: number;
}

const describe = async (dir: string): Promise<Listed | null> => {
  const file = await loadExperiment(dir).catch(() => null);
  if (!isObject(file) || file === null) return null;
  let ended = 0;
  for (const p of file.planned) if (await exists(join(rolloutDir(dir, p.key), 'rollout.json'))) ended++;
  return {
    dir,
    name: file.experiment.name,
    created: file.created,
    models: [...new Set(file.planned.map((p) => p.model))],
    planned: file.planned.length,
    ended,
  };
};

/** The experiments in a folder, the newest first. */
export const findExperiments = async (folder: string): Promise<Listed[]> => {
  const found = await Promise.all((await foldersIn(folder)).map((name) => describe(join(folder, name))));
  return found.filter((x) => x !== null).sort((a, b) => (a.created < b.created ? 1 : -1));
};

/** The experiments in a folder, as text and JSON. */
export const listExperiments = async (folder: string): Promise<{ text: string; json: unknown }> => {
  const found = await findExperiments(folder);
  const lines = found.map((e) => {
    const state = e.ended === e.planned ? 'done' : 'to resume';
    return `${basename(e.dir)}  ${e.created.slice(0, 16).replace('T', ' ')}  ${e.ended}/${e.planned} ${state}  ${oneLine(e.models.join(', '), 60)}`;
  });
  const none = `no experiments in ${folder}; start one with: octobench run -c benchmark/quickstart.yaml`;
  return { text: lines.length === 0 ? none : lines.join('\n'), json: { version: 1, experiments: found } };
};
