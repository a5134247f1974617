import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conditional } from './conditional.ts';
import { loadDataset } from './load.ts';
import { summarize, summaryText } from './summary.ts';
import { toRow, writeRows } from './write-rows.ts';

const PUBLISHED = new URL('../../test/fixtures/dataset/published.jsonl', import.meta.url).pathname;
const RELEASE = new URL('../../../shared/data/octocodingbench-72.jsonl', import.meta.url).pathname;

test('counts of a small dataset', async () => {
  expect(summarize(await loadDataset(PUBLISHED))).toMatchObject({
    instances: 3,
    checks: 4,
    primaryCategories: 3,
    environments: 1,
    withoutVersion: 1,
    multiTurn: 0,
    byCategory: { SP: 2, Memory: 1, other: 1 },
    other: { testing: 1 },
    byRawCategory: { SP: 2, 'Memory bank (project-specific rules)': 1, testing: 1 },
    conditional: { worded: 1, tool: 0, wordedShare: 0.25 },
    checksPerInstance: { min: 1, max: 2 },
  });
});

test('figures without data are null', () => {
  const summary = summarize({ instances: [] });
  expect(summary.checksPerInstance).toBeNull();
  expect(summary.conditional.share).toBeNull();
  expect(summaryText(summary)).not.toMatch(/NaN|undefined|Infinity/);
});

test('names of a dataset cannot write to the terminal', async () => {
  const { instances } = await loadDataset(PUBLISHED);
  const hostile = instances.map((i) => ({ ...i, environment: '\u001b[2Jx' }));
  expect(summaryText(summarize({ instances: hostile }))).not.toContain('\u001b');
});

test('conditions are told by their wording', () => {
  expect(conditional('Check whether the assistant asked, if the request was unclear.')).toBe('worded');
  expect(conditional('检查 assistant 如果修改了接口，是否更新文档')).toBe('worded');
  expect(conditional('当用户询问价格时，检查 assistant 是否给出来源')).toBe('worded');
  expect(conditional('检查 assistant 在使用 Edit 修改文件前是否先使用 Read')).toBe('tool');
  expect(conditional('Check whether every tool call had valid arguments.')).toBe('tool');
  expect(conditional('Check whether the assistant answered in German.')).toBeNull();
});

// The release is not part of the project; where it lies beside it, its known figures are checked.
test.skipIf(!existsSync(RELEASE))('the release of 72 instances (needs ../shared)', async () => {
  const dataset = await loadDataset(RELEASE);
  expect(dataset.problems.filter((p) => p.severity === 'error')).toEqual([]);
  const summary = summarize(dataset);
  expect(summary).toMatchObject({
    instances: 72,
    checks: 2422,
    primaryCategories: 6,
    environments: 34,
    withoutVersion: 13,
    multiTurn: 1,
    withSystemPrompt: 11,
    byPrimaryCategory: { Skill: 17, 'Claude.md': 15, 'AGENTS.md': 13, Memory: 12, SP: 11, 'User Query': 4 },
    byCategory: { SP: 795, Memory: 48, other: 18 },
    other: { testing: 18 },
  });
  expect(dataset.problems.filter((p) => p.kind === 'no_version')).toHaveLength(13);
  expect(dataset.problems.filter((p) => p.kind.startsWith('skill_'))).toEqual([]);
  expect(summary.conditional.wordedShare).toBeGreaterThan(0.17);
  expect(summary.conditional.wordedShare).toBeLessThan(0.25);
  expect(summary.conditional.share).toBeGreaterThan(0.33);
  expect(summary.conditional.share).toBeLessThan(0.45);
});

test.skipIf(!existsSync(RELEASE))(
  'rows of the release come back as they were published (needs ../shared)',
  async () => {
    const { readFile } = await import('node:fs/promises');
    const { instances } = await loadDataset(RELEASE);
    const lines = (await readFile(RELEASE, 'utf8')).split('\n').filter((l) => l.trim() !== '');
    const sort = (row: unknown): unknown => JSON.parse(JSON.stringify(row));
    expect(instances.map((i) => sort(toRow(i)))).toEqual(lines.map((l) => JSON.parse(l) as unknown));
    expect(writeRows(instances).split('\n')).toHaveLength(73);
  },
);
