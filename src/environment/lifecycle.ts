import { rmSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, rm, statfs } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { safeName, sha256 } from '../core/ids.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeJson } from '../host/files.ts';
import { killProcess, marked, startTicks } from './processes.ts';
import type { SandboxKind } from './schema.ts';

/** Which octobench process something on this machine belongs to. */
export interface Owner {
  host: string;
  pid: number;
  /** Start of that process, so that a later process with its number is not taken for it; null where /proc is missing. */
  ticks: string | null;
}

/** Folders of one sandbox on the host. */
export interface SandboxFolder {
  id: string;
  root: string;
  home: string;
  workspace: string;
  /** Bare repository with the state at the start; never seen inside. */
  shadow: string;
}

/** This process as an owner. */
export const self = async (): Promise<Owner> => ({
  host: hostname(),
  pid: process.pid,
  ticks: await startTicks(process.pid),
});

/** True when the owner runs on this machine; an owner of another machine counts as running, it is not ours to judge. */
export const isRunning = async (owner: Owner): Promise<boolean> => {
  if (owner.host !== hostname()) return true;
  try {
    process.kill(owner.pid, 0);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const ticks = await startTicks(owner.pid);
  return owner.ticks === null || ticks === null || ticks === owner.ticks;
};

/** The owner in a file or label, or null when it is none. */
export const readOwner = (text: string | null): Owner | null => {
  const value = text === null ? null : parseJson(text);
  if (!isObject(value) || typeof value.host !== 'string' || typeof value.pid !== 'number') return null;
  return { host: value.host, pid: value.pid, ticks: typeof value.ticks === 'string' ? value.ticks : null };
};

/** Where this user's sandboxes live: `$TMPDIR/octobench-<uid>`. */
export const sandboxesFolder = (): string => join(tmpdir(), `octobench-${process.getuid?.() ?? 0}`);

/** Bytes that this user may still write where sandboxes live. */
export const freeBytes = async (): Promise<number> => {
  const { bavail, bsize } = await statfs(tmpdir());
  return bavail * bsize;
};

const folderOf = (id: string, root: string): SandboxFolder => ({
  id,
  root,
  home: join(root, 'home'),
  workspace: join(root, 'workspace'),
  shadow: join(root, 'shadow'),
});

/** Makes the folders of one sandbox, with its owner beside them. The id must not be in use. */
export const acquireFolder = async (id: string, kind: SandboxKind): Promise<SandboxFolder> => {
  const base = sandboxesFolder();
  // The sandbox's own user passes through these folders but cannot list them.
  await mkdir(base, { recursive: true });
  if ((await lstat(base)).uid === process.getuid?.()) await chmod(base, 0o711);
  const folder = folderOf(id, join(base, safeName(id)));
  await mkdir(folder.root);
  await writeJson(join(folder.root, 'owner.json'), { ...(await self()), kind, id });
  await mkdir(folder.home);
  await mkdir(folder.workspace);
  await mkdir(folder.shadow, { mode: 0o700 });
  await Promise.all([chmod(folder.root, 0o711), chmod(folder.home, 0o755), chmod(folder.workspace, 0o755)]);
  return folder;
};

const openAll = async (folder: string): Promise<void> => {
  if (!(await lstat(folder)).isDirectory()) return;
  await chmod(folder, 0o700);
  const entries = await readdir(folder, { withFileTypes: true });
  await Promise.all(entries.filter((e) => e.isDirectory()).map((e) => openAll(join(folder, e.name))));
};

/** Removes a tree that an agent wrote: folders it locked are opened first. Links are removed, never followed. */
export const removeTree = async (root: string): Promise<void> => {
  try {
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    await openAll(root);
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
};

/** Removes a folder that serves many sandboxes when this process ends. */
export const removeAtExit = (folder: SandboxFolder): void => {
  process.once('exit', () => rmSync(folder.root, { recursive: true, force: true }));
};

/** What every process of a `local` sandbox carries in its environment, so that it can be found; it tells the agent nothing. */
export const markOf = (id: string): { name: string; value: string } => ({
  name: 'SANDBOX_ID',
  value: sha256(id).slice(0, 16),
});

/** Kills every process that carries the sandbox's mark, until none is left (a process may fork while it is being looked for). */
export const killMarked = async (id: string): Promise<void> => {
  const { name, value } = markOf(id);
  for (let round = 0; round < 20; round++) {
    const found = await marked(`${name}=${value}`);
    if (found.length === 0) return;
    found.forEach(killProcess);
  }
};

/** Removes what crashed runs left in this user's sandbox folder; what belongs to a running octobench stays. Returns the ids removed. */
export const sweepFolders = async (): Promise<string[]> => {
  const base = sandboxesFolder();
  const names = await readdir(base).catch(() => []);
  const removed: string[] = [];
  for (const name of names) {
    const root = join(base, name);
    const text = await readText(join(root, 'owner.json')).catch(() => null);
    const owner = readOwner(text);
    if (owner === null || (await isRunning(owner))) continue;
    const id = parseJson(text ?? '');
    if (isObject(id) && typeof id.id === 'string') await killMarked(id.id);
    await removeTree(root);
    removed.push(name);
  }
  return removed;
};
