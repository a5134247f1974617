import { describe, expect, it } from 'vitest';
import {
  ask,
  assistant,
  type CallSketch,
  callsOf,
  reply,
  result,
  SUB_TOOLS,
  text,
  use,
  user,
} from '../../test/fixtures/trajectory/calls.ts';
import { normalizeCalls } from './normalize.ts';
import type { Thread, Trajectory } from './schema.ts';

const one = (sketches: CallSketch[], deltas = true): Trajectory => {
  const { trajectories } = normalizeCalls(callsOf(sketches, deltas));
  expect(trajectories).toHaveLength(1);
  return trajectories[0] as Trajectory;
};
const main = (t: Trajectory): Thread => {
  const found = t.threads.filter((thread) => thread.role === 'main');
  expect(found).toHaveLength(1);
  return found[0] as Thread;
};
/** Turn, call and first words of every numbered reply. */
const turns = (thread: Thread): string[] =>
  thread.segments
    .flatMap((s) => s.messages)
    .filter((m) => m.turn !== null)
    .map(
      (m) =>
        `${m.turn} call ${m.call}: ${m.blocks.map((b) => ('text' in b ? b.text : 'id' in b ? b.id : b.type)).join(' ')}`,
    );

const SUB = { system: 'SUB', tools: SUB_TOOLS };

describe('subagents', () => {
  it('two with the same prompt at once are told apart by the turns they carry, their parents by the results', () => {
    const prompt = { prompt: 'Find usages of foo' };
    const first = user('Fix the bug');
    const spawned = [use('t1', 'Task', prompt), use('t2', 'Task', prompt)];
    const asked = user('Find usages of foo');
    const t = one([
      { request: ask([user('quota')], { max_tokens: 1, tools: [], system: undefined }), reply: reply('ok') },
      {
        request: ask([first], { system: 'Make a title of at most 6 words', tools: [] }),
        reply: reply('{"title":"Fix"}'),
      },
      { request: ask([first]), path: '/v1/messages/count_tokens', reply: { input_tokens: 900 } },
      { request: ask([first]), reply: reply(...spawned) },
      { request: ask([asked], SUB), reply: reply(use('x1', 'Bash', { command: 'grep -r foo src' })) },
      { request: ask([asked], SUB), reply: reply(use('y1', 'Bash', { command: 'rg foo' })) },
      {
        request: ask([asked, assistant(use('y1', 'Bash', { command: 'rg foo' })), user(result('y1', 'b'))], SUB),
        reply: reply('Y says b'),
      },
      {
        request: ask(
          [asked, assistant(use('x1', 'Bash', { command: 'grep -r foo src' })), user(result('x1', 'a'))],
          SUB,
        ),
        reply: reply('X says a'),
      },
      {
        request: ask([first, assistant(...spawned), user(result('t2', 'Y says b'), result('t1', 'X says a'))]),
        reply: reply('Done'),
      },
    ]);
    expect(main(t).calls).toEqual([3, 8]);
    const subagents = t.threads.filter((x) => x.role === 'subagent');
    expect(subagents.map((x) => [x.parent?.toolCall, x.calls])).toEqual([
      ['t1', [4, 7]],
      ['t2', [5, 6]],
    ]);
    expect(t.threads.filter((x) => x.role === 'auxiliary').map((x) => [x.kind, x.calls])).toEqual([
      ['quota', [0]],
      ['title', [1]],
      ['count_tokens', [2]],
    ]);
  });

  it('nests, and finds the prompt behind a reminder', () => {
    const outer = use('o', 'Task', { description: 'd', prompt: 'Look into it' });
    const inner = use('i', 'Task', { prompt: 'Look deeper' });
    const t = one([
      { request: ask([user('Go')]), reply: reply(outer) },
      {
        request: ask([user('<system-reminder>\nrules\n</system-reminder>', 'Look into it')], SUB),
        reply: reply(inner),
      },
      { request: ask([user('Look deeper')], SUB), reply: reply('deep') },
    ]);
    const [m, a, b] = t.threads;
    expect([m?.role, a?.parent, b?.parent]).toEqual([
      'main',
      { thread: m?.id, toolCall: 'o' },
      { thread: a?.id, toolCall: 'i' },
    ]);
  });

  it('one whose call was lost is still none of the main thread', () => {
    const t = one([
      { request: ask([user('Go')]), reply: reply('looking', use('a', 'Read', {})) },
      { request: ask([user('Something else entirely')], SUB), reply: reply('sub') },
      {
        request: ask([user('Go'), assistant('looking', use('a', 'Read', {})), user(result('a', 'A'))]),
        reply: reply('end'),
      },
    ]);
    expect(turns(main(t))).toEqual(['0 call 0: looking a', '1 call 2: end']);
    expect(t.threads[1]).toMatchObject({ role: 'subagent', parent: null, calls: [1] });
  });
});

describe('compaction', () => {
  const k = (n: number): unknown => use(`k${n}`, 'Bash', { command: `cmd${n}` });
  const history = [user('Do it'), assistant(k(1)), user(result('k1', 'out1')), assistant(k(2))];
  const summary = 'SUMMARY: did 1 and 2';
  const after = user(`This session continues an earlier one. ${summary}`);
  const sketches: CallSketch[] = [
    { request: ask([user('Do it')]), reply: reply(k(1)) },
    { request: ask(history.slice(0, 3)), reply: reply(k(2)) },
    {
      request: ask([...history, user(result('k2', 'out2'), 'Write a detailed summary of the conversation so far')], {
        tools: [],
      }),
      reply: reply(summary),
    },
    { request: ask([after]), reply: reply(k(3)) },
    { request: ask([after, assistant(k(3)), user(result('k3', 'out3'))]), reply: reply('Finished') },
  ];

  it('links the segments of one thread, and keeps the result that only the summary call carried', () => {
    const t = one(sketches);
    const thread = main(t);
    expect(turns(thread)).toEqual(['0 call 0: k1', '1 call 1: k2', '2 call 3: k3', '3 call 4: Finished']);
    expect(thread.segments.map((s) => [s.because, s.continues, s.at])).toEqual([
      ['start', null, 0],
      ['compaction', 't0.0', 2],
    ]);
    const results = thread.segments.flatMap((s) =>
      s.messages.flatMap((m) => m.blocks.filter((b) => b.type === 'tool_result')),
    );
    expect(results.map((r) => r.id)).toEqual(['k1', 'k2', 'k3']);
    expect(thread.segments.flatMap((s) => s.messages.map((m) => m.query))).toEqual(Array(9).fill(0));
    expect(t.threads[1]).toMatchObject({ role: 'auxiliary', kind: 'compaction', calls: [2] });
  });

  it('a history whose middle was cut out is the same thread; turns it repeats are not counted twice', () => {
    const shortened = [user('A previous instance has summarized: did 1'), assistant(k(2)), user(result('k2', 'out2'))];
    const t = one([...sketches.slice(0, 2), { request: ask(shortened), reply: reply(k(3)) }]);
    expect(turns(main(t))).toEqual(['0 call 0: k1', '1 call 1: k2', '2 call 2: k3']);
    expect(main(t).segments[1]?.messages[1]).toMatchObject({ role: 'assistant', turn: null, seeded: true });
  });
});

describe('attempts', () => {
  const go = ask([user('Go')]);
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } };

  it('a failed call and its repetition without streaming are one turn', () => {
    const t = one([
      { request: ask([user('Go')], { stream: true }), reply: error, status: 529 },
      { request: ask([user('Go')], { temperature: 1 }), reply: null, end: 'upstream_reset' },
      { request: ask([user('Go')], { temperature: 1 }), reply: reply('hello') },
    ]);
    expect(main(t).segments[0]?.messages).toMatchObject([{ role: 'user' }, { turn: 0, call: 2, attempts: [0, 1] }]);
  });

  it('a session that failed for good has a thread without turns', () => {
    const t = one([
      { request: go, reply: error, status: 529 },
      { request: go, reply: error, status: 529 },
    ]);
    expect(turns(main(t))).toEqual([]);
    expect(main(t).segments[0]?.failed).toEqual([0, 1]);
  });

  it('a cut reply that was used is the turn; one that was replaced is kept as abandoned', () => {
    const cut =
      'event: message_start\ndata: {"type":"message_start","message":{"content":[]}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I will"}}\n\n';
    const used = one([
      { request: go, reply: cut, end: 'upstream_reset' },
      { request: ask([user('Go'), assistant('I will'), user('continue')]), reply: reply('ok') },
    ]);
    expect(turns(main(used))).toEqual(['0 call 0: I will', '1 call 1: ok']);
    expect(main(used).segments[0]?.messages[1]?.incomplete).toBe('missing_message_stop');
    const replaced = one([
      { request: go, reply: cut },
      { request: go, reply: reply('I will go') },
      { request: ask([user('Go'), assistant('I will go'), user('continue')]), reply: reply('ok') },
    ]);
    expect(turns(main(replaced))).toEqual(['0 call 1: I will go', '1 call 2: ok']);
    expect(main(replaced).segments[0]?.messages[1]).toMatchObject({ call: 0, abandoned: true, turn: null });
  });

  it('a client that joins the texts of two attempts keeps the turn', () => {
    const t = one([
      { request: go, reply: reply('Writing.', use('w1', 'Write', { p: 1 })) },
      { request: go, reply: reply('Writing.', use('w2', 'Write', { p: 1 })) },
      {
        request: ask([
          user('Go'),
          assistant('Writing.Writing.', use('w1', 'Write', { p: 1 })),
          user(result('w1', 'ok')),
        ]),
        reply: reply('end'),
      },
    ]);
    expect(turns(main(t))).toEqual(['0 call 0: Writing. w1', '1 call 2: end']);
  });

  it('an empty reply is an explicit empty turn, also when the client leaves it out', () => {
    const t = one([
      { request: go, reply: reply() },
      { request: ask([user('Go'), user('Go on')]), reply: reply('ok') },
    ]);
    expect(turns(main(t))).toEqual(['0 call 0: ', '1 call 1: ok']);
  });
});

describe('queries and resumes', () => {
  const reminder = '<system-reminder>The list is empty.</system-reminder>';
  const sketches = (resumed: boolean): CallSketch[] => [
    { request: ask([user('First')]), reply: reply(use('a', 'Read', { p: 1 })) },
    {
      request: ask([
        user('First'),
        assistant(use('a', 'Read', { p: 1 })),
        user(reminder, result('a', `A\n\n${reminder}`)),
      ]),
      reply: reply('one'),
    },
    {
      request: ask(
        [
          user(text('First')),
          assistant(use('a', 'Read', { p: 1 })),
          resumed ? user(result('a', 'A', { is_error: false })) : user(reminder, result('a', `A\n\n${reminder}`)),
          assistant('one'),
          user('Second'),
        ],
        { system: resumed ? 'MAIN\ngitStatus: dirty' : 'MAIN' },
      ),
      reply: reply('two'),
    },
  ];

  it('numbers queries', () => {
    const messages = main(one(sketches(false))).segments[0]?.messages ?? [];
    expect(messages.filter((m) => m.role !== 'tool').map((m) => [m.role, m.query])).toEqual([
      ['user', 0],
      ['assistant', 0],
      ['user', 0],
      ['assistant', 0],
      ['user', 1],
      ['assistant', 1],
    ]);
  });

  it('a resume that rewrites history goes on with the thread; what was shown first is kept', () => {
    const t = one(sketches(true));
    expect(turns(main(t))).toEqual(['0 call 0: a', '1 call 1: one', '2 call 2: two']);
    expect(main(t).segments).toHaveLength(1);
    expect(JSON.stringify(main(t))).toContain('The list is empty');
    expect(t.problems.map((p) => p.kind)).toContain('history_rewritten');
  });

  it('a resume that sends shortened results goes on with the thread too', () => {
    const b = use('b', 'Read', { p: 2 });
    const history = (a1: string, b1: string): unknown[] => [
      user('First'),
      assistant(use('a', 'Read', { p: 1 })),
      user(result('a', a1)),
      assistant(b),
      user(result('b', b1)),
    ];
    const cleared = history('[cleared]', 'B');
    const t = one([
      { request: ask(history('A', 'B').slice(0, 1)), reply: reply(use('a', 'Read', { p: 1 })) },
      { request: ask(history('A', 'B').slice(0, 3)), reply: reply(b) },
      { request: ask(history('A', 'B')), reply: reply('one') },
      { request: ask([...cleared, assistant('one'), user('Second')]), reply: reply('two') },
      {
        request: ask([...cleared, assistant('one'), user('Second'), assistant('two'), user('Third')]),
        reply: reply('three'),
      },
    ]);
    expect(turns(main(t))).toEqual(['0 call 0: a', '1 call 1: b', '2 call 2: one', '3 call 3: two', '4 call 4: three']);
    expect(main(t).segments).toHaveLength(1);
    expect(JSON.stringify(main(t))).toContain('"A"');
  });

  it('a scaffold that lost its session and began anew is still in the same run', () => {
    const t = one([sketches(false)[0] as CallSketch, { request: ask([user('Second')]), reply: reply('two') }]);
    expect(main(t).segments.map((s) => s.because)).toEqual(['start', 'start']);
    expect(turns(main(t))).toEqual(['0 call 0: a', '1 call 1: two']);
  });
});

describe('rewinds', () => {
  it('number the turns of the line that was kept', () => {
    const t = one([
      { request: ask([user('q')]), reply: reply('hi') },
      { request: ask([user('q'), assistant('hi'), user('x')]), reply: reply('bx') },
      { request: ask([user('q'), assistant('hi'), user('y')]), reply: reply('by') },
    ]);
    expect(turns(main(t))).toEqual(['0 call 0: hi', '1 call 2: by']);
    expect(main(t).segments[1]).toMatchObject({ because: 'rewind', continues: 't0.0', at: 1, from: 2 });
    expect(main(t).segments[0]?.messages.map((m) => m.abandoned ?? false)).toEqual([false, false, true, true]);
  });
});
