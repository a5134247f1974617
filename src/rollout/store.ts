import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { hashedName } from '../core/ids.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeAtomic, writeJson } from '../host/files.ts';
import type { Attempt, Rollout } from './schema.ts';

/** Name of a rollout's folder: the parts joined with `~`, always with the hash (docs/formats/rollout.md). */
export const rolloutKey = (parts: readonly string[]): string => hashedName(parts.join('~'));

/** Where an attempt's files stand. */
export interface AttemptPaths {
  dir: string;
  attempt: string;
  calls: string;
  log: string;
  patch: string;
}

const ATTEMPT = /^attempt-(\d+)$/;

/** Paths of attempt `n` (from 0) of the rollout in `dir`. `calls` gets `.zst` when its log is sealed. */
export const attemptPaths = (dir: string, n: number): AttemptPaths => {
  const folder = join(dir, `attempt-${n}`);
  return {
    dir: folder,
    attempt: join(folder, 'attempt.json'),
    calls: join(folder, 'calls.jsonl'),
    log: join(folder, 'scaffold.log'),
    patch: join(folder, 'workspace.patch'),
  };
};

/**
 * Makes the folder of the next attempt. One that a crash left without `attempt.json` keeps its number and is set aside as
 * `attempt-<n>.crashed`, so that its calls are never counted.
 */
export const beginAttempt = async (dir: string): Promise<{ attempt: number; paths: AttemptPaths }> => {
  await mkdir(dir, { recursive: true });
  let next = 0;
  for (const name of await readdir(dir)) {
    const n = Number(ATTEMPT.exec(name)?.[1] ?? /^attempt-(\d+)\.crashed$/.exec(name)?.[1] ?? -1);
    next = Math.max(next, n + 1);
    if (!ATTEMPT.test(name) || (await readText(join(dir, name, 'attempt.json'))) !== null) continue;
    await rename(join(dir, name), join(dir, `${name}.crashed`));
  }
  const paths = attemptPaths(dir, next);
  await mkdir(paths.dir);
  return { attempt: next, paths };
};

/** Writes what an attempt left: the patch and the log first, `attempt.json` last. */
export const writeAttempt = async (
  paths: AttemptPaths,
  attempt: Attempt,
  left: { patch: Uint8Array; log: string },
): Promise<void> => {
  await writeAtomic(paths.patch, left.patch);
  await writeAtomic(paths.log, left.log);
  await writeJson(paths.attempt, attempt);
};

/** Writes `rollout.json`: from then on the rollout is done. */
export const writeRollout = (dir: string, rollout: Rollout): Promise<void> =>
  writeJson(join(dir, 'rollout.json'), rollout);

const refuse = (path: string): BenchError =>
  new BenchError(
    'input',
    'rollout',
    `${path} is not of version 1 of its format; read it with the octobench that wrote it`,
  );

const readVersioned = async (path: string): Promise<unknown> => {
  const text = await readText(path);
  if (text === null) return null;
  const value = parseJson(text);
  if (!isObject(value) || value.version !== 1) throw refuse(path);
  return value;
};

/** `rollout.json` of a folder, or null while there is none. @throws BenchError('input') for another version or a broken file */
export const readRollout = async (dir: string): Promise<Rollout | null> =>
  (await readVersioned(join(dir, 'rollout.json'))) as Rollout | null;

/** Attempts that ended, in order, also of a rollout that is not done. @throws BenchError('input') for another version */
export const readAttempts = async (dir: string): Promise<Attempt[]> => {
  const names = await readdir(dir).catch((): string[] => []);
  const found: Attempt[] = [];
  for (const name of names.filter((n) => ATTEMPT.test(n))) {
    const attempt = await readVersioned(join(dir, name, 'attempt.json'));
    if (attempt !== null) found.push(attempt as Attempt);
  }
  return found.sort((a, b) => a.attempt - b.attempt);
};

/**
 * Takes the commit point of a rollout that did not count away, so that it is tried again. Its attempts stay on record.
 * @throws BenchError('input') when the rollout counts: what is finished is never run again
 */
export const reopenRollout = async (dir: string): Promise<void> => {
  const rollout = await readRollout(dir);
  if (rollout !== null && rollout.counted !== null) {
    throw new BenchError('input', 'rollout', `${dir} is finished and cannot be run again`);
  }
  for (const attempt of await readAttempts(dir)) {
    await writeJson(attemptPaths(dir, attempt.attempt).attempt, { ...attempt, reopened: true });
  }
  await rm(join(dir, 'rollout.json'), { force: true });
};

/** The call log of an attempt: sealed, else open; null when there is none. */
export const callLog = async (dir: string, attempt: number): Promise<string | null> => {
  const { dir: folder } = attemptPaths(dir, attempt);
  const names = new Set(await readdir(folder).catch((): string[] => []));
  const name = ['calls.jsonl.zst', 'calls.jsonl'].find((n) => names.has(n));
  return name === undefined ? null : join(folder, name);
};

/** Folders of all rollouts of an experiment, finished or not, by name. */
export const findRollouts = async (experimentDir: string): Promise<{ key: string; dir: string }[]> => {
  const root = join(experimentDir, 'rollouts');
  const items = await readdir(root, { withFileTypes: true }).catch((e: NodeJS.ErrnoException) => {
    if (e.code === 'ENOENT' || e.code === 'ENOTDIR') return [];
    throw e;
  });
  return items
    .filter((item) => item.isDirectory())
    .map((item) => ({ key: item.name, dir: join(root, item.name) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
};

/**
 * The one rollout whose key is `part` or holds it.
 * @throws BenchError('usage') when none or several do
 */
export const findRollout = async (experimentDir: string, part: string): Promise<{ key: string; dir: string }> => {
  const all = await findRollouts(experimentDir);
  const exact = all.find((r) => r.key === part);
  const found = exact === undefined ? all.filter((r) => r.key.includes(part)) : [exact];
  if (found.length === 1 && found[0] !== undefined) return found[0];
  const some = found.slice(0, 5).map((r) => r.key);
  throw new BenchError(
    'usage',
    'rollout',
    found.length === 0
      ? `no rollout of ${experimentDir} is called "${part}"; octobench list ${experimentDir} shows them`
      : `"${part}" fits ${found.length} rollouts, name one: ${some.join(', ')}${found.length > 5 ? ', ...' : ''}`,
  );
};
