import { describe, expect, it } from 'vitest';
import {
  ask,
  assistant,
  type CallSketch,
  callsOf,
  MAIN_TOOLS,
  reply,
  result,
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

describe('protocols', () => {
  it('OpenAI chat: system in messages, tool messages, a leading reply', () => {
    const tools = [{ type: 'function', function: { name: 'read', description: 'd', parameters: {} } }];
    const system = { role: 'system', content: 'SYS' };
    const go = { role: 'user', content: 'Go' };
    const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"p":1}' } };
    const said = { role: 'assistant', content: null, tool_calls: [call] };
    const chat = (message: object, finish: string): unknown => ({
      object: 'chat.completion',
      model: 'm',
      choices: [{ index: 0, message, finish_reason: finish }],
    });
    const t = one([
      {
        protocol: 'openai-chat',
        request: { model: 'm', tools, messages: [system, go] },
        reply: chat(said, 'tool_calls'),
      },
      {
        protocol: 'openai-chat',
        request: {
          model: 'm',
          tools,
          messages: [system, go, said, { role: 'tool', tool_call_id: 'c1', content: 'F' }],
        },
        reply: chat({ role: 'assistant', content: 'done' }, 'stop'),
      },
    ]);
    expect(turns(main(t))).toEqual(['0 call 0: c1', '1 call 1: done']);
    expect(main(t).segments[0]?.system).toEqual([{ type: 'text', text: 'SYS' }]);
  });

  it('Responses: items of one reply are one turn', () => {
    const items = [
      { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Reading' }] },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"p":1}' },
      { type: 'function_call', call_id: 'c2', name: 'read', arguments: '{"p":2}' },
    ];
    const go = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] };
    const tools = [{ type: 'function', name: 'read', parameters: {} }];
    const out = (id: string): unknown => ({ type: 'function_call_output', call_id: id, output: id });
    const done = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] };
    const body = (output: unknown[]): unknown => ({ object: 'response', status: 'completed', model: 'm', output });
    const t = one([
      {
        protocol: 'openai-responses',
        request: { model: 'm', instructions: 'SYS', tools, input: [go] },
        reply: body(items),
      },
      {
        protocol: 'openai-responses',
        request: { model: 'm', instructions: 'SYS', tools, input: [go, ...items, out('c2'), out('c1')] },
        reply: body([done]),
      },
    ]);
    expect(turns(main(t)).map((x) => x.replace('hm ', ''))).toEqual(['0 call 0: Reading c1 c2', '1 call 1: done']);
  });

  it('Gemini', () => {
    const go = { role: 'user', parts: [{ text: 'Go' }] };
    const said = { role: 'model', parts: [{ functionCall: { name: 'read', args: { p: 1 } } }] };
    const answer = { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'F' } } }] };
    const tools = [{ functionDeclarations: [{ name: 'read', description: 'd', parameters: {} }] }];
    const body = (content: unknown): unknown => ({ candidates: [{ content, finishReason: 'STOP' }] });
    const t = one([
      { protocol: 'gemini', request: { tools, contents: [go] }, reply: body(said) },
      {
        protocol: 'gemini',
        request: { tools, contents: [go, said, answer] },
        reply: body({ role: 'model', parts: [{ text: 'done' }] }),
      },
    ]);
    expect(main(t).calls).toEqual([0, 1]);
    expect(turns(main(t))).toHaveLength(2);
  });
});

describe('accounting', () => {
  it('every call is in a thread or in a problem', () => {
    const { trajectories, problems } = normalizeCalls(
      callsOf([
        { request: ask([user('Go')]), reply: reply('hi') },
        { request: 'not json', reply: reply('hi') },
        { request: {}, reply: {}, protocol: 'other', path: '/v1/other' },
        { request: ask([user('Go')]), reply: reply('hi') },
        { request: ask([user('Go')]), path: '/v1/messages/count_tokens', reply: {} },
        { request: null, reply: null },
      ]),
    );
    const kept = trajectories.flatMap((t) => t.threads.flatMap((x) => x.calls));
    const listed = [...problems, ...trajectories.flatMap((t) => t.problems)].flatMap((p) => p.call ?? []);
    expect([...new Set([...kept, ...listed])].sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('deltas change nothing but the work', () => {
    const sketches: CallSketch[] = [];
    const messages = [user('Go', 'with blocks')];
    for (let i = 0; i < 12; i++) {
      const marked = messages.map((m, k) =>
        k === messages.length - 1 ? JSON.parse(JSON.stringify(m).replace('"text"}', '"text"}')) : m,
      );
      sketches.push({
        request: ask(marked, { metadata: { n: i } }),
        reply: reply(`step ${i}`, use(`u${i}`, 'Read', { i })),
      });
      messages.push(assistant(`step ${i}`, use(`u${i}`, 'Read', { i })), user(result(`u${i}`, `result "${i}"\n\\`)));
    }
    expect(one(sketches, true)).toEqual(one(sketches, false));
  });

  it('tools and models by turn', () => {
    const t = one([
      { request: ask([user('Go')]), reply: reply('hi') },
      {
        request: ask([user('Go'), assistant('hi'), user('x')], {
          tools: [...MAIN_TOOLS, ...MAIN_TOOLS.slice(0, 1)],
          model: 'm2',
        }),
        reply: reply('ho'),
      },
    ]);
    const said = main(t).segments[0]?.messages.filter((m) => m.role === 'assistant') ?? [];
    expect(said.map((m) => [m.model, m.toolset])).toEqual([
      ['m1', 0],
      ['m2', 1],
    ]);
    expect(t.toolsets.map((s) => s.tools.length)).toEqual([3, 4]);
  });
});
