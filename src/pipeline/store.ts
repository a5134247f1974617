import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  copyFile,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join, matchesGlob, relative, sep } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeAtomic, writeJson } from '../host/files.ts';
import type { VerdictFile } from '../judge/schema.ts';
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
export const lockExperiment = async (
  dir: string,
  options: { mustExist?: boolean } = {},
): Promise<() => Promise<void>> => {
  if (options.mustExist === true) await loadExperiment(dir);
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

/** Where a rollout's files are. */
export const rolloutDir = (dir: string, key: string): string => join(dir, 'rollouts', key);

/** Every judge's verdict file of a rollout, by name of the judge. Files of other versions are refused. */
export const readVerdicts = async (rolloutPath: string): Promise<VerdictFile[]> => {
  const folder = join(rolloutPath, 'verdicts');
  const names = await readdir(folder).catch(() => [] as string[]);
  const files: VerdictFile[] = [];
  for (const name of names.filter((n) => n.endsWith('.json')).sort()) {
    const value = parseJson((await readText(join(folder, name))) ?? '');
    if (!isObject(value) || value.version !== 1 || !Array.isArray(value.samples)) {
      throw new BenchError(
        'input',
        'verdicts',
        `${join(folder, name)} is no verdict file of this version; judge again with: octobench judge`,
      );
    }
    files.push(value as unknown as VerdictFile);
  }
  return files;
};

/** Names of the folders in a folder; none when it is not there. */
export const foldersIn = async (dir: string): Promise<string[]> => {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((e) => e.isDirectory())
    .map((e) => e.name)
    .sort();
};

/** The lines of a file, one at a time: a log may be larger than memory. (`readline` also splits at U+2028, which JSON may hold.) */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of createReadStream(file, 'utf8')) {
    const parts = String(chunk).split('\n');
    if (parts.length > 1) {
      yield [...rest, parts[0]].join('');
      yield* parts.slice(1, -1);
      rest = [];
    }
    rest.push(parts.at(-1) ?? '');
  }
  const last = rest.join('');
  if (last !== '') yield last;
}

/** Copies a file into a folder of the experiment. @returns its path relative to the experiment */
export const copyInto = async (file: string, dir: string, folder: string): Promise<string> => {
  await mkdir(join(dir, folder), { recursive: true });
  await copyFile(file, join(dir, folder, basename(file)));
  return join(folder, basename(file));
};

/** Text of a file that was found before. @throws BenchError('input') when it is gone */
export const readNamed = async (path: string): Promise<string> => {
  const text = await readText(path);
  if (text !== null) return text;
  throw new BenchError('input', 'experiment', `${path} is gone`);
};

/** A new folder for this process alone. */
export const temporaryFolder = async (prefix: string): Promise<{ path: string; remove: () => Promise<void> }> => {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
};

/** Keeps a verdict file that a new one will replace with other verdicts, under `verdicts/old/<judge>-<fingerprint>.json`. */
export const keepOldVerdicts = async (rolloutPath: string, next: VerdictFile): Promise<void> => {
  const path = verdictPath(rolloutPath, next.judge);
  const text = await readText(path);
  if (text === null) return;
  const before = parseJson(text) as VerdictFile;
  if (JSON.stringify(before.samples) === JSON.stringify(next.samples)) return;
  await writeAtomic(
    join(rolloutPath, 'verdicts', 'old', `${next.judge}-${before.fingerprint.slice(0, 12)}.json`),
    text,
  );
};

/** Paths of all files in a folder, relative to it, with `/`. */
export const filesIn = async (dir: string): Promise<Set<string>> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((e) => !e.isDirectory()).map((e) => relative(dir, join(e.parentPath, e.name)));
  return new Set(files.map((f) => f.split(sep).join('/')));
};

/** The log that an imported rollout came from; null when it was not kept. */
export const importedLog = async (rolloutPath: string): Promise<string | null> => {
  const dir = join(rolloutPath, '..', '..');
  const { imported } = await loadExperiment(dir);
  return imported === undefined ? null : join(dir, imported);
};

/** The bytes of a file, or null when there is none. */
export const readBytes = (path: string): Promise<Uint8Array | null> => readFile(path).catch(() => null);

/** Fills a folder once: beside it, then renamed; several processes may ask at the same time. */
export const settleFolder = async (target: string, fill: (folder: string) => Promise<void>): Promise<void> => {
  if (await exists(target)) return;
  const part = `${target}.${randomBytes(6).toString('hex')}.part`;
  await mkdir(part, { recursive: true });
  try {
    await fill(part);
    await rename(part, target).catch(async (e: unknown) => {
      if (!(await exists(target))) throw e; // else another process was quicker
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
};

/** Regular files of a folder whose path (relative, with `/`) matches a glob, with their text; links are not followed. */
export const filesMatching = async (dir: string, glob: string): Promise<{ rel: string; text: string }[]> => {
  const found: { rel: string; text: string }[] = [];
  for (const rel of [...(await filesIn(dir))].sort()) {
    if (!matchesGlob(rel, glob) || rel.startsWith('.git/')) continue;
    if (!(await lstat(join(dir, rel))).isFile()) continue;
    found.push({ rel, text: await readFile(join(dir, rel), 'utf8') });
  }
  return found;
};

/** The first 64 KB of a file, as text: enough to tell what wrote it. */
export const headOf = async (file: string): Promise<string> => {
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 65_536 })) return String(chunk);
  return '';
};
