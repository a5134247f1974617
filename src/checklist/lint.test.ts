import { expect, test } from 'vitest';
import { loadDataset } from '../dataset/load.ts';
import type { Instance } from '../dataset/schema.ts';
import { lintBenchmark, lintEnvironment, lintInstance } from './lint.ts';
import type { Check, RuleSource } from './schema.ts';
import { wordingFindings } from './wording.ts';

const BENCHMARK = new URL('../../benchmark', import.meta.url).pathname;

const kinds = (description: string): string[] => wordingFindings(description).map((f) => f.kind);

test('wording that leaves the answer open, or is of one run', () => {
  expect(kinds('Check whether the assistant read the page before it changed the code.')).toEqual([]);
  expect(kinds('The assistant should handle errors appropriately in the new code.')).toEqual(['vague', 'wording']);
  expect(kinds('Check whether the assistant fixed the failure of call toolu_01AbC in turn 3.')).toEqual([
    'run_specific',
  ]);
  expect(kinds('Check whether the assistant wrote to anna@example.com about it.')).toEqual(['mail']);
  expect(kinds('Check whether the assistant behaved as Claude Opus does in general.')).toEqual(['model_name']);
  expect(kinds('Check whether the assistant kept the rules of CLAUDE.md and of Claude Code.')).toEqual([]);
  expect(kinds('Check whether the assistant used sk-abcdefghijklmnop1234 for the call.')).toEqual(['key']);
  expect(kinds('Check whether the assistant called nobody an idiot in its answer.')).toEqual(['offensive']);
  expect(kinds('Check whether the assistant passed.')).toEqual(['length']);
});

const instance = async (change: (checks: Check[]) => Check[]): Promise<Instance> => {
  const found = (await loadDataset(BENCHMARK)).instances.find((i) => i.id === 'parcel-rates-fuel-on-base');
  if (found === undefined) throw new Error('the benchmark lost an instance');
  const categories = found.checklist.categories.map((c) =>
    c.category === 'SP' ? { ...c, checks: change(c.checks) } : c,
  );
  return { ...found, checklist: { categories } };
};

const lintOf = async (check: Partial<Check>): Promise<string[]> => {
  const one = await instance(([first, ...rest]) => (first === undefined ? [] : [{ ...first, ...check }, ...rest]));
  return lintInstance(one).map((p) => p.kind);
};
const rule = (json: unknown): RuleSource => ({ json, at: { file: 'x.yaml', line: 3 } });

test('ids say their category and a behaviour', async () => {
  expect(await lintOf({})).toEqual([]);
  expect(await lintOf({ id: 'UserQuery_todo_used' })).toEqual(['lint_check_id']);
  expect(await lintOf({ id: 'SP' })).toEqual(['lint_check_id']);
  expect(await lintOf({ id: 'SP_TodoUsed' })).toEqual(['lint_check_id']);
});

test('a rule whose verb is not the description’s', async () => {
  const says = (description: string, json: unknown): Promise<string[]> => lintOf({ description, verify: rule(json) });
  const says7 = 'Check whether the assistant';
  expect(await says(`${says7} planned the task with the todo tool.`, { never: { todo: 'any' } })).toEqual([
    'lint_verb',
  ]);
  expect(await says(`${says7} never called the network from the shell.`, { some: { command: 'curl' } })).toEqual([
    'lint_verb',
  ]);
  expect(await says(`${says7} ran the generator if it changed the table.`, { some: { command: 'node' } })).toEqual([
    'lint_condition',
  ]);
  expect(
    await says(`${says7} never edited a generated file by hand.`, { never: { action: 'edit', ok: true, in: 'main' } }),
  ).toEqual(['lint_ok_true', 'lint_in_main']);
  expect(
    await says(`${says7} answered in the language of the user.`, {
      last: { say: 'any' },
      must: { text: { language: 'de' } },
    }),
  ).toEqual(['lint_language']);
});

test('findings carry the place of the rule', async () => {
  const one = await instance(([first, ...rest]) =>
    first === undefined ? [] : [{ ...first, id: 'x', verify: { json: {}, at: { file: 'x.yaml', line: 3 } } }, ...rest],
  );
  expect(lintInstance(one)[0]).toMatchObject({
    file: 'x.yaml',
    line: 3,
    field: 'parcel-rates-fuel-on-base.x',
    severity: 'warning',
  });
});

test('an instance without enough checks, checks at home, rules or a solved command', async () => {
  const found = await instance((checks) => checks);
  const few = { ...found, solved: null, checklist: { categories: found.checklist.categories.slice(0, 1) } };
  const bare = few.checklist.categories.map((c) => ({ ...c, checks: c.checks.map(({ verify: _, ...rest }) => rest) }));
  expect(lintInstance({ ...few, checklist: { categories: bare } }).map((p) => p.kind)).toEqual([
    'lint_size',
    'lint_home',
    'lint_verified',
    'lint_solved',
  ]);
});

test('environments need a licence that allows passing them on', async () => {
  const [environment] = (await loadDataset(BENCHMARK)).environments;
  if (environment === undefined) throw new Error('the benchmark lost its environments');
  expect(lintEnvironment(environment)).toEqual([]);
  expect(lintEnvironment({ ...environment, licence: 'unknown' })).toHaveLength(1);
});

test('the benchmark itself is clean', async () => {
  const dataset = await loadDataset(BENCHMARK);
  expect(dataset.problems).toEqual([]);
  expect(lintBenchmark(dataset)).toEqual([]);
});
