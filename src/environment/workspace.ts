import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lchown,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rm,
  symlink,
} from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import type { Problem } from '../core/problem.ts';
import { matchesAny } from './glob.ts';
import type { SandboxFile } from './schema.ts';
import { bytePath, pathBytes, shownPath, walkTree } from './tree.ts';

export interface User {
  uid: number;
  gid: number;
}

/** True when `path` is `root` or lies below it (by name; links are not looked at). */
const isWithin = (root: string, path: string): boolean => {
  const rel = relative(root, path);
  return rel !== '..' && !rel.startsWith('../') && !isAbsolute(rel);
};

const copyInto = async (root: string, rel: string, to: string, problems: Problem[]): Promise<void> => {
  const from = join(root, rel);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    const path = join(rel, entry.name);
    if (entry.isSymbolicLink()) {
      const link = await readlink(source);
      const out = isAbsolute(link) || !isWithin(root, resolve(from, link));
      if (out) problems.push({ kind: 'link_out', severity: 'error', message: `links to ${link}`, file: path });
      else await symlink(link, target);
    } else if (entry.isDirectory()) {
      await mkdir(target);
      await chmod(target, 0o755); // whatever the umask: the same workspace on every machine
      await copyInto(root, path, target, problems);
    } else if (entry.isFile()) {
      await copyFile(source, target, constants.COPYFILE_FICLONE);
    } else {
      problems.push({ kind: 'special_file', severity: 'error', message: 'is no file, folder or link', file: path });
    }
  }
};

/** Copies what is below `from` into the folder `to`. Throws BenchError('input') for links that lead out of `from` and for special files. */
export const copyFolder = async (from: string, to: string): Promise<void> => {
  const problems: Problem[] = [];
  await mkdir(to, { recursive: true });
  await copyInto(resolve(from), '', to, problems);
  const [first] = problems;
  if (first !== undefined) {
    throw new BenchError('input', 'environment', `${from}: ${first.file} ${first.message}`, { problems });
  }
};

/** Makes the folders down to `folder` below `root`, none of them through a link; new ones belong to `owner`. */
const makeFolders = async (root: string, folder: string, owner: User | null): Promise<void> => {
  let at = root;
  for (const name of relative(root, folder).split('/')) {
    if (name === '') continue;
    at = join(at, name);
    const stat = await lstat(at).catch(() => null);
    if (stat === null) {
      await mkdir(at);
      if (owner !== null) await lchown(at, owner.uid, owner.gid);
    } else if (!stat.isDirectory()) {
      throw new BenchError('input', 'environment', `${at} is no folder, so nothing is written below it`);
    }
  }
};

/** Writes one file below `root` (new or over an old one) without following a link anywhere. `rel` must stay within. */
export const writeWithin = async (
  root: string,
  rel: string,
  content: string,
  more: { mode?: number; owner: User | null },
): Promise<void> => {
  const path = join(root, normalize(rel));
  if (isAbsolute(rel) || path === root || !isWithin(root, path)) {
    throw new BenchError('input', 'environment', `${rel}: not a path below the workspace`);
  }
  await makeFolders(root, dirname(path), more.owner);
  await rm(path, { force: true });
  const file = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW);
  try {
    await file.writeFile(content);
    await file.chmod(more.mode ?? 0o644);
    if (more.owner !== null) await file.chown(more.owner.uid, more.owner.gid);
  } finally {
    await file.close();
  }
};

/** Where HOME and the workspace are, inside and on the host. */
export interface Places {
  home: string;
  workspace: string;
  hostHome: string;
  hostWorkspace: string;
}

/** The host folder and the path below it for a path inside (`~/` = HOME). Throws BenchError('input') for any other place. */
const placeOf = (path: string, places: Places): { root: string; rel: string } => {
  const full = path.startsWith('~/') ? join(places.home, path.slice(2)) : normalize(path);
  const inside = [
    { at: places.workspace, root: places.hostWorkspace },
    { at: places.home, root: places.hostHome },
  ]
    .filter(({ at }) => isWithin(at, full))
    .sort((a, b) => b.at.length - a.at.length)[0];
  if (inside === undefined) {
    throw new BenchError('input', 'environment', `${path}: files go into the workspace or HOME (~/) only`);
  }
  return { root: inside.root, rel: relative(inside.at, full) };
};

/** Writes files given by their paths inside. */
export const writeFiles = async (files: readonly SandboxFile[], places: Places, owner: User | null): Promise<void> => {
  for (const file of files) {
    const { root, rel } = placeOf(file.path, places);
    await writeWithin(root, rel, file.content, { owner, ...(file.mode === undefined ? {} : { mode: file.mode }) });
  }
};

/** The largest file that is digested; no instruction file is near it. */
const DIGEST_LIMIT = 16 * 1024 * 1024;

/** Bytes of a file or of the file a link within `root` leads to; a link that leads out stands for its own text. */
const contentOf = async (root: string, path: Buffer, isLink: boolean): Promise<Uint8Array | null> => {
  if (isLink) {
    const real = await realpath(path).catch(() => null);
    if (real === null || !isWithin(root, real)) return readlink(path, { encoding: 'buffer' });
    return contentOf(root, Buffer.from(real), false);
  }
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    const stat = await file.stat();
    return stat.isFile() && stat.size <= DIGEST_LIMIT ? await file.readFile() : null;
  } finally {
    await file.close();
  }
};

const SKIPPED = /(^|\/)(\.git|node_modules|\.venv)$/;

const digestsBelow = async (
  root: string,
  shown: (rel: string) => string,
  globs: readonly string[],
): Promise<[string, string][]> => {
  if (globs.length === 0) return [];
  const real = await realpath(root);
  const matches = matchesAny(globs);
  const found: [string, string][] = [];
  for await (const { rel, stat } of walkTree(real, (r) => !SKIPPED.test(r))) {
    const name = shownPath(rel);
    if (stat.isDirectory() || !matches(name)) continue;
    const content = await contentOf(real, pathBytes(`${bytePath(real)}/${rel}`), stat.isSymbolicLink());
    if (content !== null) found.push([shown(name), sha256(content)]);
  }
  return found;
};

/** sha256 of the files that match, by their paths inside. Globs are relative to the workspace, or start with `~/`. */
export const digestFiles = async (globs: readonly string[], places: Places): Promise<Record<string, string>> => {
  const atHome = globs.filter((g) => g.startsWith('~/')).map((g) => g.slice(2));
  const inWorkspace = globs.filter((g) => !g.startsWith('~/')).map((g) => g.replace(/^\.?\//, ''));
  const all = await Promise.all([
    digestsBelow(places.hostWorkspace, (rel) => join(places.workspace, rel), inWorkspace),
    digestsBelow(places.hostHome, (rel) => `~/${rel}`, atHome),
  ]);
  return Object.fromEntries(all.flat().sort(([a], [b]) => (a < b ? -1 : 1)));
};
