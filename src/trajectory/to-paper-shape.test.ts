import { describe, expect, it } from 'vitest';
import type { Problem } from '../core/problem.ts';
import { normalizeCallStream } from './normalize.ts';
import { fromReferenceLog } from './reference-log.ts';
import { selectMain } from './select-main.ts';
import { type PaperMessage, type PaperShape, toPaperShape } from './to-paper-shape.ts';

/* The kinds of logs that people have, as lines of the reference toolkit's log, and what must come out of them. */

let clock = 0;
const line = (
  messages: unknown[],
  content: unknown,
  more: { at?: number; session?: unknown; body?: object; response?: unknown } = {},
): string => {
  clock = more.at ?? clock + 1;
  return JSON.stringify({
    session_id: more.session === undefined ? 'log' : more.session,
    biz_id: 'team',
    request_time: clock,
    request_body: {
      messages,
      system: 'Be kind.',
      tools: [{ name: 'Look', description: 'Looks.', input_schema: { type: 'object' } }],
      model: 'big',
      max_tokens: 7,
      metadata: null,
      ...more.body,
    },
    response_body: more.response === undefined ? { content } : more.response,
  });
};
const shapes = async (...lines: string[]): Promise<PaperShape[]> =>
  (await normalizeCallStream(fromReferenceLog(lines))).trajectories.flatMap(toPaperShape);
const only = async (...lines: string[]): Promise<PaperShape> => {
  const all = await shapes(...lines);
  expect(all).toHaveLength(1);
  return all[0] as PaperShape;
};
const said = (shape: PaperShape | undefined): string[] =>
  (shape?.messages ?? []).filter((m) => m.role === 'assistant').map((m) => m.content);
const last = (shape: PaperShape): PaperMessage => shape.messages.at(-1) as PaperMessage;

const hello = { role: 'user', content: 'hello' };
const say = (text: string): unknown[] => [{ type: 'text', text }];
const reply = (text: string): unknown => ({ role: 'assistant', content: say(text) });
const look = (id: string, input: unknown = { at: id }): unknown => ({ type: 'tool_use', id, name: 'Look', input });
const called = (...calls: unknown[]): unknown => ({ role: 'assistant', content: calls });
const seen = (id: string, content: unknown, more: object = {}): unknown => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
});

describe('toPaperShape', () => {
  it('has session, labels, model, limit, tools and system', async () => {
    expect(await only(line([hello], say('hi')))).toEqual({
      meta: { session_id: 'log', biz_id: 'team', model: 'big', max_tokens: 7 },
      tools: [{ type: 'function', function: { name: 'Look', description: 'Looks.', parameters: { type: 'object' } } }],
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi', reasoning_content: '', generation: true },
      ],
    });
  });

  it('keeps the order of text and results, pairs by id, and keeps orphans and errors', async () => {
    const mixed = {
      role: 'user',
      content: [
        ...say('before'),
        seen('b', 'B', { is_error: true }),
        seen('x', 'X'),
        seen('a', [...say('1'), { type: 'image', source: { type: 'base64', media_type: 'image/gif', data: 'AAAA' } }]),
        ...say('after'),
      ],
    };
    const shape = await only(line([hello, called(look('a'), look('b')), mixed], say('ok')));
    expect(shape.messages.slice(3, -1)).toEqual([
      { role: 'user', content: 'before' },
      { role: 'tool', tool_name: 'Look', tool_call_id: 'b', content: 'B', is_error: true },
      { role: 'tool', tool_name: null, tool_call_id: 'x', content: 'X' },
      {
        role: 'tool',
        tool_name: 'Look',
        tool_call_id: 'a',
        content: '1\n[image image/gif 3 bytes]',
        blocks: [
          { type: 'text', text: '1' },
          { type: 'image', media_type: 'image/gif', bytes: 3 },
        ],
      },
      { role: 'user', content: 'after' },
    ]);
    expect(shape.messages[2]).toMatchObject({ generation: false, tool_calls: [{ id: 'a' }, { id: 'b' }] });
  });

  it('marks what is not whole', async () => {
    expect(last(await only(line([hello], [])))).toMatchObject({ content: '', empty: true, generation: true });
    expect(last(await only(line([hello], [look('a', '{"at": "c')])))).toMatchObject({
      tool_calls: [{ arguments: '{"at": "c' }],
      invalid_tool_args: ['a'],
    });
    expect(last(await only(line([hello], say('x')).replace('"x"', '"x \\udc00"')))).toMatchObject({
      content: 'x \ufffd',
      lossy_unicode: true,
    });
    const failed = await only(
      line([hello], null, { response: { type: 'error', error: { type: 'api_error', message: 'no' } } }),
    );
    expect([failed.meta.failed_calls, last(failed).role]).toEqual([1, 'user']);
  });

  it('keeps several texts and thoughts, redacted ones as marks', async () => {
    const content = [
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
      ...say('one'),
      ...say('two'),
    ];
    expect(last(await only(line([hello], content)))).toMatchObject({
      content: 'one\ntwo',
      reasoning_content: 'a',
      blocks: [{ type: 'thinking', thinking: 'a' }, { type: 'redacted_thinking' }, { type: 'text' }, { type: 'text' }],
    });
  });

  it('two replies to one request: the one that the history continues, and the abandoned one apart', async () => {
    const all = await shapes(
      line([hello], [look('a')]),
      line([hello], [look('b')]),
      line([hello, called(look('b')), { role: 'user', content: [seen('b', 'B')] }], say('end')),
    );
    expect(
      all.map((s) => [s.meta.abandoned ?? false, s.messages.flatMap((m) => m.tool_calls?.map((c) => c.id) ?? [])]),
    ).toEqual([
      [false, ['b']],
      [true, ['a']],
    ]);
  });

  it('a session that was run again gives two runs', async () => {
    const all = await shapes(
      line([hello], say('old'), { at: 1 }),
      line([hello, reply('old'), hello], say('older'), { at: 2 }),
      line([hello], say('new'), { at: 900 }),
      line([hello, reply('new'), hello], say('newer'), { at: 901 }),
    );
    expect(all.map((s) => [s.meta.run, said(s)])).toEqual([
      [0, ['old', 'older']],
      [1, ['new', 'newer']],
    ]);
    expect(selectMain(all)).toEqual({ log: [1] });
  });

  it('a rewind gives a branch; the turn both share was generated once', async () => {
    const go = (text: string): unknown[] => [hello, reply('hi'), { role: 'user', content: text }];
    const all = await shapes(line([hello], say('hi')), line(go('left'), say('L')), line(go('right'), say('R')));
    expect(
      all.map((s) => [s.meta.branch_of, said(s), s.messages.map((m) => m.generation).filter((g) => g !== undefined)]),
    ).toEqual([
      [undefined, ['hi', 'L'], [true, true]],
      [0, ['hi', 'R'], [false, true]],
    ]);
    expect(selectMain(all)).toEqual({ log: [1] });
  });

  it('a compaction links segments; both are judged', async () => {
    const all = await shapes(
      line([hello], [look('a')]),
      line([{ role: 'user', content: 'Summary so far: looked. Continue.' }], say('end')),
    );
    expect(all.map((s) => [s.meta.segment, s.meta.continues])).toEqual([
      [0, undefined],
      [1, 0],
    ]);
    expect(selectMain(all)).toEqual({ log: [0, 1] });
  });

  it('models and tools by turn, when they change', async () => {
    const tools = [
      { name: 'Look', description: 'Looks.' },
      { name: 'Find', description: 'Finds.' },
    ];
    const shape = await only(
      line([hello], say('hi')),
      line([hello, reply('hi'), hello], say('ho'), { body: { model: 'small', tools } }),
    );
    expect(shape.meta).toMatchObject({
      model: 'small',
      models: ['big', 'small'],
      tools_by_turn: [
        { turn: 0, tools: ['Look'] },
        { turn: 1, tools: ['Look', 'Find'] },
      ],
    });
    expect(shape.messages.filter((m) => m.role === 'assistant').map((m) => m.model)).toEqual(['big', 'small']);
  });

  it('sessions without an id are told apart by what they say', async () => {
    const all = await shapes(
      line([hello], say('hi'), { session: null }),
      line([{ role: 'user', content: 'other' }], say('ho'), { session: null }),
    );
    expect(all.map((s) => [s.meta.session_id, said(s)])).toEqual([
      [null, ['hi']],
      [null, ['ho']],
    ]);
  });

  it("reads OpenAI's form where the logger wrote it", async () => {
    const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{"a":1}' } };
    const messages = [
      { role: 'system', content: 'SYS' },
      hello,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'C' },
    ];
    const body = {
      system: [],
      tools: [{ type: 'function', function: { name: 'look', description: 'd', parameters: {} } }],
    };
    const choice = {
      model: 'big',
      choices: [{ message: { role: 'assistant', content: 'done', reasoning_content: 'hm' }, finish_reason: 'stop' }],
    };
    const shape = await only(
      line(messages.slice(0, 2), [{ type: 'tool_use', id: 'c', name: 'look', input: { a: 1 } }], { body }),
      line(messages, null, { body, response: choice }),
    );
    expect(shape.messages.map((m) => [m.role, m.content, m.generation])).toEqual([
      ['system', 'SYS', undefined],
      ['user', 'hello', undefined],
      ['assistant', '', true],
      ['tool', 'C', undefined],
      ['assistant', 'done', true],
    ]);
    expect(last(shape).reasoning_content).toBe('hm');
  });

  it('reports bad lines by number and goes on', async () => {
    const problems: Problem[] = [];
    const good = line([hello], say('hi'));
    const lines = [good.slice(0, 40), '', '[]', '{"session_id":"x"}', '{"request_body":null}', good, `${good}}`];
    const { trajectories } = await normalizeCallStream(fromReferenceLog(lines, { onProblem: (p) => problems.push(p) }));
    expect(problems.map((p) => p.line)).toEqual([1, 3, 4, 5, 7]);
    expect(trajectories).toHaveLength(1);
  });
});

describe('selectMain', () => {
  const shape = (meta: object, turns = 1): PaperShape => ({
    meta: { session_id: 's', ...meta },
    tools: [],
    messages: Array.from({ length: turns }, () => ({ role: 'assistant' as const, content: 'x' })),
  });

  it('takes the main thread of the newest run, however long others are', () => {
    expect(
      selectMain([
        shape({ run: 0 }, 9),
        shape({ run: 1, agent: 'subagent', parent_tool_call_id: 't' }, 9),
        shape({ run: 1, agent: 'main' }),
        shape({ run: 1, agent: 'aux' }, 9),
      ]),
    ).toEqual({ s: [2] });
  });

  it('is null where nothing was run', () => {
    expect(selectMain([shape({}, 0)])).toEqual({ s: null });
    expect(selectMain([])).toEqual({});
  });
});
