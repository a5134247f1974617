import { describe, expect, test } from 'vitest';
import { parseRule } from './parse.ts';
import type { RuleProblem } from './parse-problem.ts';

const problems = (json: unknown): RuleProblem[] => {
  const parsed = parseRule(json);
  return 'rule' in parsed ? [] : parsed.problems;
};

describe('what is wrong is told, and where', () => {
  test.each<[unknown, (string | number)[], string]>([
    ['never', [], 'must be a map'],
    [{}, [], 'is no rule'],
    [{ nevr: { action: 'read' } }, [], 'did you mean "never"?'],
    [{ never: { action: 'reed' } }, ['never', 'action'], 'did you mean "read"?'],
    [{ never: { acton: 'read' } }, ['never'], 'did you mean "action"?'],
    [{ never: { action: 'read', pth: 'a' } }, ['never', 'pth'], 'did you mean "path"?'],
    [{ never: { action: 'read', in: 'main thread' } }, ['never', 'in'], 'main, subagents or all'],
    [{ never: { command: 'git' }, must: {} }, ['must'], 'is no key of "never"'],
    [{ every: { command: 'git' } }, [], 'needs "must"'],
    [{ every: { say: 'any' }, must: { txt: 'a' } }, ['must', 'txt'], 'did you mean "text"?'],
    [
      { every: { say: 'any' }, must: { text: { langage: 'zh' } } },
      ['must', 'text', 'langage'],
      'did you mean "language"?',
    ],
    [{ every: { say: 'any' }, must: { text: { language: 'chinese' } } }, ['must', 'text', 'language'], 'language code'],
    [{ every: { say: 'any' }, must: { text: { regex: '(?=a)' } } }, ['must', 'text', 'regex'], 'no RE2 expression'],
    [{ every: { say: 'any' }, must: { calls: '>>3' } }, ['must', 'calls'], 'takes a number or a range'],
    [{ every: { say: 'any' }, must: {} }, ['must'], 'empty condition'],
    [{ every: { say: 'any' }, must: { within: 1, text: 'a' } }, ['must'], '"same" and "within" belong to'],
    [
      { every: { action: 'edit' }, must: { preceded_by: { action: 'read' }, same: ['rell'] } },
      ['must', 'same', 0],
      'did you mean "rel"?',
    ],
    [{ every: { action: 'edit' }, must: { preceded_by: { action: 'read' }, within: 0 } }, ['must', 'within'], 'from 1'],
    [{ count: { action: 'read' } }, [], '"count" needs "is"'],
    [{ count: { action: 'read' }, is: 'many' }, ['is'], 'takes a number or a range'],
    [{ and: [] }, ['and'], 'a list of rules'],
    [{ and: [{ never: { action: 'read' } }, { some: {} }] }, ['and', 1, 'some'], 'names no source'],
    [{ never: { action: 'read' }, some: { action: 'read' } }, [], 'mixes'],
    [{ never: { command: 'git', does: ['comit'] } }, ['never', 'does', 0], 'did you mean "commit"?'],
    [{ never: { action: 'read', ok: 'true' } }, ['never', 'ok'], 'true, false or null'],
    [{ never: { action: 'read', path: { each: 'a' } } }, ['never', 'path', 'each'], 'is for lists'],
    [{ never: { action: 'read', since: { after: 1 } } }, ['never', 'since'], 'an anchor is'],
    [
      { never: { action: 'read', while: { from: { action: 'plan' } } } },
      ['never', 'while', 'to'],
      'an event must be a map',
    ],
    [{ use: 'read_before_edits' }, ['use'], 'did you mean "read_before_edit"?'],
    [{ use: 'commit_message' }, ['regex'], ''],
    [{ use: 'commit_message', regex: '(' }, ['regex'], 'no RE2 expression'],
    [{ use: 'no_shell_for_files', alow: ['list'] }, ['alow'], 'did you mean "allow"?'],
    [{ use: 'ran' }, [], 'needs "does" or "name"'],
    [{ workspace: { fil: 'a' } }, ['workspace'], 'takes {file: glob'],
    [{ workspace: { run: 'a', exit_code: 0 } }, ['workspace', 'exit_code'], 'key of a run condition'],
    [{ judge: '' }, ['judge'], 'takes a question'],
  ])('%j', (json, path, message) => {
    expect(problems(json)).toContainEqual({ path, message: expect.stringContaining(message) });
  });

  test('all at once', () => {
    expect(
      problems({ and: [{ never: { action: 'reed' } }, { use: 'nothing' }, { some: { command: 'x', ok: 1 } }] }),
    ).toHaveLength(3);
  });

  test('a rule nested without end is refused, not a stack overflow', () => {
    let deep: unknown = { never: { action: 'read' } };
    for (let i = 0; i < 5000; i++) deep = { not: deep };
    expect(problems(deep)[0]?.message).toContain('too deep');
  });
});

describe('the whole grammar is read', () => {
  test.each<unknown>([
    { never: { action: 'any', in: 'all' } },
    { some: { one_of: [{ action: 'read' }, { command: ['cat', 'head'], does: 'read' }] } },
    {
      every: { todo: 'any' },
      must: { items: { each: { text: { chars: '<=80' }, status: { not: 'cancelled' } } } },
      share: '>=0.5',
    },
    { every: { call: 'Read' }, must: { input: { file_path: { absolute: true } } } },
    { every: { call: 'Read' }, must: { 'input.limit': '1..2000' } },
    { every: { action: 'read' }, must: { path: { under: 'src/*' } } },
    { every: { action: 'fetch' }, must: { url: { seen_in: ['query', 'output'] } } },
    { first: { action: 'any' }, must: { or: [{ kind: 'read' }, { not: { name: 'x' } }] } },
    { last: { say: { has: ['a', 'b'] } }, must: { text: { closes: 'question' } } },
    { count: { say: 'any', query: 1, turn: '2..' }, is: '1..4' },
    { never: { turn: 'any', calls: '>1', kinds: { size: '>1' } } },
    { never: { change: { not: ['src/**'] }, status: ['added', 'deleted'] } },
    { never: { think: { language: ['zh', 'ja'] }, since: { last: { given: 'skill' } }, until: { query: 2 } } },
    { never: { say: { emoji: true, except: ['⚠️'] } } },
    { never: { say: { regex: 'todo', flags: 'i' } } },
    { offered: ['TodoWrite', { regex: '^todo' }] },
    { workspace: { file: 'src/**/*.ts', exists: true, text: { has: 'async' }, lines: '<=400', only: ['src/a/*'] } },
    { workspace: { run: 'npm test', exit: 0, output: { regex: 'passed' } } },
    { or: [{ never: { action: 'write' } }, { judge: 'Was each justified?', facts: [{ action: 'write' }] }] },
  ])('%j', (json) => {
    expect(problems(json)).toEqual([]);
  });
});
