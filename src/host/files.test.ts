import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readText, writeAtomic, writeJson } from './files.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octobench-files-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('a file is written whole, folders are made, nothing else is left', async () => {
  const path = join(dir, 'a', 'b.json');
  await writeJson(path, { x: 1 });
  await writeJson(path, { x: 2 });
  expect(await readText(path)).toBe('{\n "x": 2\n}\n');
  expect(await readdir(join(dir, 'a'))).toEqual(['b.json']);
});

test('a write that fails leaves what was there, and nothing beside it', async () => {
  const path = join(dir, 'kept');
  await writeAtomic(path, 'old');
  await expect(writeAtomic(path, { length: 1 } as unknown as string)).rejects.toThrow();
  expect(await readText(path)).toBe('old');
  expect((await readdir(dir)).filter((n) => n.endsWith('.part'))).toEqual([]);
});

test('a file that is not there is null', async () => {
  expect(await readText(join(dir, 'none'))).toBeNull();
});
