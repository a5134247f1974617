import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseScript } from '../recording/script.ts';
import { newEnvironment, newInstance } from './benchmark-new.ts';
import { benchmarkStats } from './benchmark-stats.ts';
import { validateDataset } from './validate.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'octobench-new-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('skeletons can be used as they are, and validate says what is to be filled in', async () => {
  await newEnvironment(folder, 'tide-board');
  const files = await newInstance(folder, 'tide-board-first', 'tide-board');
  const report = await validateDataset(folder, { runnable: false });
  expect(report.errors).toBe(0);
  expect(report.text).toContain('tide-board: its description still says "FILL IN"');
  expect(report.text).toContain('tide-board-first: its query still says "FILL IN"');
  const scripts = files.filter((f) => f.includes('/scripts/'));
  expect(scripts).toHaveLength(2);
  for (const file of scripts) expect(parseScript(await readFile(file, 'utf8'), file).queries).toHaveLength(1);
});

test('a name that is taken, that is none, or an environment that is not there is refused', async () => {
  await newEnvironment(folder, 'tide-board');
  await expect(newEnvironment(folder, 'tide-board')).rejects.toThrow(/is there already/);
  await expect(newEnvironment(folder, '../out')).rejects.toThrow(/is no id/);
  await expect(newInstance(folder, 'first', 'tide-bord')).rejects.toThrow(/did you mean "tide-board"/);
});

test('figures count the conflict-free instances, and a sample has what its sources say', async () => {
  const benchmark = new URL('../../benchmark', import.meta.url).pathname;
  const { json, text } = await benchmarkStats(benchmark, { sample: 30, seed: 'a' });
  const stats = json as {
    overall: Record<string, number>;
    sources: { count: number }[];
    types: { count: number }[];
    verifiable: number;
    wordings: number;
    sample: { checks: { source: string; text: string | null }[] };
  };
  const checks = stats.overall.checks ?? 0;
  expect(stats.sources.reduce((n, row) => n + row.count, 0)).toBe(checks);
  expect(stats.types.reduce((n, row) => n + row.count, 0)).toBe(checks);
  expect(stats.wordings).toBeLessThan(checks);
  expect(stats.verifiable).toBeGreaterThan(2 / 3);
  expect(stats.overall.conflicts).toBeGreaterThan(0);
  expect(stats.sample.checks).toHaveLength(30);
  const ofFiles = stats.sample.checks.filter((c) => /^\S+\.md:\d+$/.test(c.source));
  expect(ofFiles.length).toBeGreaterThan(0);
  for (const check of ofFiles) expect(check.text, check.source).toMatch(/\S/);
  expect(text).toContain('Types of the checks (Table 8)');
});
