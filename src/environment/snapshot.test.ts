import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exec } from '../host/exec.ts';
import { leftOut, readPatch } from './parse-patch.ts';
import { takeBaseline } from './snapshot.ts';

let folder: string;
let workspace: string;
let shadow: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ob-snap-'));
  workspace = join(folder, 'w');
  shadow = join(folder, 's');
  await mkdir(workspace);
  await mkdir(shadow);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const limits = { dependencyFiles: 3, fileBytes: 1000, totalBytes: 1500, entries: 1000 };
const put = async (rel: string, content: string | Uint8Array): Promise<void> => {
  await mkdir(join(workspace, rel, '..'), { recursive: true });
  await writeFile(join(workspace, rel), content);
};
const changes = (patch: Uint8Array): string[] => readPatch(patch).map((f) => `${f.status} ${f.rel}`);

describe('the change of a workspace', () => {
  it('gives the workspace again when it is applied to the start', async () => {
    await put('a.txt', 'one\ntwo\n');
    await put('bin', Buffer.from([0, 255, 1]));
    await put('dir/file', 'x');
    await symlink('a.txt', join(workspace, 'link'));
    await exec('cp', ['-a', workspace, join(folder, 'copy')]);
    const baseline = await takeBaseline(workspace, shadow);
    expect((await baseline.patch()).length).toBe(0);
    await put('a.txt', 'one\r\nzwei \n\ufeff');
    await put('bin', Buffer.from([0, 254, 1]));
    await rm(join(workspace, 'dir'), { recursive: true });
    await put('dir', 'now a file');
    await unlink(join(workspace, 'link'));
    await put('link/deep/new "quoted"\n name', 'no newline');
    await writeFile(Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0xff, 0x20, 0x5c])]), 'odd name');
    const patch = await baseline.patch();
    await writeFile(join(folder, 'patch'), patch);
    const applied = await exec('git', ['apply', '--whitespace=nowarn', '../patch'], { cwd: join(folder, 'copy') });
    expect(applied.stderr).toBe('');
    expect((await exec('diff', ['-r', '--no-dereference', join(folder, 'copy'), workspace])).stdout).toBe('');
  });

  it('leaves out large dependency folders, huge files and a flood, and names them', async () => {
    await put('.cache/old', 'x');
    const baseline = await takeBaseline(workspace, shadow, limits);
    for (let i = 0; i < 4; i++) await put(`pkg/node_modules/${i}/index.js`, 'x');
    await put('node_modules/few/index.js', 'x');
    await put('huge', 'x'.repeat(1001));
    for (const name of ['f1', 'f2', 'f3']) await put(name, 'x'.repeat(700));
    await rm(join(workspace, '.cache'), { recursive: true });
    const patch = await baseline.patch();
    expect(changes(patch)).toEqual(['deleted .cache/old', 'added f1', 'added f2', 'added node_modules/few/index.js']);
    expect(leftOut(patch).map((l) => l.split(':')[0])).toEqual(['"huge"', '"pkg/node_modules"', '"f3"']);
  });

  it('takes nothing for deleted when it could not look at everything', async () => {
    await put('zzz', 'x');
    const baseline = await takeBaseline(workspace, shadow, { ...limits, entries: 5 });
    for (let i = 0; i < 10; i++) await put(`a${i}`, 'x');
    const patch = await baseline.patch();
    expect(changes(patch)).toEqual(['added a0', 'added a1', 'added a2', 'added a3', 'added a4']);
    expect(leftOut(patch)).toEqual(['".": what comes after the first 5 files and folders']);
  });

  it('follows no link that took the place of the workspace', async () => {
    await put('file', 'x');
    const baseline = await takeBaseline(workspace, shadow);
    await rename(workspace, `${workspace}.away`);
    await mkdir(join(folder, 'host'));
    await writeFile(join(folder, 'host/canary'), 'secret');
    await symlink(join(folder, 'host'), workspace);
    expect(changes(await baseline.patch())).toEqual(['deleted file']);
  });
});
