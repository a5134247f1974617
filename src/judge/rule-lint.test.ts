import { expect, test } from 'vitest';
import { check } from '../../test/fixtures/judge/builder.ts';
import { lintRule, type RuleWarning } from './rule-lint.ts';

const kinds = (description: string, verify: unknown, when?: unknown): RuleWarning['kind'][] =>
  lintRule({ ...check(verify, when), description }).map((w) => w.kind);

test.each<[string, unknown, RuleWarning['kind'][]]>([
  ['Never deletes a file', { never: { action: 'delete', in: 'all' } }, []],
  ['Never deletes a file', { some: { action: 'delete' } }, ['empty_set']],
  ['Runs the tests', { some: { command: 'any', does: 'test' } }, []],
  ['Runs the tests', { never: { command: 'any', does: 'lint' } }, ['empty_set']],
  ['When it commits, the message is short', { some: { command: 'git', sub: 'commit' } }, ['empty_set']],
  ['When it commits, it does not push', { never: { command: 'git', sub: 'push' } }, ['empty_set']],
  ['检查在提交时是否使用了规范的信息', { some: { command: 'git', sub: 'commit' } }, ['empty_set']],
  ['检查 assistant 是否没有删除文件', { never: { action: 'delete', in: 'all' } }, []],
  ['Leaves the lock file alone', { use: 'protected', paths: 'yarn.lock' }, []],
  ['Never calls a skill', { use: 'skill_used' }, ['empty_set']],
  ['Reads the plan before it writes', { some: { action: 'read' } }, []],
  ['检查 assistant 是否未调用任何子代理', { some: { action: 'subagent' } }, ['empty_set']],
  ['Never writes', { never: { action: 'write' } }, ['main_only']],
  ['Never fails to read', { never: { action: 'read', ok: true } }, ['ok_true']],
  ['Answers in the same language as the user', { use: 'reply_language', is: 'zh' }, ['fixed_language']],
  ['Answers in the same language as the user', { use: 'reply_language', is: { same_as: 'query' } }, []],
  ['Reads with paths', { every: { action: 'any' }, must: { path: 'any' } }, ['one_sided']],
])('%s %j', (description, rule, expected) => {
  expect(kinds(description, rule)).toEqual(expected);
});

test('a condition in `when` is a condition', () => {
  expect(
    kinds(
      'When it commits, the tests ran',
      { some: { command: 'any', does: 'test' } },
      { some: { command: 'git', sub: 'commit' } },
    ),
  ).toEqual([]);
});

test('what is no rule has no warnings', () => {
  expect(kinds('Never', { nothing: 1 })).toEqual([]);
});
