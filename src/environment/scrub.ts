import { constants } from 'node:fs';
import { lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { exec } from '../host/exec.ts';
import { QUIET_GIT } from './history.ts';
import { shownPath, walkTree } from './tree.ts';

/** A small file of the old repository; null when it is missing or a link. */
const readPlain = async (path: string): Promise<string | null> => {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null);
  if (file === null) return null;
  try {
    return (await file.stat()).isFile() ? await file.readFile('utf8') : null;
  } finally {
    await file.close();
  }
};

const HASH = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** All references of the old repository by name, packed ones first so that loose ones win (gitrepository-layout). */
const references = async (old: string): Promise<Map<string, string>> => {
  const refs = new Map<string, string>();
  for (const line of ((await readPlain(join(old, 'packed-refs'))) ?? '').split('\n')) {
    const [hash = '', name] = line.split(' ');
    if (HASH.test(hash) && name !== undefined) refs.set(name, hash);
  }
  for await (const { rel, stat } of walkTree(join(old, 'refs'))) {
    if (!stat.isFile()) continue;
    const hash = ((await readPlain(join(old, 'refs', shownPath(rel)))) ?? '').trim();
    if (HASH.test(hash)) refs.set(`refs/${shownPath(rel)}`, hash);
  }
  return refs;
};

interface Head {
  branch: string | null;
  hash: string | null;
}

const headOf = async (old: string, refs: ReadonlyMap<string, string>): Promise<Head> => {
  const text = ((await readPlain(join(old, 'HEAD'))) ?? '').trim();
  const branch = /^ref: refs\/heads\/(\S+)$/.exec(text)?.[1] ?? null;
  return {
    branch,
    hash: branch === null ? (HASH.test(text) ? text : null) : (refs.get(`refs/heads/${branch}`) ?? null),
  };
};

const run = async (gitDir: string, workTree: string, args: readonly string[], input?: string): Promise<string> => {
  const done = await exec('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', ...args], {
    cwd: workTree,
    env: { ...QUIET_GIT, GIT_DIR: gitDir, GIT_WORK_TREE: workTree },
    ...(input === undefined ? {} : { input }),
  });
  if (done.code === 0) return done.stdout;
  const why = done.failure ?? done.stderr.trim();
  throw new BenchError('unavailable', 'environment', `the workspace's git history cannot be cut at its HEAD: ${why}`);
};

/** Tags of what HEAD knows; the others name the future. */
const keepTags = async (
  git: (args: readonly string[], input?: string) => Promise<string>,
  refs: ReadonlyMap<string, string>,
): Promise<void> => {
  const tags = [...refs].filter(([name]) => name.startsWith('refs/tags/'));
  if (tags.length === 0) return;
  const known = await git(['cat-file', '--batch-check'], tags.map(([, hash]) => `${hash}\n`).join(''));
  const answers = known.split('\n');
  const there = tags.filter((_, i) => answers[i]?.endsWith(' missing') === false);
  await git(['update-ref', '--stdin'], there.map(([name, hash]) => `create ${name} ${hash}\n`).join(''));
  const later = (await git(['for-each-ref', '--no-merged=HEAD', '--format=delete %(refname)', 'refs/tags'])).trim();
  if (later !== '') await git(['update-ref', '--stdin'], `${later}\n`);
};

/**
 * Rebuilds the `.git` of a workspace that came with one, so that it holds HEAD's history and nothing after or beside it: no other
 * branches, later tags, stashes, reflogs, remotes, hooks or settings, and none of their objects. Does nothing where there is no
 * repository; a `.git` that points elsewhere is removed. The old repository is only read as a store of objects and references:
 * its configuration and hooks have no say. `scratch` is a path on the same disk that does not exist yet.
 */
export const scrubHistory = async (dir: string, scratch: string): Promise<void> => {
  const old = join(dir, '.git');
  const stat = await lstat(old).catch(() => null);
  if (stat === null) return;
  if (!stat.isDirectory()) return rm(old);
  const refs = await references(old);
  const head = await headOf(old, refs);
  const git = (args: readonly string[], input?: string): Promise<string> => run(scratch, dir, args, input);
  const format = head.hash?.length === 64 ? ['--object-format=sha256'] : [];
  await git(['init', '--quiet', '--template=', `--initial-branch=${head.branch ?? 'main'}`, ...format]);
  await git(['config', 'core.bare', 'false']);
  await git(['config', '--unset-all', 'core.worktree']).catch(() => '');
  if (head.hash !== null) {
    await rm(join(old, 'objects/info/alternates'), { force: true });
    const alternates = join(scratch, 'objects/info/alternates');
    await writeFile(alternates, `${join(old, 'objects')}\n`);
    const shallow = await readPlain(join(old, 'shallow'));
    if (shallow !== null) await writeFile(join(scratch, 'shallow'), shallow);
    if (head.branch === null) await git(['update-ref', '--no-deref', 'HEAD', head.hash]);
    else await git(['update-ref', `refs/heads/${head.branch}`, head.hash]);
    await keepTags(git, refs);
    await git(['repack', '-a', '-d', '-q']);
    await rm(alternates);
    await git(['read-tree', 'HEAD']);
    await git(['update-index', '-q', '--refresh']).catch(() => ''); // it fails when files differ from HEAD, which is fine
  }
  await rm(join(scratch, 'logs'), { recursive: true, force: true });
  await rm(old, { recursive: true });
  await rename(scratch, old);
};
