import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AskedRequest,
  careful,
  controlAnswer,
  type JudgeAct,
  type ScriptedJudge,
  startJudge,
} from '../../test/fakes/judge/server.ts';
import { build, type Item, read, shell } from '../../test/fixtures/judge/builder.ts';
import type { Protocol } from '../wire/schema.ts';
import { createJudgeClient } from './client.ts';
import { judgeRecord, promptsOf, readRecord } from './judge-record.ts';
import { PROMPT } from './prompts/all.ts';
import type { Granularity, Question } from './questions.ts';

const CATEGORIES = ['SP', 'System reminder', 'User query', 'Agents.md', 'Skill.md', 'Memory', 'Tool schema'];
const QUESTIONS: Question[] = CATEGORIES.flatMap((category, i) =>
  [0, 1].map((n) => ({ id: `q${i}${n}`, check: `q${i}${n}`, category, text: 'Kept to?', facts: [], open: null })),
);
const LONG_OUTPUT = Array.from({ length: 900 }, (_, i) => `line ${i} of the output`).join('\n');
const session: Item[] = [
  { query: 'Mend the cart.' },
  { say: 'I look first.', do: [read('/workspace/shop/a.ts', { output: LONG_OUTPUT })] },
  ...Array.from(
    { length: 40 },
    (_, i): Item => ({
      say: `Step ${i}: ${'I go on with care. '.repeat(20)}`,
      do: [shell(`npm test -- ${i}`, true, `${i} passed`)],
    }),
  ),
  { say: 'Done.' },
];
const RECORD = readRecord(build(session), []);

const act = (quote: string, result = 'success', turn = 0) => ({
  ...{ result, grounds: 'act', evidence: [{ turn, thread: '', quote }] },
});
const good = careful(() => act('I look first.'));

let judge: ScriptedJudge;
beforeAll(async () => {
  judge = await startJudge('anthropic', good);
});
afterAll(() => judge.close());
beforeEach(() => {
  judge.asked.length = 0;
  judge.bodies.length = 0;
});

const clientFor = (to: ScriptedJudge, protocol: Protocol = 'anthropic', settings = {}) =>
  createJudgeClient({
    ...{ protocol, baseUrl: to.url, key: 'k', model: 'judge', settings, backOffMs: 1 },
    signal: new AbortController().signal,
  });
const ask = (
  decide: (request: AskedRequest, nth: number) => JudgeAct,
  more: { granularity?: Granularity; window?: number; questions?: Question[] } = {},
) => {
  judge.decide = decide;
  return judgeRecord(RECORD, more.questions ?? QUESTIONS, {
    ...{ prompt: PROMPT, granularity: more.granularity ?? 'category', window: more.window ?? 1e6 },
    ...{ maxOutputTokens: 1000, ask: clientFor(judge) },
  });
};
const one = QUESTIONS.slice(0, 2);
const words = (answers: Awaited<ReturnType<typeof ask>>) => [...answers.values()].map((a) => a.verdict);
const reasons = (answers: Awaited<ReturnType<typeof ask>>) => [...answers.values()].map((a) => a.reason);

describe('requests', () => {
  it.each<[Granularity, number]>([
    ['checklist', 1],
    ['category', 7],
    ['check', 14],
  ])('%s: %i', async (granularity, n) => {
    expect(words(await ask(good, { granularity }))).toEqual(Array(14).fill('success'));
    expect(judge.asked).toHaveLength(n);
    expect(new Set(judge.asked.flatMap((a) => a.questions.map((q) => q.check_id))).size).toBe(14 + 2 * n);
  });

  it('of the seven categories share a byte-equal prefix of 95% at least, marked for caching', async () => {
    await ask(good);
    const [first = '', ...rest] = judge.bodies;
    for (const body of rest) {
      let same = 0;
      while (same < body.length && body[same] === first[same]) same++;
      expect(same / body.length).toBeGreaterThanOrEqual(0.95);
    }
    expect(JSON.parse(first).messages[0].content[0].cache_control).toEqual({ type: 'ephemeral' });
    expect(JSON.parse(first)).toMatchObject({ temperature: 1 });
    expect(first).toContain('"not_applicable"]'); // the schema of the reply
  });

  it.each<Protocol>(['anthropic', 'openai-chat', 'openai-responses', 'gemini'])('over %s', async (protocol) => {
    const own = await startJudge(protocol, good);
    const answers = await judgeRecord(RECORD, one, {
      ...{ prompt: PROMPT, granularity: 'category', window: 1e6, maxOutputTokens: 1000, ask: clientFor(own, protocol) },
    });
    await own.close();
    expect(words(answers)).toEqual(['success', 'success']);
    expect(own.asked[0]?.system).toContain('You judge whether');
  });

  it('hold nothing that was not printed before', async () => {
    await ask(good);
    const prompts = promptsOf(RECORD, QUESTIONS, { prompt: PROMPT, granularity: 'category', window: 1e6 });
    expect(judge.asked.map((a) => a.text).sort()).toEqual(prompts.map((p) => `${p.record}\n${p.ask}`).sort());
  });

  it('do without a schema where the provider refuses one', async () => {
    judge.decide = good;
    const refusing: ScriptedJudge['decide'] = (request) =>
      judge.bodies.at(-1)?.includes('"type":"object"') === true &&
      judge.bodies.at(-1)?.includes('additionalProperties') === true
        ? { status: 400, message: 'no schema here' }
        : good(request);
    const short = readRecord(build([{ query: 'Hi' }, { say: 'I look first.' }]), []);
    judge.decide = refusing;
    const answers = await judgeRecord(short, one, {
      ...{ prompt: PROMPT, granularity: 'category', window: 1e6, maxOutputTokens: 1000, ask: clientFor(judge) },
    });
    expect(words(answers)).toEqual(['success', 'success']);
  });
});

describe('what is wanting', () => {
  it('is asked again, and only that', async () => {
    const forgetful = careful((q) =>
      q.check_id === 'q01' && q.note === undefined && judge.asked.length < 2 ? null : act('I look first.'),
    );
    expect(words(await ask(forgetful, { questions: one }))).toEqual(['success', 'success']);
    expect(judge.asked[1]?.questions.filter((q) => q.check_id.startsWith('q')).map((q) => q.check_id)).toEqual(['q01']);
  });

  it('never said is unscored', async () => {
    const answers = await ask(
      careful((q) => (q.check_id === 'q01' ? null : act('I look first.'))),
      { questions: one },
    );
    expect(words(answers)).toEqual(['success', 'unscored']);
    expect(judge.asked).toHaveLength(2);
  });

  it('a quote that is not in the record is asked for once, with a note', async () => {
    const answers = await ask(
      careful((q) => act(q.note === undefined ? 'I never said this' : 'I  look\nfirst.')),
      { questions: one },
    );
    expect(words(answers)).toEqual(['success', 'success']);
    expect(judge.asked[1]?.questions.some((q) => q.note?.includes('I never said this'))).toBe(true);
    expect(
      reasons(
        await ask(
          careful(() => act('I never said this')),
          { questions: one },
        ),
      )[0],
    ).toMatch(/^quote:/);
  });

  it('a fail, and a success by an act, need a quote; an absence needs none', async () => {
    const bare = (result: string, grounds: string) => careful(() => ({ result, grounds, evidence: [] }));
    expect(words(await ask(bare('fail', 'absence'), { questions: one }))).toEqual(['unscored', 'unscored']);
    expect(words(await ask(bare('success', 'act'), { questions: one }))).toEqual(['unscored', 'unscored']);
    expect(words(await ask(bare('success', 'absence'), { questions: one }))).toEqual(['success', 'success']);
    expect(words(await ask(bare('not_applicable', 'act'), { questions: one }))).toEqual(
      Array(2).fill('not_applicable'),
    );
  });

  it('evidence gets the turn in which the quote stands', async () => {
    const answers = await ask(
      careful(() => act('Step 7:', 'fail', 3)),
      { questions: one },
    );
    expect([...answers.values()][0]?.evidence).toEqual([{ thread: 'main', turn: 8, quote: 'Step 7:' }]);
  });
});

/** An Anthropic reply as it stands on the wire. */
const raw = (stop_reason: string, content: unknown[]): JudgeAct => ({
  contentType: 'application/json',
  raw: JSON.stringify({
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'judge', content, stop_reason, stop_sequence: null },
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
});
const OVERLOADED = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n';

describe('a judge that fails', () => {
  it.each<[string, (request: AskedRequest, nth: number) => JudgeAct, RegExp, number]>([
    ['has no credit', () => ({ status: 402, message: 'pay' }), /^judge_failed: HTTP 402/, 1],
    ['is down', () => ({ status: 529, message: 'overloaded' }), /^judge_failed: HTTP 529/, 4],
    ['is cut', () => ({ text: '{"checks":[{"check_id":"q00","result":"fa', stop: 'length' }), /^cut:/, 2],
    ['refuses', () => "I can't help with this request.", /^refused:/, 2],
    ['says nothing', () => '', /^incomplete:/, 2],
    ['stops for a refusal', () => raw('refusal', []), /^refused:/, 2],
    ['only thinks', () => raw('max_tokens', [{ type: 'thinking', thinking: 'hm', signature: 's' }]), /^cut:/, 2],
    ['fails within a 200', () => ({ contentType: 'text/event-stream', raw: OVERLOADED }), /^judge_failed:/, 4],
  ])('%s: unscored, never a zero', async (_, decide, reason, requests) => {
    const answers = await ask(decide, { questions: one });
    expect(words(answers)).toEqual(['unscored', 'unscored']);
    for (const r of reasons(answers)) expect(r).toMatch(reason);
    expect(judge.asked).toHaveLength(requests);
  });

  it('for a moment is asked again, after the time it names', async () => {
    const moody = (request: AskedRequest, nth: number): JudgeAct =>
      nth === 0 ? { status: 429, message: 'slow down', headers: { 'retry-after': '0.01' } } : good(request);
    expect(words(await ask(moody, { questions: one }))).toEqual(['success', 'success']);
  });

  it('is given up when the user stops, without another try', async () => {
    const stop = new AbortController();
    judge.decide = () => {
      stop.abort();
      return { status: 529, message: 'overloaded' };
    };
    const client = createJudgeClient({
      ...{ protocol: 'anthropic', baseUrl: judge.url, key: 'k', model: 'judge', settings: {} },
      signal: stop.signal,
    });
    const options = { prompt: PROMPT, granularity: 'category', window: 1e6, maxOutputTokens: 9, ask: client } as const;
    expect(reasons(await judgeRecord(RECORD, one, options))[0]).toMatch(/^judge_failed:/);
    expect(judge.asked).toHaveLength(1);
  });

  it('for want of room gets twice as much', async () => {
    const tight = (request: AskedRequest, nth: number): JudgeAct =>
      nth === 0 ? { text: '{"ch', stop: 'length' } : good(request);
    expect(words(await ask(tight, { questions: one }))).toEqual(['success', 'success']);
    expect(judge.bodies.map((b) => JSON.parse(b).max_tokens)).toEqual([1000, 2000]);
  });

  it('answers everything alike', async () => {
    const lazy = (result: string) => (request: AskedRequest) =>
      JSON.stringify({ checks: request.questions.map((q) => ({ check_id: q.check_id, result })) });
    for (const result of ['success', 'fail', 'not_applicable']) {
      const answers = await ask(lazy(result), { questions: one });
      expect(reasons(answers)[0]).toMatch(/^canary:/);
    }
  });
});

describe('long records', () => {
  it('a judge opens what was cut', async () => {
    const curious = (request: AskedRequest): JudgeAct => {
      const cut = /show\(turn=(\d+), from=(\d+), to=(\d+)/.exec(request.record);
      if (request.shown.length === 0)
        return { show: { turn: Number(cut?.[1]), from: Number(cut?.[2]), to: Number(cut?.[3]) } };
      return careful(() => act(/line \d+ of the output/.exec(request.shown[0]?.slice(50) ?? '')?.[0] ?? '?'))(request);
    };
    expect(words(await ask(curious, { questions: one }))).toEqual(['success', 'success']);
    expect(judge.asked).toHaveLength(2);
  });

  it('are judged in parts with the plan of all turns, then as a whole', async () => {
    const seer = careful((q, request) => {
      if (request.text.includes('Findings:')) {
        return request.text.includes('"found":"fail"') && q.check_id === 'q00'
          ? act('Step 30:', 'fail')
          : { result: 'success' };
      }
      return q.check_id === 'q00' && request.record.includes('Step 30:') && !request.record.includes('Step 29: I')
        ? act('Step 30:', 'fail')
        : q.check_id === 'q00' && request.record.includes('Step 30: I')
          ? act('Step 30:', 'fail')
          : { result: 'not_applicable' };
    });
    const answers = await ask(seer, { questions: one, window: 8000 });
    expect(words(answers)).toEqual(['fail', 'success']);
    expect(judge.asked.length).toBeGreaterThan(3);
    expect(judge.asked.every((a) => a.text.includes('main turn 40'))).toBe(true);
  });

  it('controls of every request are answered from the request', async () => {
    await ask(good, { window: 8000, questions: one });
    for (const request of judge.asked)
      expect(request.questions.filter((q) => controlAnswer(request, q) !== null)).toHaveLength(2);
  });
});
