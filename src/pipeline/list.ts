import { basename, join } from 'node:path';
import { isObject } from '../core/json.ts';
import { oneLine, printable } from '../core/text.ts';
import { readRollout } from '../rollout/store.ts';
import { exists, experimentPath, foldersIn, loadExperiment, readVerdicts, rolloutDir } from './store.ts';

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

/** The rollouts of one experiment: how each ended, how many of its checks are broken. */
const listRollouts = async (dir: string): Promise<{ text: string; json: unknown }> => {
  const file = await loadExperiment(dir);
  const rows = [];
  for (const p of file.planned) {
    const rollout = await readRollout(rolloutDir(dir, p.key));
    const verdicts = (await readVerdicts(rolloutDir(dir, p.key))).flatMap((v) => v.samples.flatMap((s) => s.verdicts));
    const broken = verdicts.filter((v) => v.verdict === 'fail').length;
    rows.push({
      ...p,
      outcome: rollout?.outcome ?? null,
      origin: rollout?.origin ?? null,
      broken,
      checks: verdicts.length,
    });
  }
  const lines = rows.map((r) => {
    const state = r.origin === null ? 'not run' : (r.outcome ?? 'imported');
    return `${r.key}  ${r.instance}  ${r.model}  ${r.variant}  ${r.repeat}  ${state}  ${r.broken} of ${r.checks} broken`;
  });
  return { text: lines.map((l) => printable(l)).join('\n'), json: { version: 1, rollouts: rows } };
};

/** The experiments in a folder, or the rollouts of one experiment, as text and JSON. */
export const listExperiments = async (folder: string): Promise<{ text: string; json: unknown }> => {
  if (await exists(experimentPath(folder))) return listRollouts(folder);
  const found = await findExperiments(folder);
  const lines = found.map((e) => {
    const state = e.ended === e.planned ? 'done' : 'to resume';
    return `${basename(e.dir)}  ${e.created.slice(0, 16).replace('T', ' ')}  ${e.ended}/${e.planned} ${state}  ${oneLine(e.models.join(', '), 60)}`;
  });
  const none = `no experiments in ${folder}; start one with: octobench run -c benchmark/quickstart.yaml`;
  return { text: lines.length === 0 ? none : lines.join('\n'), json: { version: 1, experiments: found } };
};
