import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  acquireFolder,
  isRunning,
  killMarked,
  markOf,
  readOwner,
  removeTree,
  sandboxesFolder,
  self,
  sweepFolders,
} from './lifecycle.ts';
import { descendants, marked } from './processes.ts';
import { diskUse, walkTree } from './tree.ts';

const before = process.env.TMPDIR;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join('/tmp', 'ob-life-'));
  process.env.TMPDIR = folder;
});
afterEach(() => rm(folder, { recursive: true, force: true }));
afterAll(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
});

describe('owners', () => {
  it('run when they are this process, and not when they have ended or their number was given away', async () => {
    const me = await self();
    expect(await isRunning(me)).toBe(true);
    expect(await isRunning({ ...me, ticks: '1' })).toBe(false);
    expect(await isRunning({ ...me, pid: 4_194_300 })).toBe(false);
    expect(await isRunning({ host: 'elsewhere', pid: 4_194_300, ticks: '1' })).toBe(true);
  });

  it('are read from text that may be anything', async () => {
    const me = await self();
    expect(readOwner(JSON.stringify(me))).toEqual(me);
    for (const text of [null, '', '{', '[]', '{"pid":"1"}']) expect(readOwner(text)).toBeNull();
  });
});

describe('folders of sandboxes', () => {
  it('are swept when their octobench is gone, with their processes; those of a living one stay', async () => {
    const mine = await acquireFolder('mine', 'local');
    const dead = await acquireFolder('dead', 'local');
    await writeFile(
      join(dead.root, 'owner.json'),
      JSON.stringify({ host: hostname(), pid: 4_194_300, ticks: '1', id: 'dead' }),
    );
    await mkdir(join(sandboxesFolder(), 'not-ours'));
    const { name, value } = markOf('dead');
    const daemon = spawn('sleep', ['60'], { env: { [name]: value }, detached: true, stdio: 'ignore' });
    const ended = new Promise((resolve) => daemon.once('exit', (_, signal) => resolve(signal)));
    expect(await sweepFolders()).toEqual(['dead']);
    expect(await ended).toBe('SIGKILL');
    expect((await readdir(sandboxesFolder())).sort()).toEqual(['mine', 'not-ours']);
    await removeTree(mine.root);
  });

  it('are refused twice and private', async () => {
    const first = await acquireFolder('same', 'local');
    await expect(acquireFolder('same', 'local')).rejects.toThrow(/EEXIST/);
    expect((await stat(first.shadow)).mode & 0o777).toBe(0o700);
    expect((await stat(first.root)).mode & 0o777).toBe(0o711);
  });

  it('are removed even when locked, and links in them are not followed', async () => {
    const { root, workspace } = await acquireFolder(randomUUID(), 'local');
    const outside = join(folder, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'keep'), '');
    await mkdir(join(workspace, 'a/b'), { recursive: true });
    await symlink(outside, join(workspace, 'a/link'));
    await chmod(join(workspace, 'a/b'), 0);
    await chmod(join(workspace, 'a'), 0o500);
    await removeTree(root);
    expect(await readdir(outside)).toEqual(['keep']);
    await expect(stat(root)).rejects.toThrow();
  });
});

describe('processes', () => {
  it('are found by their mark, wherever they hang in the tree', async () => {
    const id = randomUUID();
    const { name, value } = markOf(id);
    spawn('sh', ['-c', 'setsid sleep 60 & exec sleep 60'], {
      env: { PATH: '/usr/bin:/bin', [name]: value },
      stdio: 'ignore',
    });
    while ((await marked(`${name}=${value}`)).length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await marked(`${name}=${value.slice(1)}`)).toEqual([]);
    await killMarked(id);
    expect(await marked(`${name}=${value}`)).toEqual([]);
  });

  it('have descendants, children of children included', () => {
    const row = (pid: number, parent: number) => ({ pid, parent, rss: 1 });
    const table = [row(1, 0), row(2, 1), row(3, 2), row(4, 3), row(5, 1)];
    expect(descendants(table, 2).map((r) => r.pid)).toEqual([3, 4]);
  });
});

describe('trees', () => {
  it('are walked in byte order, names of any bytes included, links not followed', async () => {
    const root = join(folder, 'tree');
    await mkdir(join(root, 'b'), { recursive: true });
    await writeFile(Buffer.concat([Buffer.from(`${root}/b/`), Buffer.from([0xff, 0x0a, 0x41])]), 'x');
    await writeFile(join(root, 'é'), 'x'.repeat(10_000));
    await symlink('/', join(root, 'a'));
    const found: string[] = [];
    for await (const { rel } of walkTree(root)) found.push(rel);
    expect(found).toEqual(['a', 'b', 'Ã©', 'b/\u00ff\nA']);
    expect(await diskUse([root])).toBeGreaterThanOrEqual(10_000);
    expect(tmpdir()).toBe(folder);
  });
});
