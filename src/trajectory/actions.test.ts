import { describe, expect, it } from 'vitest';
import {
  ask,
  assistant,
  type CallSketch,
  callsOf,
  MAIN_TOOLS,
  reply,
  result,
  tool,
  use,
  user,
} from '../../test/fixtures/trajectory/calls.ts';
import { otherDialect, testDialect } from '../../test/fixtures/trajectory/dialect.ts';
import type { Action } from '../scaffolds/dialect.ts';
import { type ActionOptions, withActions } from './actions.ts';
import { normalizeCalls } from './normalize.ts';
import type { Given, Trajectory } from './schema.ts';

const REMINDER = '<system-reminder>be brief</system-reminder>';
const normalized = (sketches: CallSketch[], workspace: string | null = '/w'): Trajectory => {
  const t = normalizeCalls(callsOf(sketches)).trajectories[0] as Trajectory;
  return { ...t, workspace };
};
/** One turn of calls, each with its result. */
const turn = (...calls: [name: string, input: object, result: string, error?: true][]): Trajectory => {
  const uses = calls.map(([name, input], i) => use(`c${i}`, name, input));
  const results = calls.map(([, , text, error], i) =>
    result(`c${i}`, text, error === undefined ? {} : { is_error: true }),
  );
  return normalized([
    { request: ask([user('Go')]), reply: reply(...uses) },
    { request: ask([user('Go'), assistant(...uses), user(...results)]), reply: reply('done') },
  ]);
};
const actions = (t: Trajectory, options: ActionOptions = {}): Action[] =>
  withActions(t, testDialect, [], options).threads[0]?.actions ?? [];

describe('withActions', () => {
  it('fills turn, parallel calls, paths, results; an unknown tool is other', () => {
    const found = actions(
      turn(['Read', { path: '/w/src/a.ts' }, `A\n\n${REMINDER}`], ['Nope', {}, 'x'], ['Boom', {}, 'x', true]),
    );
    expect(found.map((a) => [a.turn, a.toolCall, a.kind, a.parallel, a.rel, a.ok])).toEqual([
      [0, 'c0', 'read', 3, 'src/a.ts', true],
      [0, 'c1', 'other', 3, undefined, true],
      [0, 'c2', 'other', 3, undefined, false],
    ]);
    expect(found[0]?.result).toEqual([{ type: 'text', text: 'A' }]);
  });

  it('normalizes paths against the workspace', () => {
    const rel = (path: string): string | undefined => actions(turn(['Read', { path }, 'x']))[0]?.rel;
    expect(['a/../b.ts', '/w/b/', '/etc/hosts', '~/x', '/w2/x', './b.ts', '/w'].map(rel)).toEqual([
      'b.ts',
      'b',
      '/etc/hosts',
      '~/x',
      '/w2/x',
      'b.ts',
      '.',
    ]);
  });

  it('knows which files existed from the base, earlier actions, results and the shell', () => {
    const t = turn(
      ['Edit', { path: 'base.ts' }, 'ok'],
      ['Write', { path: 'new.ts', content: 'x' }, 'ok'],
      ['Edit', { path: 'new.ts' }, 'ok'],
      ['Read', { path: 'gone.ts' }, 'File does not exist', true],
      ['Write', { path: 'gone.ts', content: 'x' }, 'ok'],
      ['Bash', { command: 'echo hi > made.txt && rm base.ts' }, ''],
      ['Write', { path: 'made.txt', content: 'x' }, 'ok'],
      ['Write', { path: 'base.ts', content: 'x' }, 'ok'],
      ['Write', { path: '/etc/x', content: 'x' }, 'ok'],
    );
    const existed = (options: ActionOptions): unknown[] =>
      actions(t, options)
        .filter((a) => a.kind !== 'run')
        .map((a) => a.existed);
    expect(existed({ baseFiles: new Set(['base.ts']) })).toEqual([true, false, true, false, false, true, false, null]);
    expect(existed({})).toEqual([null, null, true, null, false, true, false, null]);
  });

  it('parses commands where they run; -F of a file the agent wrote has its message', () => {
    const found = actions(
      turn(
        ['Write', { path: 'msg.txt', content: 'fix: it\n' }, 'ok'],
        ['Bash', { command: 'cd src && git commit -F ../msg.txt' }, '1 file'],
      ),
    );
    expect(found[1]?.commands?.map((c) => [c.name, c.cwd, c.ok, c.commitTitle])).toEqual([
      ['cd', '/w', true, null],
      ['git', '/w/src', true, 'fix: it'],
    ]);
  });

  it('keeps the todo list over calls', () => {
    const lists = actions(turn(['Todo', { text: 'a' }, 'ok'], ['Todo', { text: 'b' }, 'ok'])).map((a) =>
      a.todos?.map((todo) => todo.text),
    );
    expect(lists).toEqual([['a'], ['a', 'b']]);
  });

  it('a call without a result has none, and its outcome is not known', () => {
    const t = normalized([{ request: ask([user('Go')]), reply: reply(use('c', 'Read', { path: 'a' })) }]);
    expect(actions(t)[0]).toMatchObject({ ok: null, result: null });
  });

  it('detects the dialect by its tools, and says so when none fits', () => {
    const t = normalized([{ request: ask([user('Go')]), reply: reply('x') }]);
    expect(withActions(t, 'detect', [otherDialect, testDialect]).dialect).toEqual({
      id: 'test-dialect',
      how: 'detected',
    });
    expect(withActions(t, 'other-dialect', [otherDialect, testDialect]).dialect).toEqual({
      id: 'other-dialect',
      how: 'declared',
    });
    const none = withActions(t, 'detect', [otherDialect]);
    expect([none.dialect, none.problems.at(-1)?.kind]).toEqual([null, 'no_dialect']);
  });

  it('finds the workspace where a scaffold tells it, and changes nothing of what it was given', () => {
    const t = normalized(
      [{ request: ask([user('Go')], { system: '<env>\nWorking directory: /work/app\n</env>' }), reply: reply('x') }],
      null,
    );
    const before = JSON.stringify(t);
    expect(withActions(t, testDialect).workspace).toBe('/work/app');
    expect(JSON.stringify(t)).toBe(before);
  });
});

describe('given', () => {
  const given = (t: Trajectory): Given[] => withActions(t, testDialect).threads[0]?.given ?? [];

  it('labels what stands in system, tools, messages and results, with the turns that had it', () => {
    const use1 = use('c', 'Read', { path: 'a' });
    const t = normalized([
      { request: ask([user(REMINDER, 'Go')]), reply: reply(use1) },
      {
        request: ask([user(REMINDER, 'Go'), assistant(use1), user(result('c', `A ${REMINDER}`))], {
          tools: [...MAIN_TOOLS, tool('New')],
        }),
        reply: reply('x'),
      },
    ]);
    expect(given(t).map((g) => [g.label, g.message, g.turn, g.until, g.text])).toEqual([
      ['system_prompt', 'system', 0, 1, 'MAIN'],
      ['tool_schema', 'tools', 0, 1, 'Does Task.'],
      ['tool_schema', 'tools', 0, 1, 'Does Read.'],
      ['tool_schema', 'tools', 0, 1, 'Does Bash.'],
      ['tool_schema', 'tools', 1, 1, 'Does Task.'],
      ['tool_schema', 'tools', 1, 1, 'Does Read.'],
      ['tool_schema', 'tools', 1, 1, 'Does Bash.'],
      ['tool_schema', 'tools', 1, 1, 'Does New.'],
      ['system_reminder', 0, 0, 1, REMINDER],
      ['query', 0, 0, 1, 'Go'],
      ['system_reminder', 2, 1, 1, REMINDER],
    ]);
  });

  it('a compaction takes away what the new history does not repeat', () => {
    const t = normalized([
      { request: ask([user(REMINDER, 'Go')]), reply: reply('one') },
      {
        request: ask([user(REMINDER, 'Go'), assistant('one'), user('summarize')], { tools: [] }),
        reply: reply('It was about going.'),
      },
      { request: ask([user('Summary of before: It was about going.')]), reply: reply('two') },
    ]);
    const until = new Map(given(t).map((g) => [g.text, g.until]));
    expect([
      until.get(REMINDER),
      until.get('Go'),
      until.get('MAIN'),
      until.get('Summary of before: It was about going.'),
    ]).toEqual([0, 0, 1, 1]);
  });
});
