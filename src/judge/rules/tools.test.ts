import { describe, expect, test } from 'vitest';
import {
  build,
  command,
  edit,
  finish,
  type Item,
  plan,
  read,
  run,
  type Step,
  skill,
  subagent,
  TOOLS,
  todos,
  write,
} from '../../../test/fixtures/judge/builder.ts';
import { outcomeOf, truthOn } from '../../../test/fixtures/judge/decide.ts';

const turns = (...steps: Step[]): Item[] => steps.map((s) => ({ do: [s] }));

describe('todo rules', () => {
  test('todo_used', () => {
    expect(truthOn({ use: 'todo_used' }, turns(todos(['a', 'pending'])))).toBe('S');
    expect(truthOn({ use: 'todo_used' }, turns(read('todo.md')))).toBe('F');
    expect(truthOn({ use: 'todo_used', times: '>=2' }, turns(todos(['a', 'pending'])))).toBe('F');
    expect(truthOn({ use: 'todo_used' }, build(turns(read('a')), { tools: [TOOLS[0] as never] }))).toBe('N');
  });
  test('a todo list changed by a subagent is not the main one', () => {
    const items = turns(subagent('worker', turns(todos(['a', 'in_progress'], ['b', 'in_progress']))));
    expect(truthOn({ use: 'todo_used' }, items)).toBe('F');
    expect(truthOn({ use: 'todo_one_active' }, items)).toBe('N');
  });
  test('todo_one_active', () => {
    const rule = { use: 'todo_one_active' };
    expect(truthOn(rule, turns(todos(['a', 'in_progress'], ['b', 'pending'])))).toBe('S');
    expect(truthOn(rule, turns(todos(['a', 'in_progress'], ['b', 'in_progress'])))).toBe('F');
    expect(truthOn(rule, turns(todos(['a', 'pending'])))).toBe('S');
    expect(truthOn({ ...rule, exactly: true }, turns(todos(['a', 'pending'])))).toBe('F');
    expect(truthOn({ ...rule, exactly: true }, turns(todos(['a', 'completed'])))).toBe('N');
    expect(truthOn(rule, turns(read('a.ts')))).toBe('N');
  });
  test('todo_limits', () => {
    const rule = { use: 'todo_limits', total: '<=2', chars: '<=10' };
    expect(truthOn(rule, turns(todos(['short', 'pending'])))).toBe('S');
    expect(truthOn(rule, turns(todos(['rather too long', 'pending'])))).toBe('F');
    expect(truthOn(rule, turns(todos(['a', 'pending'], ['b', 'pending'], ['c', 'pending'])))).toBe('F');
  });
  test('todo_after_reminder', () => {
    const rule = { use: 'todo_after_reminder', within: 2 };
    const nag: Item = { given: 'system_reminder', text: 'The TodoWrite tool has not been used recently.' };
    const list = todos(['a', 'pending']);
    expect(truthOn(rule, [...turns(read('a')), nag, ...turns(list)])).toBe('S');
    expect(truthOn(rule, [...turns(read('a')), nag, ...turns(read('a'), list)])).toBe('S');
    expect(truthOn(rule, [...turns(list), nag, ...turns(read('a'), read('a'), list)])).toBe('F');
    expect(truthOn(rule, turns(list))).toBe('N');
  });
});

describe('calls', () => {
  test('one_call_a_message', () => {
    expect(truthOn({ use: 'one_call_a_message' }, turns(read('a'), read('b')))).toBe('S');
    expect(truthOn({ use: 'one_call_a_message' }, [{ do: [read('a'), read('b')] }])).toBe('F');
  });
  test('no_parallel_edits', () => {
    const rule = { use: 'no_parallel_edits' };
    expect(truthOn(rule, turns(edit('a'), edit('a')))).toBe('S');
    expect(truthOn(rule, [{ do: [edit('a'), edit('b'), read('a')] }])).toBe('S');
    expect(truthOn(rule, [{ do: [edit('a'), read('b'), edit('/workspace/shop/a')] }])).toBe('F');
    expect(truthOn(rule, turns(read('a')))).toBe('S');
  });
  test('one call that edits one file in two places is one edit', () => {
    const twice = [edit('a', 'x', { toolCall: 't' }), edit('a', 'z', { toolCall: 't' })];
    expect(truthOn({ use: 'no_parallel_edits' }, [{ do: twice }])).toBe('S');
  });
  test('valid_arguments', () => {
    const rule = { use: 'valid_arguments' };
    expect(truthOn(rule, turns(read('a.ts')))).toBe('S');
    expect(truthOn(rule, turns(read('a.ts', { input: { path: 'a.ts' } })))).toBe('F');
    expect(truthOn(rule, turns(read('a.ts', { input: { file_path: 'a.ts', limit: '10' } })))).toBe('F');
    expect(truthOn(rule, turns(read('a.ts', { tool: 'Reed' })))).toBe('F');
    expect(truthOn(rule, turns(read('a.ts', { input: '{"file_path": "a' })))).toBe('F');
    expect(truthOn({ ...rule, tool: 'Edit' }, turns(read('a.ts', { input: {} })))).toBe('N');
    expect(truthOn(rule, build(turns(read('a.ts')), { tools: null }))).toBe('U');
  });
  test('a pattern of a foreign schema is matched in linear time, or leaves it open', () => {
    const of = (pattern: string, file_path: string) => {
      const tools = [
        { name: 'Read', description: '', schema: { properties: { file_path: { type: 'string', pattern } } } },
      ];
      return truthOn({ use: 'valid_arguments' }, build(turns(read('a', { input: { file_path } })), { tools }));
    };
    expect(of('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe('F');
    expect(of('^a+$', 'aaa')).toBe('S');
    expect(of('^(?=a)a', 'aaa')).toBe('U');
  });
  test('a schema that cannot be read leaves it open', () => {
    const tools = [{ name: 'Read', description: '', schema: { type: 'no such type' } }];
    expect(truthOn({ use: 'valid_arguments' }, build(turns(read('a.ts')), { tools }))).toBe('U');
  });
});

describe('skills and subagents', () => {
  test('skill_used and skill_first', () => {
    const used = { use: 'skill_used', name: 'internal-tools' };
    const first = { use: 'skill_first', name: 'internal-tools' };
    expect(truthOn(used, turns(read('a'), skill('internal-tools')))).toBe('S');
    expect(truthOn(first, turns(read('a'), skill('internal-tools')))).toBe('F');
    expect(truthOn(first, turns(skill('internal-tools'), read('a')))).toBe('S');
    expect(truthOn(used, turns(skill('internal_tools')))).toBe('F');
    expect(truthOn(used, turns(skill('internal-tools', { ok: false })))).toBe('F');
    expect(truthOn(used, [{ say: 'I use the skill internal-tools.' }])).toBe('F');
  });
  test('subagent_type', () => {
    const rule = { use: 'subagent_type', name: 'Explore' };
    expect(truthOn(rule, turns(subagent('Explore')))).toBe('S');
    expect(truthOn(rule, turns(subagent('general-purpose')))).toBe('F');
    expect(truthOn(rule, turns(read('a')))).toBe('N');
    expect(truthOn({ ...rule, used: true }, turns(read('a')))).toBe('F');
    expect(truthOn({ ...rule, used: true }, turns(subagent('worker'), subagent('Explore')))).toBe('S');
  });
});

describe('finish_last', () => {
  const rule = { use: 'finish_last' };
  const tools = [...TOOLS, { name: 'attempt_completion', description: '', schema: {} }];
  const of = (items: Item[]) => truthOn(rule, build(items, { tools }));
  test('called, and nothing after it in the query', () => {
    expect(of(turns(read('a'), finish('Done')))).toBe('S');
    expect(of(turns(finish('Done'), read('a')))).toBe('F');
    expect(of(turns(read('a')))).toBe('F');
    expect(of([{ query: 'a' }, ...turns(finish('Done')), { query: 'b' }, ...turns(read('a'), finish('Done'))])).toBe(
      'S',
    );
  });
  test('a scaffold without the tool', () => {
    expect(truthOn(rule, turns(read('a')))).toBe('N');
  });
});

describe('plan_mode', () => {
  const rule = { use: 'plan_mode', files: 'docs/plan.md' };
  test('only the plan file while it lasts', () => {
    expect(truthOn(rule, turns(plan('enter'), write('docs/plan.md', 'x'), plan('exit'), edit('a.ts')))).toBe('S');
    expect(truthOn(rule, turns(plan('enter'), edit('a.ts'), plan('exit')))).toBe('F');
    expect(
      truthOn(rule, turns(plan('enter'), run(command('npm', ['install'], { does: ['install'] })), plan('exit'))),
    ).toBe('F');
    expect(truthOn(rule, turns(plan('enter'), run(command('ls', [], { does: ['list'] })), plan('exit')))).toBe('S');
  });
  test('never entered, never left, entered by a reminder', () => {
    expect(truthOn(rule, turns(edit('a.ts')))).toBe('N');
    expect(truthOn(rule, turns(plan('enter'), edit('a.ts')))).toBe('F');
    const reminder: Item = { given: 'system_reminder', text: 'Plan mode is active. Do not edit.' };
    expect(truthOn(rule, [reminder, ...turns(edit('a.ts'))])).toBe('F');
  });
  test('a subagent that was started in plan mode', () => {
    const spy = subagent('worker', turns(edit('a.ts')));
    expect(truthOn(rule, turns(plan('enter'), spy, plan('exit')))).toBe('F');
    expect(truthOn(rule, turns(plan('enter'), plan('exit'), spy))).toBe('S');
  });
});

test('the evidence of a prohibition is every event that broke it', () => {
  const { evidence, reason } = outcomeOf({ use: 'one_call_a_message' }, [
    { do: [read('a'), read('b')] },
    ...turns(read('c')),
    { do: [read('d'), read('e')] },
  ]);
  expect(evidence.map((e) => e.turn)).toEqual([0, 2]);
  expect(reason).toContain('2 events');
});
