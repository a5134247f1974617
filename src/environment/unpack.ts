import { constants } from 'node:fs';
import { link, lstat, mkdir, open, rm, symlink } from 'node:fs/promises';
import { BenchError } from '../core/errors.ts';
import { printable } from '../core/text.ts';
import { readTar, type TarEntry } from './tar.ts';
import { bytePath, pathBytes, shownPath } from './tree.ts';

const refused = (entry: TarEntry, why: string): BenchError =>
  new BenchError('input', 'environment', `archive refused: ${printable(shownPath(entry.name))} ${why}`);

/** The names of a path in an archive. Throws for a path that leaves the folder it is unpacked into. */
const namesOf = (entry: TarEntry, path: string): string[] => {
  if (path.startsWith('/')) throw refused(entry, 'is an absolute path');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw refused(entry, 'leads out of the archive');
  return names;
};

/** Makes the folders of `names` below `root`; throws when one of them is a link: writing through it would leave `root`. */
const enter = async (root: string, names: readonly string[], entry: TarEntry): Promise<string> => {
  let at = root;
  for (const name of names) {
    at = `${at}/${name}`;
    const stat = await lstat(pathBytes(at)).catch(() => null);
    if (stat === null) await mkdir(pathBytes(at), 0o755);
    else if (!stat.isDirectory()) throw refused(entry, 'goes through a link or a file');
  }
  return at;
};

const writeFileOf = async (path: string, entry: TarEntry): Promise<void> => {
  await rm(pathBytes(path), { force: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = await open(pathBytes(path), flags, entry.mode | 0o200);
  try {
    for await (const chunk of entry.body) await file.write(chunk);
    await file.chmod(entry.mode | 0o600);
  } finally {
    await file.close();
  }
};

/** True when a link's text, read from the folder `depth` names below the root, stays within it. */
const staysWithin = (target: string, depth: number): boolean => {
  if (target.startsWith('/')) return false;
  let level = depth;
  for (const name of target.split('/')) {
    if (name === '..') level--;
    else if (name !== '' && name !== '.') level++;
    if (level < 0) return false;
  }
  return true;
};

const unpackEntry = async (
  root: string,
  entry: TarEntry,
  names: readonly string[],
  links: 'inside' | 'any',
): Promise<void> => {
  const folder = await enter(root, names.slice(0, -1), entry);
  const path = `${folder}/${names.at(-1)}`;
  if (entry.kind === 'folder') await enter(folder, names.slice(-1), entry);
  else if (entry.kind === 'file') await writeFileOf(path, entry);
  else if (entry.kind === 'symlink') {
    if (links === 'inside' && !staysWithin(entry.link, names.length - 1))
      throw refused(entry, 'links out of the archive');
    await rm(pathBytes(path), { force: true });
    await symlink(pathBytes(entry.link), pathBytes(path));
  } else if (entry.kind === 'hardlink') {
    const to = namesOf(entry, entry.link);
    const target = `${await enter(root, to.slice(0, -1), entry)}/${to.at(-1)}`;
    if ((await lstat(pathBytes(target)).catch(() => null))?.isFile() !== true)
      throw refused(entry, 'links to no file of the archive');
    await rm(pathBytes(path), { force: true });
    await link(pathBytes(target), pathBytes(path));
  }
};

/**
 * Unpacks a tar archive into the folder `root`, leaving `strip` leading names away. Nothing is ever written outside of `root`: absolute
 * paths, `..`, and members below a link are refused with BenchError('input'), and with `links: 'inside'` so is a link that leads out
 * (`any` keeps such links as they are, unfollowed: a workspace may link into its own image). Devices and pipes are left out.
 */
export const unpackTar = async (
  source: AsyncIterable<Uint8Array>,
  root: string,
  how: { strip?: number; links: 'inside' | 'any' },
): Promise<void> => {
  const base = bytePath(root);
  for await (const entry of readTar(source)) {
    const names = namesOf(entry, entry.name).slice(how.strip ?? 0);
    if (names.length > 0) await unpackEntry(base, entry, names, how.links);
  }
};
