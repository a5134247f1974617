import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  ask,
  assistant,
  type CallSketch,
  callsOf,
  reply,
  result,
  SUB_TOOLS,
  use,
  user,
} from '../../test/fixtures/trajectory/calls.ts';
import type { CallRecord } from '../recording/schema.ts';
import { normalizeCalls } from './normalize.ts';
import type { Thread, Trajectory } from './schema.ts';

/* Sessions whose threads are known, changed in ways that must not matter; and records of any shape. */

const LONG = process.env.OCTOBENCH_LONG === '1';
const RUNS = LONG ? 20_000 : 60;
vi.setConfig({ testTimeout: LONG ? 3_600_000 : 60_000 });

/** A thread that is to come back: what it said, in order. */
interface Known {
  role: 'main' | 'subagent';
  parent: string | null;
  said: string[];
}

interface Step {
  /** Calls of tools in this turn; a number n > 0 starts a subagent of n turns. */
  calls: (number | null)[];
  noise: 'none' | 'title' | 'failure';
}

const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.array(fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 }), { minLength: 1, maxLength: 3 }),
  noise: fc.constantFrom('none' as const, 'none' as const, 'title' as const, 'failure' as const),
});
const session = fc.record({ queries: fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 3 }) });

/** Plays a session: the calls in the order of their times, and the threads they make up. */
const play = ({ queries }: { queries: Step[][] }): { sketches: CallSketch[]; known: Known[] } => {
  const sketches: CallSketch[] = [];
  const known: Known[] = [];
  let serial = 0;
  const system = { system: 'SUB', tools: SUB_TOOLS };
  const subagent = (id: string, turns: number): string => {
    const thread: Known = { role: 'subagent', parent: id, said: [] };
    known.push(thread);
    const messages = [user(`Task of ${id}`)];
    for (let i = 0; i < turns - 1; i++) {
      const call = use(`${id}.${i}`, 'Read', { i });
      sketches.push({ request: ask([...messages], system), reply: reply(`sub ${id} step ${i}`, call) });
      thread.said.push(`sub ${id} step ${i}`);
      messages.push(assistant(`sub ${id} step ${i}`, call), user(result(`${id}.${i}`, `content ${i}`)));
    }
    const end = `answer of ${id}`;
    sketches.push({ request: ask(messages, system), reply: reply(end) });
    thread.said.push(end);
    return end;
  };
  const main: Known = { role: 'main', parent: null, said: [] };
  known.push(main);
  const messages: unknown[] = [];
  for (const [q, steps] of queries.entries()) {
    messages.push(user(`Query ${q}`));
    for (const { calls, noise } of steps) {
      const ids = calls.map(() => `c${serial++}`);
      const said = `turn ${ids[0]}`;
      const uses = calls.map((n, i) =>
        n === null
          ? use(ids[i] as string, 'Read', { path: ids[i] })
          : use(ids[i] as string, 'Task', { prompt: `Task of ${ids[i]}` }),
      );
      const request = ask([...messages]);
      if (noise === 'failure')
        sketches.push({ request, reply: { type: 'error', error: { type: 'overloaded_error' } }, status: 529 });
      if (noise === 'title')
        sketches.push({
          request: ask([user(`x${serial}`)], { system: 'Write a title', tools: [] }),
          reply: reply(`t${serial}`),
        });
      sketches.push({ request, reply: reply(said, ...uses) });
      main.said.push(said);
      const results = calls.map((n, i) =>
        result(ids[i] as string, n === null ? 'text' : subagent(ids[i] as string, n)),
      );
      messages.push(assistant(said, ...uses), user(...results));
    }
    const end = `end of ${q}`;
    sketches.push({ request: ask([...messages]), reply: reply(end) });
    main.said.push(end);
    messages.push(assistant(end));
  }
  return { sketches, known };
};

const textOf = (message: Thread['segments'][number]['messages'][number]): string =>
  message.blocks.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('');

const threadsOf = (t: Trajectory): Known[] =>
  t.threads.flatMap((thread) =>
    thread.role === 'auxiliary'
      ? []
      : [
          {
            role: thread.role,
            parent: thread.parent?.toolCall ?? null,
            said: thread.segments.flatMap((s) => s.messages.filter((m) => m.turn !== null).map(textOf)),
          },
        ],
  );

const byParent = (threads: Known[]): Known[] =>
  [...threads].sort((a, b) => (a.parent ?? '').localeCompare(b.parent ?? ''));

const accounted = (calls: readonly CallRecord[], normalized: ReturnType<typeof normalizeCalls>): void => {
  const kept = normalized.trajectories.flatMap((t) => t.threads.flatMap((thread) => thread.calls));
  const listed = [...normalized.problems, ...normalized.trajectories.flatMap((t) => t.problems)].flatMap(
    (p) => p.call ?? [],
  );
  const known = new Set([...kept, ...listed]);
  expect(calls.filter((call) => !known.has(call.id)).map((call) => call.id)).toEqual([]);
};

const check = (calls: readonly CallRecord[], known: Known[]): void => {
  const normalized = normalizeCalls(calls);
  accounted(calls, normalized);
  expect(normalized.trajectories).toHaveLength(1);
  expect(byParent(threadsOf(normalized.trajectories[0] as Trajectory))).toEqual(byParent(known));
};

const shuffled = <T>(list: readonly T[], keys: readonly number[]): T[] =>
  list
    .map((item, i) => ({ item, key: keys[i % keys.length] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
const keys = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 64, maxLength: 64 });
const prop = <T extends [unknown, ...unknown[]]>(
  ...args: [...{ [K in keyof T]: fc.Arbitrary<T[K]> }, (...values: T) => void]
): void => fc.assert(fc.property(...(args as unknown as Parameters<typeof fc.property<T>>)), { numRuns: RUNS });

describe('threads of a known session come back', () => {
  it('as they were', () => prop(session, (s) => check(callsOf(play(s).sketches), play(s).known)));

  it('from a log in any order', () =>
    prop(session, keys, (s, order) => {
      const { sketches, known } = play(s);
      check(shuffled(callsOf(sketches), order), known);
    }));

  it('when calls are logged twice', () =>
    prop(session, keys, (s, order) => {
      const { sketches, known } = play(s);
      const twice = sketches.flatMap((sketch, i) => ((order[i % 64] ?? 0) < 0.5 ? [sketch, sketch] : [sketch]));
      check(callsOf(twice.map((sketch) => ({ ...sketch, origin: 'import' as const }))), known);
    }));

  it('when two sessions are logged between each other', () =>
    prop(session, session, keys, (a, b, order) => {
      const [left, right] = [play(a), play(b)];
      const name = (id: string) => (sketch: CallSketch) => ({ ...sketch, attempt: null, session: id });
      const calls = shuffled(
        [...callsOf(left.sketches.map(name('a'))), ...callsOf(right.sketches.map(name('b')))],
        order,
      );
      const { trajectories } = normalizeCalls(
        calls.map((call, id) => ({
          ...call,
          id,
          request: { ...call.request, body: { ...call.request.body, delta: null } },
        })),
      );
      expect(trajectories.map((t) => t.session).sort()).toEqual(['a', 'b']);
      for (const t of trajectories)
        expect(byParent(threadsOf(t))).toEqual(byParent(t.session === 'a' ? left.known : right.known));
    }));

  it('when clients trim, join and mark what they send back', () =>
    prop(session, (s) => {
      const { sketches, known } = play(s);
      const changed = sketches.map((sketch, i) => {
        const request = JSON.stringify(sketch.request)
          .replaceAll(
            '"type":"text"',
            i % 2 === 0 ? '"type":"text","cache_control":{"type":"ephemeral"}' : '"type":"text"',
          )
          .replace('"text":"MAIN"', `"text":"MAIN date ${i}"`);
        const said = JSON.stringify(sketch.reply).replaceAll(
          '{"type":"text","text":"turn',
          '{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"turn',
        );
        return { ...sketch, request: JSON.parse(request) as unknown, reply: JSON.parse(said) as unknown };
      });
      check(callsOf(changed), known);
    }));

  it('a log that ends early has a beginning of each thread, and nothing that was not said', () =>
    prop(session, fc.double({ min: 0.1, max: 1, noNaN: true }), (s, share) => {
      const { sketches, known } = play(s);
      const kept = sketches.slice(0, Math.max(1, Math.floor(sketches.length * share)));
      const calls = callsOf(kept);
      const normalized = normalizeCalls(calls);
      accounted(calls, normalized);
      const all = new Set(known.flatMap((thread) => thread.said));
      const found = normalized.trajectories.flatMap(threadsOf);
      for (const thread of found) {
        const whole = known.find((k) => k.said[0] === thread.said[0]);
        if (whole !== undefined) expect(whole.said.slice(0, thread.said.length)).toEqual(thread.said);
        expect(thread.said.filter((x) => !all.has(x) && !/^t\d+$/.test(x))).toEqual([]);
      }
    }));

  it('no reply of a record is lost when calls are left out of the log', () =>
    prop(session, keys, (s, order) => {
      const { sketches } = play(s);
      const calls = callsOf(sketches, false).filter((_, i) => (order[i % 64] ?? 0) < 0.7);
      const normalized = normalizeCalls(calls);
      accounted(calls, normalized);
      const shown = new Set(
        normalized.trajectories.flatMap((t) =>
          t.threads.flatMap((x) => x.segments.flatMap((seg) => seg.messages.map((m) => m.call))),
        ),
      );
      const answered = calls.filter((call) => call.response?.status === 200);
      expect(answered.filter((call) => !shown.has(call.id)).map((call) => call.id)).toEqual([]);
    }));
});

describe('records of any shape', () => {
  const junk = fc.oneof(
    fc.jsonValue({ maxDepth: 5 }),
    fc.constant('"\\ud83d"'),
    fc.constant('['.repeat(20_000)),
    fc.constant(`{"messages":${'['.repeat(3000)}${']'.repeat(3000)}}`),
    fc.constantFrom('', '{', '{"messages":[', '{"messages":[null,1,"x",{}]}', '{"messages":{"a":1}}', '\ud83d'),
    fc.record(
      {
        model: fc.jsonValue(),
        messages: fc.array(
          fc.record(
            {
              role: fc.constantFrom('user', 'assistant', 'tool', 'system', null, 7),
              content: fc.jsonValue({ maxDepth: 4 }),
            },
            { requiredKeys: [] },
          ),
        ),
        system: fc.jsonValue(),
        tools: fc.jsonValue(),
        max_tokens: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  const record = fc.record({
    request: junk,
    reply: fc.option(junk),
    protocol: fc.constantFrom(
      'anthropic' as const,
      'openai-chat' as const,
      'openai-responses' as const,
      'gemini' as const,
      'other' as const,
    ),
    status: fc.constantFrom(200, 200, 400, 529),
  });

  it('never stop anything; each is kept or listed, and other sessions are as without them', () => {
    const good = play({ queries: [[{ calls: [null, 2], noise: 'none' }]] }).sketches.map((s) => ({
      ...s,
      attempt: 'good',
    }));
    const alone = JSON.stringify(normalizeCalls(callsOf(good, false)).trajectories);
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), (bad) => {
        const calls = callsOf([...good, ...bad.map((b) => ({ ...b, attempt: 'bad' }))]);
        const normalized = normalizeCalls(calls);
        accounted(calls, normalized);
        const rest = normalized.trajectories.filter((t) => t.session === 'good');
        expect(JSON.stringify(rest)).toBe(alone);
        expect(JSON.stringify(normalized).isWellFormed()).toBe(true);
      }),
      { numRuns: RUNS * 5 },
    );
  });
});
