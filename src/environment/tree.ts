import type { BigIntStats } from 'node:fs';
import { lchown, lstat, readdir } from 'node:fs/promises';

/*
 * File names are bytes, and an agent may choose any. Inside this room a path below a root is a "byte path": a string in which every
 * character is one byte (Latin-1), so that nothing is lost and paths can be compared, sorted and used as keys.
 */

/** A byte path as the bytes the operating system wants. */
export const pathBytes = (bytePath: string): Buffer => Buffer.from(bytePath, 'latin1');

/** An ordinary path as a byte path. */
export const bytePath = (path: string): string => Buffer.from(path).toString('latin1');

/** A byte path as readable text (invalid UTF-8 becomes U+FFFD). */
export const shownPath = (path: string): string => pathBytes(path).toString('utf8');

/** One file, folder or link below a root; `rel` is its byte path from there, without a leading slash. */
export interface TreeEntry {
  rel: string;
  stat: BigIntStats;
}

/** Everything below `root`, folders before what they hold, each folder's names in byte order. Links are entries, never followed (a root that is one is empty); what vanishes is skipped. */
export async function* walkTree(root: string, enter: (rel: string) => boolean = () => true): AsyncGenerator<TreeEntry> {
  const base = bytePath(root);
  const open: string[] = (await lstat(root).catch(() => null))?.isDirectory() === true ? [''] : [];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const within = folder === '' ? '' : `${folder}/`;
    const names = await readdir(pathBytes(`${base}/${folder}`), { encoding: 'buffer' }).catch(() => []);
    const rels = names.map((name) => within + name.toString('latin1')).sort();
    const stats = await Promise.all(
      rels.map((rel) => lstat(pathBytes(`${base}/${rel}`), { bigint: true }).catch(() => null)),
    );
    const inner: string[] = [];
    for (const [i, rel] of rels.entries()) {
      const stat = stats[i];
      if (stat === null || stat === undefined) continue;
      yield { rel, stat };
      if (stat.isDirectory() && enter(rel)) inner.push(rel);
    }
    open.push(...inner.reverse());
  }
}

/** Gives a whole tree, `root` included, to a user; links themselves, never what they point to. */
export const giveTree = async (root: string, user: { uid: number; gid: number }): Promise<void> => {
  await lchown(root, user.uid, user.gid);
  for await (const { rel } of walkTree(root)) await lchown(pathBytes(`${bytePath(root)}/${rel}`), user.uid, user.gid);
};

/** Bytes that the files below the roots occupy on disk, one block of 512 at least for each: names take room too. */
export const diskUse = async (roots: readonly string[]): Promise<number> => {
  let blocks = 0n;
  for (const root of roots) for await (const { stat } of walkTree(root)) blocks += stat.blocks + 1n;
  return Number(blocks) * 512;
};
