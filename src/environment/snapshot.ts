import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { mkdir, open, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { BenchError } from '../core/errors.ts';
import { printable } from '../core/text.ts';
import { exec } from '../host/exec.ts';
import { bytePath, pathBytes, shownPath, type TreeEntry, walkTree } from './tree.ts';

/** Limits of a snapshot: what is beyond them is left out of the patch and named in it. */
export interface SnapshotLimits {
  /** Files in one dependency folder. */
  dependencyFiles: number;
  /** Bytes of one file. */
  fileBytes: number;
  /** Files, folders and links in all. */
  entries: number;
  /** Bytes of all new and changed files together. */
  totalBytes: number;
}

const SNAPSHOT_LIMITS: SnapshotLimits = {
  dependencyFiles: 1000,
  entries: 200_000,
  fileBytes: 20 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
};

/** What was there: byte path -> what tells a changed file from an unchanged one (its inode's change time cannot be set by its owner). */
interface Snapshot {
  files: Map<string, string>;
  /** Byte path -> why it is left out. */
  left: Map<string, string>;
  /** False when there was more than the limit: what is missing from `files` may then still be there. */
  whole: boolean;
}

const DEPENDENCIES = /(^|\/)(node_modules|\.venv|venv|__pycache__|\.tox|target|\.gradle|\.cache)$/;
const GIT = /(^|\/)\.git$/;

/** The first folder above `rel` (or `rel` itself) that is a key of `folders`. */
const coveredBy = (rel: string, folders: { has(key: string): boolean }): string | undefined => {
  for (let end = rel.indexOf('/'); end >= 0; end = rel.indexOf('/', end + 1)) {
    const folder = rel.slice(0, end);
    if (folders.has(folder)) return folder;
  }
  return folders.has(rel) ? rel : undefined;
};

const stamp = ({ stat }: TreeEntry): string => `${stat.mode}:${stat.size}:${stat.ctimeNs}:${stat.ino}`;

/** The names of files and links that count, in the order of the walk. */
const takeSnapshot = async (root: string, limits: SnapshotLimits): Promise<Snapshot> => {
  const files = new Map<string, string>();
  const left = new Map<string, string>();
  const within = new Map<string, string[]>();
  let seen = 0;
  for await (const entry of walkTree(root, (rel) => !GIT.test(rel) && !left.has(rel))) {
    const { rel, stat } = entry;
    if (++seen > limits.entries) {
      left.set('.', `what comes after the first ${limits.entries} files and folders`);
      break;
    }
    const folder = coveredBy(rel, within);
    if (folder !== undefined && left.has(folder)) continue;
    if (GIT.test(rel)) {
      if (rel !== '.git') left.set(rel, 'a nested repository');
    } else if (stat.isDirectory()) {
      if (folder === undefined && DEPENDENCIES.test(rel)) within.set(rel, []);
    } else if (stat.isSymbolicLink() || (stat.isFile() && stat.size <= BigInt(limits.fileBytes))) {
      files.set(rel, stamp(entry));
      if (folder !== undefined) {
        const members = within.get(folder) ?? [];
        members.push(rel);
        if (members.length > limits.dependencyFiles) {
          for (const member of members) files.delete(member);
          left.set(folder, `a dependency folder of more than ${limits.dependencyFiles} files`);
        }
      }
    } else if (stat.isFile()) left.set(rel, `a file of ${stat.size} bytes`);
    else left.set(rel, 'neither file, folder nor link');
  }
  return { files, left, whole: seen <= limits.entries };
};

/** Git that sees nothing but the shadow repository: no configuration, attributes, hooks or filters of anyone. */
const environment = (shadow: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: shadow,
  LC_ALL: 'C',
  GIT_DIR: shadow,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
});
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.attributesFile=/dev/null', '-c', 'core.fsmonitor=false'];

const git = async (shadow: string, args: readonly string[]): Promise<void> => {
  const done = await exec('git', [...SAFE, ...args], { cwd: shadow, env: environment(shadow) });
  if (done.code !== 0) {
    throw new BenchError('failed', 'environment', `git ${args[0]} failed: ${done.failure ?? done.stderr.trim()}`);
  }
};

/** What makes a folder a bare repository (gitrepository-layout); a process less for every attempt. */
const makeBare = async (shadow: string): Promise<void> => {
  await Promise.all(['objects', 'refs'].map((name) => mkdir(join(shadow, name))));
  await writeFile(join(shadow, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
  await writeFile(join(shadow, 'HEAD'), 'ref: refs/heads/start\n');
};

/** A byte path for `git fast-import`. */
const quoted = (rel: string): Buffer => pathBytes(`"${rel.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`);

const readRegular = async (path: Buffer): Promise<{ mode: string; content: Uint8Array } | null> => {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) return null;
      return { mode: (stat.mode & 0o100) === 0 ? '100644' : '100755', content: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code !== 'ELOOP') return null;
    return { mode: '120000', content: await readlink(path, { encoding: 'buffer' }) };
  }
};

const put = async (to: Writable, data: string | Uint8Array): Promise<void> => {
  if (!to.write(data)) await once(to, 'drain');
};

/** Feeds one commit to `git fast-import`: the files of `changed` with their content, the removal of `gone`. */
const commit = async (
  root: string,
  shadow: string,
  what: { ref: string; from: string | null; changed: Iterable<string>; gone: Iterable<string> },
): Promise<void> => {
  const child = spawn('git', [...SAFE, 'fast-import', '--quiet', '--done', '--force', '--depth=0'], {
    cwd: shadow,
    env: environment(shadow),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Uint8Array) => {
    errors = (errors + Buffer.from(chunk).toString('utf8')).slice(-2000);
  });
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const died = closed.then(() => {
    child.stdin.destroy();
  });
  const feed = async (): Promise<void> => {
    await put(child.stdin, `commit ${what.ref}\ncommitter octobench <octobench> 0 +0000\ndata 0\n`);
    if (what.from !== null) await put(child.stdin, `from ${what.from}^0\n`);
    for (const rel of what.gone)
      await put(child.stdin, Buffer.concat([Buffer.from('D '), quoted(rel), Buffer.from('\n')]));
    for (const rel of what.changed) {
      const file = await readRegular(pathBytes(`${bytePath(root)}/${rel}`));
      if (file === null) continue;
      await put(child.stdin, Buffer.concat([Buffer.from(`M ${file.mode} inline `), quoted(rel), Buffer.from('\n')]));
      await put(child.stdin, `data ${file.content.length}\n`);
      await put(child.stdin, file.content);
      await put(child.stdin, '\n');
    }
    child.stdin.end('\ndone\n');
  };
  await Promise.race([feed(), died]);
  const [code] = await closed;
  if (code !== 0) throw new BenchError('failed', 'environment', `git fast-import failed: ${errors.trim()}`);
};

/** The state of a workspace at one moment, kept in a repository outside of it, and what has changed since. */
export interface Baseline {
  /** The change since then as a git patch; see `Sandbox.patch`. Must be taken while nothing writes to the workspace. */
  patch(): Promise<Uint8Array>;
}

/** At most this many things are named, the rest is counted: an agent could make any number of them. */
const NAMED = 200;

const header = (left: ReadonlyMap<string, string>): Buffer => {
  const lines = [...left]
    .slice(0, NAMED)
    .map(([rel, why]) => `# octobench left out ${JSON.stringify(printable(shownPath(rel)))}: ${why}\n`);
  if (left.size > NAMED) lines.push(`# octobench left out ${left.size - NAMED} more\n`);
  return Buffer.from(lines.join(''));
};

/**
 * Remembers the files of `root` in the bare repository `shadow`. Git never looks at the workspace: files are read here, links are
 * taken as links, and their bytes are handed over as they are, so nothing that stands in the workspace (`.git`, attributes, filters,
 * ignore rules, nested repositories) has a say.
 */
export const takeBaseline = async (
  root: string,
  shadow: string,
  limits: SnapshotLimits = SNAPSHOT_LIMITS,
): Promise<Baseline> => {
  await makeBare(shadow);
  const before = await takeSnapshot(root, limits);
  await commit(root, shadow, { ref: 'refs/heads/start', from: null, changed: before.files.keys(), gone: [] });
  return {
    async patch() {
      const after = await takeSnapshot(root, limits);
      const left = new Map([...before.left, ...after.left]);
      const isLeft = (rel: string): boolean => coveredBy(rel, left) !== undefined;
      const changed: string[] = [];
      let total = 0;
      for (const [rel, was] of after.files) {
        if (before.files.get(rel) === was || isLeft(rel)) continue;
        const size = Number(was.split(':')[1]);
        if (total + size > limits.totalBytes) {
          left.set(rel, `more than ${limits.totalBytes} bytes have changed`);
          continue;
        }
        total += size;
        changed.push(rel);
      }
      const missing = [...before.files.keys()].filter((rel) => !after.files.has(rel) && !isLeft(rel));
      const gone = after.whole ? missing : [];
      await commit(root, shadow, { ref: 'refs/heads/end', from: 'refs/heads/start', changed, gone });
      const output = join(shadow, 'patch');
      await git(shadow, [
        ...['diff-tree', '-r', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv'],
        ...['--no-color', '--src-prefix=a/', '--dst-prefix=b/', `--output=${output}`],
        ...['refs/heads/start', 'refs/heads/end'],
      ]);
      return Buffer.concat([header(left), await readFile(output)]);
    },
  };
};
