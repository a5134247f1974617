import { describe, expect, test } from 'vitest';
import { json, sse } from '../../../test/fixtures/wire/read.ts';
import type { Block, DecodedReply } from '../schema.ts';
import { openaiChat } from './protocol.ts';

const STREAM = { contentType: 'text/event-stream' };
const chunk = (delta: unknown, finish: string | null = null): unknown => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const stream = (...deltas: unknown[]): DecodedReply =>
  openaiChat.decodeReply(sse(...deltas.map((d) => chunk(d)), chunk({}, 'stop'), '[DONE]'), STREAM);
const whole = (message: unknown): DecodedReply =>
  openaiChat.decodeReply(json({ choices: [{ index: 0, message, finish_reason: 'stop' }] }), { contentType: '' });
const call = (id: string, name: string, input: unknown): Block => ({ type: 'tool_call', id, name, input });
const fragment = (more: object, name?: string, args?: string): unknown => ({
  ...more,
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

describe('fragments of tool calls', () => {
  const AB = [call('a', 'f', { x: 1 }), call('b', 'g', { y: 2 })];
  test.each<[what: string, deltas: unknown[], blocks: Block[]]>([
    [
      'interleaved',
      [
        { tool_calls: [fragment({ index: 0, id: 'a' }, 'f', '{"x"')] },
        { tool_calls: [fragment({ index: 1, id: 'b' }, 'g', '{"y"')] },
        { tool_calls: [fragment({ index: 1 }, undefined, ':2}'), fragment({ index: 0 }, undefined, ':1}')] },
      ],
      AB,
    ],
    [
      'one index for all, new ids',
      [
        { tool_calls: [fragment({ index: 0, id: 'a' }, 'f', '{"x":1}')] },
        { tool_calls: [fragment({ index: 0, id: 'b' }, 'g', '{"y":2}')] },
      ],
      AB,
    ],
    [
      'no index',
      [
        { tool_calls: [fragment({ id: 'a' }, 'f', '{"x"')] },
        { tool_calls: [fragment({}, undefined, ':1}')] },
        { tool_calls: [fragment({ id: 'b' }, 'g', '{"y":2}')] },
      ],
      AB,
    ],
    [
      'id and name in every fragment',
      [
        { tool_calls: [fragment({ index: 0, id: 'a' }, 'f', '{"x"')] },
        { tool_calls: [fragment({ index: 0, id: 'a' }, 'f', ':1}')] },
      ],
      AB.slice(0, 1),
    ],
    ['indexes that start at 1', [{ tool_calls: [fragment({ index: 1, id: 'a' }, 'f', '{"x":1}')] }], AB.slice(0, 1)],
    [
      'arguments as an object',
      [{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }] }],
      AB.slice(0, 1),
    ],
    ['no arguments', [{ tool_calls: [fragment({ index: 0, id: 'a' }, 'f')] }], [call('a', 'f', {})]],
    ['an empty list beside text', [{ content: 'hi', tool_calls: [] }], [{ type: 'text', text: 'hi' }]],
    [
      'a custom tool',
      [
        { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '*** Be' } }] },
        { tool_calls: [{ index: 0, custom: { input: 'gin' } }] },
      ],
      [call('a', 'patch', '*** Begin')],
    ],
  ])('%s', (_, deltas, blocks) => {
    expect(stream(...deltas).blocks).toEqual(blocks);
  });

  test('calls without ids get some that a history of the same call gets too', () => {
    const [legacy] = stream(
      { function_call: { name: 'f', arguments: '{"x"' } },
      { function_call: { arguments: ':1}' } },
    ).blocks;
    expect(legacy).toMatchObject({
      type: 'tool_call',
      name: 'f',
      input: { x: 1 },
      id: expect.stringMatching(/^call_/),
    });
    const history = openaiChat.readRequest(
      {
        messages: [
          { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"x": 1}' } },
          { role: 'function', name: 'f', content: 'done' },
        ],
      },
      '',
    ).messages;
    expect(history[0]?.blocks).toEqual([legacy]);
    expect(history[1]?.blocks).toMatchObject([{ type: 'tool_result', id: legacy?.type === 'tool_call' && legacy.id }]);
  });
});

describe('reasoning', () => {
  const THINK: Block = { type: 'thinking', text: 'think' };
  const OK: Block = { type: 'text', text: 'ok' };
  test.each<[what: string, message: Record<string, unknown>, blocks: Block[]]>([
    ['reasoning', { reasoning: 'think' }, [THINK]],
    ['reasoning_content', { reasoning_content: 'think' }, [THINK]],
    ['both', { reasoning: 'think', reasoning_content: 'think' }, [THINK]],
    ['one of them empty', { reasoning: 'think', reasoning_content: '' }, [THINK]],
    ['one of them null', { reasoning: null, reasoning_content: 'think' }, [THINK]],
    [
      'details',
      { reasoning: 'think', reasoning_details: [{ type: 'reasoning.text', text: 'think', index: 0 }] },
      [THINK],
    ],
    [
      'details with a signature',
      { reasoning: 'think', reasoning_details: [{ type: 'reasoning.text', text: 'think', signature: 'S', index: 0 }] },
      [{ ...THINK, signature: 'S' }],
    ],
    [
      'encrypted details beside the text',
      { reasoning: 'think', reasoning_details: [{ type: 'reasoning.encrypted', data: 'E', index: 0 }] },
      [THINK, { type: 'redacted_thinking', data: 'E' }],
    ],
    ['a summary', { reasoning_details: [{ type: 'reasoning.summary', summary: 'think', index: 0 }] }, [THINK]],
  ])('%s, streamed and whole', (_, message, blocks) => {
    expect(stream(message, { content: 'ok' }).blocks).toEqual([...blocks, OK]);
    expect(whole({ role: 'assistant', content: 'ok', ...message }).blocks).toEqual([...blocks, OK]);
  });

  test('details in pieces', () => {
    const detail = (more: object): unknown => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] });
    expect(stream(detail({ text: 'th' }), detail({ text: 'ink' }), detail({ signature: 'S' })).blocks).toEqual([
      { ...THINK, signature: 'S' },
    ]);
  });

  test('a list of parts, as Mistral sends it', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'think' }] },
      { type: 'text', text: 'ok' },
    ];
    expect(stream({ content }).blocks).toEqual([THINK, OK]);
    expect(whole({ role: 'assistant', content }).blocks).toEqual([THINK, OK]);
  });
});

test('of several choices the first one counts', () => {
  const choices = [
    { index: 1, delta: { content: 'no' }, finish_reason: 'stop' },
    { index: 0, delta: { content: 'yes' }, finish_reason: 'stop' },
  ];
  expect(openaiChat.decodeReply(sse({ choices }, '[DONE]'), STREAM).blocks).toEqual([{ type: 'text', text: 'yes' }]);
});

test('a usage that grows in every chunk is not added up', () => {
  const usage = (output: number): unknown => ({
    choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 7, completion_tokens: output },
  });
  expect(openaiChat.decodeReply(sse(usage(1), usage(2), usage(3), '[DONE]'), STREAM).usage).toMatchObject({
    input: 7,
    output: 3,
  });
});

test('an empty answer has no blocks, a refusal is what was said', () => {
  expect(whole({ role: 'assistant', content: '' })).toMatchObject({ outcome: 'complete', blocks: [] });
  expect(stream({ content: '' }).blocks).toEqual([]);
  expect(stream({ refusal: 'No.' }).blocks).toEqual([{ type: 'text', text: 'No.' }]);
});
