import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeJson } from '../host/files.ts';
import type { ExperimentFile } from './schema.ts';

/** Paths in an experiment's directory (docs/formats/experiment.md). */
export const experimentPath = (dir: string): string => join(dir, 'experiment.json');
export const resultPath = (dir: string): string => join(dir, 'result.json');
export const reportDir = (dir: string): string => join(dir, 'report');
export const trajectoryPath = (rolloutDir: string): string => join(rolloutDir, 'trajectory.json');
export const verdictPath = (rolloutDir: string, judge: string): string => join(rolloutDir, 'verdicts', `${judge}.json`);

/** Writes `experiment.json` whole or not at all. */
export const writeExperiment = (dir: string, file: ExperimentFile): Promise<void> =>
  writeJson(experimentPath(dir), file);

/** @throws BenchError('usage') when `dir` is no experiment, BenchError('input') when its file is of another version */
export const loadExperiment = async (dir: string): Promise<ExperimentFile> => {
  const text = await readText(experimentPath(dir)).catch((e: NodeJS.ErrnoException) => {
    if (e.code === 'ENOTDIR') return null;
    throw e;
  });
  if (text === null) {
    throw new BenchError(
      'usage',
      'experiment',
      `${dir} is no experiment: it has no experiment.json (octobench list shows experiments)`,
    );
  }
  const value = parseJson(text);
  if (!isObject(value) || value.version !== 1) {
    throw new BenchError('input', 'experiment', `${experimentPath(dir)} was written by another version of octobench`);
  }
  return value as unknown as ExperimentFile;
};

/** True when the directory exists and holds anything. */
export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return (e as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Start time of a process, so that a recycled pid is not taken for the owner; null where the system does not tell. */
const startOf = async (pid: number): Promise<string | null> => {
  const text = await readText(`/proc/${pid}/stat`).catch(() => null);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
};

const owned = async (path: string): Promise<string | null> => {
  const value = parseJson(await readFile(path, 'utf8').catch(() => ''));
  if (!isObject(value) || typeof value.pid !== 'number') return null;
  if (value.host !== hostname()) return `another machine (${String(value.host)})`;
  if (!alive(value.pid)) return null;
  return (await startOf(value.pid)) === value.start ? `process ${value.pid}` : null;
};

/**
 * Makes this process the only writer of an experiment. The lock of a process that is gone is taken over.
 * @returns releases the lock
 * @throws BenchError('usage') while another process holds it
 */
export const lockExperiment = async (dir: string): Promise<() => Promise<void>> => {
  await mkdir(dir, { recursive: true });
  const path = join(dir, 'lock');
  const mine = join(dir, `lock.${randomBytes(6).toString('hex')}.part`);
  const text = JSON.stringify({ pid: process.pid, host: hostname(), start: await startOf(process.pid) });
  await writeFile(mine, text);
  try {
    for (let i = 0; i < 5; i++) {
      try {
        await link(mine, path); // atomic: the lock never exists without its content
        return () => rm(path, { force: true });
      } catch (e) {
        if ((e as NodeJS.ErrnoException).code !== 'EEXIST') throw e;
      }
      const owner = await owned(path);
      if (owner !== null)
        throw new BenchError('usage', 'experiment', `${dir} is in use by ${owner}; wait for it, or stop it first`);
      await rm(path, { force: true });
    }
    throw new BenchError('failed', 'experiment', `${dir} could not be locked`);
  } finally {
    await rm(mine, { force: true });
  }
};
