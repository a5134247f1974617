import { describe, expect, test } from 'vitest';
import { byByte, everySplit, fixture, json, sse } from '../../test/fixtures/wire/read.ts';
import { decodeReply } from './all.ts';
import type { Block, DecodedReply, Protocol } from './schema.ts';

const STREAM = { contentType: 'text/event-stream; charset=utf-8' };
const JSON_BODY = { contentType: 'application/json' };

const TEXT: Block = { type: 'text', text: '先看一下 cart.ts — 3€ 👩‍💻' };
const READ: Block = { type: 'tool_call', id: 'call_01A', name: 'Read', input: { file_path: '/app/src/cart.ts' } };
const TODO: Block = { type: 'tool_call', id: 'call_01B', name: 'TodoRead', input: {} };
const THOUGHT = 'Der Korb zählt falsch 🧺.';
const COUNTED = { input: 18526, output: 131, cacheRead: 18310, cacheWrite: null };

/** The same turn as each protocol streams it: the file, what is in it, and the reason when its end is missing. */
const CAPTURED: Readonly<Record<Protocol, { file: string; reply: DecodedReply; missing: string[] }>> = {
  anthropic: {
    file: 'anthropic-tools.sse',
    reply: {
      outcome: 'complete',
      blocks: [
        { type: 'thinking', text: THOUGHT, signature: 'EqQBCkYIBxgCKkA0' },
        TEXT,
        { ...READ, id: 'toolu_01A' },
        { ...TODO, id: 'toolu_01B' },
      ],
      stop: 'tool_use',
      usage: { input: 4, output: 131, cacheRead: 18310, cacheWrite: 212 },
      events: 21,
      replacementCharacters: 0,
      model: 'claude-sonnet-4-5-20250929',
    },
    missing: ['missing_message_stop'],
  },
  'openai-chat': {
    file: 'openai-chat-tools.sse',
    reply: {
      outcome: 'complete',
      blocks: [{ type: 'thinking', text: THOUGHT }, TEXT, READ, TODO],
      stop: 'tool_calls',
      usage: COUNTED,
      events: 11,
      replacementCharacters: 0,
      model: 'gpt-x-2025',
    },
    missing: ['missing_finish_reason', 'missing_done'],
  },
  'openai-responses': {
    file: 'openai-responses-tools.sse',
    reply: {
      outcome: 'complete',
      blocks: [{ type: 'thinking', text: THOUGHT, signature: 'gAAAAABo' }, TEXT, READ, TODO],
      stop: 'completed',
      usage: COUNTED,
      events: 20,
      replacementCharacters: 0,
      model: 'gpt-x-2025',
    },
    missing: ['missing_response_completed'],
  },
  gemini: {
    file: 'gemini-tools.sse',
    reply: {
      outcome: 'complete',
      blocks: [{ type: 'thinking', text: THOUGHT }, TEXT, { ...READ, signature: 'CiQB0e2Kb' }, TODO],
      stop: 'STOP',
      usage: COUNTED,
      events: 5,
      replacementCharacters: 0,
      model: 'gemini-x',
    },
    missing: ['missing_finish_reason'],
  },
};

describe.each(Object.keys(CAPTURED) as Protocol[])('a captured stream of %s', (protocol) => {
  const { file, reply, missing } = CAPTURED[protocol];
  const bytes = fixture(file);

  test('is decoded', () => {
    expect(decodeReply(protocol, [bytes], STREAM)).toEqual(reply);
  });

  test('is the same however it is cut, and whatever its content type', () => {
    // As text: a deep comparison at each of thousands of places takes far longer than decoding.
    const whole = JSON.stringify(decodeReply(protocol, [bytes], STREAM));
    for (const cut of everySplit(bytes)) expect(JSON.stringify(decodeReply(protocol, cut, STREAM))).toBe(whole);
    expect(decodeReply(protocol, byByte(bytes), { contentType: '' })).toEqual(reply);
    expect(decodeReply(protocol, [bytes], JSON_BODY)).toEqual(reply);
  });

  test('that ends anywhere before its end is incomplete, holds no more than was sent, and nothing half as if whole', () => {
    const calls = reply.blocks.map((block) => JSON.stringify(block));
    // The last byte is the end of the blank line that dispatches the last event.
    for (let length = 0; length < bytes.length; length++) {
      const cut = decodeReply(protocol, [bytes.subarray(0, length)], STREAM);
      expect(cut.outcome).toBe('incomplete');
      expect(['empty_body', ...missing]).toContain(cut.reason);
      for (const block of cut.blocks) {
        if (block.type === 'text') expect(TEXT.type === 'text' && TEXT.text.startsWith(block.text)).toBe(true);
        if (block.type === 'thinking') expect(THOUGHT.startsWith(block.text)).toBe(true);
        if (block.type !== 'tool_call' || block.incomplete) continue;
        expect(calls).toContain(JSON.stringify(block));
      }
    }
  });
});

describe('tool calls that were cut', () => {
  const start = (raw: unknown, index = 0): unknown => ({ type: 'content_block_start', index, content_block: raw });
  const delta = (text: string, index = 0): unknown => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: text },
  });
  const call = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const limit = { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: {} };

  test('by the token limit', () => {
    const events = [
      start(call),
      delta('{"a": "b'),
      { type: 'content_block_stop', index: 0 },
      limit,
      { type: 'message_stop' },
    ];
    const reply = decodeReply('anthropic', sse(...events), STREAM);
    expect(reply).toMatchObject({ outcome: 'complete', stop: 'max_tokens' });
    expect(reply.blocks).toEqual([
      { type: 'tool_call', id: 'a', name: 'f', input: null, rawInput: '{"a": "b', incomplete: true },
    ]);
  });

  test('by the end of the stream, before and after its arguments', () => {
    const [half] = decodeReply('anthropic', sse(start(call), delta('{"a')), STREAM).blocks;
    expect(half).toMatchObject({ input: null, rawInput: '{"a', incomplete: true });
    const [none] = decodeReply('anthropic', sse(start(call)), STREAM).blocks;
    expect(none).toMatchObject({ input: null, rawInput: '', incomplete: true });
    const [whole] = decodeReply('anthropic', sse(start(call), delta('{"a":1}')), STREAM).blocks;
    expect(whole).toEqual({ type: 'tool_call', id: 'a', name: 'f', input: { a: 1 } });
  });

  test('are not confused with arguments that are no JSON', () => {
    const stop = { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} };
    const events = [
      start(call),
      delta('{a: 1}'),
      { type: 'content_block_stop', index: 0 },
      stop,
      { type: 'message_stop' },
    ];
    expect(decodeReply('anthropic', sse(...events), STREAM).blocks).toEqual([
      { type: 'tool_call', id: 'a', name: 'f', input: null, rawInput: '{a: 1}' },
    ]);
  });

  test('in chat completions, streamed or whole', () => {
    const fragment = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a' } };
    const cut = { type: 'tool_call', id: 'a', name: 'f', input: null, rawInput: '{"a', incomplete: true };
    const chunk = (finish: string | null): unknown => ({
      choices: [{ index: 0, delta: { tool_calls: [fragment] }, finish_reason: finish }],
    });
    expect(decodeReply('openai-chat', sse(chunk(null)), STREAM).blocks).toEqual([cut]);
    expect(decodeReply('openai-chat', sse(chunk('length'), '[DONE]'), STREAM).blocks).toEqual([cut]);
    const whole = {
      choices: [{ index: 0, message: { role: 'assistant', tool_calls: [fragment] }, finish_reason: 'length' }],
    };
    expect(decodeReply('openai-chat', json(whole), JSON_BODY).blocks).toEqual([cut]);
  });

  test('in responses', () => {
    const item = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{"a', status: 'incomplete' };
    const body = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [item] };
    const reply = decodeReply('openai-responses', json(body), JSON_BODY);
    expect(reply).toMatchObject({ outcome: 'complete', stop: 'max_output_tokens' });
    expect(reply.blocks).toEqual([
      { type: 'tool_call', id: 'a', name: 'f', input: null, rawInput: '{"a', incomplete: true },
    ]);
  });
});

describe('incomplete bodies', () => {
  test.each<[body: string, contentType: string, reason: string]>([
    ['', 'application/json', 'empty_body'],
    ['', 'text/event-stream', 'empty_body'],
    ['{"type":"message","content":[{"ty', 'application/json', 'truncated_body'],
    ['{}', 'application/json', 'missing_content'],
    [': keep-alive\n\n', 'text/event-stream', 'missing_message_stop'],
    ['da', 'text/event-stream', 'missing_message_stop'],
  ])('%j as %s', (body, contentType, reason) => {
    const reply = decodeReply('anthropic', [new TextEncoder().encode(body)], { contentType });
    expect(reply).toMatchObject({ outcome: 'incomplete', reason, blocks: [] });
  });

  test('an event whose data is no JSON makes a reply incomplete, as something was lost', () => {
    const events = [{ choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] }, '{"choices":', '[DONE]'];
    const reply = decodeReply('openai-chat', sse(...events), STREAM);
    expect(reply).toMatchObject({
      outcome: 'incomplete',
      reason: 'unreadable_event',
      problems: [{ field: 'events[1]' }],
    });
  });

  test('chat completions need both a finish reason and the sentinel', () => {
    const chunk = (finish: string | null): unknown => ({
      choices: [{ delta: { content: 'a' }, finish_reason: finish }],
    });
    expect(decodeReply('openai-chat', sse(chunk('stop'), '[DONE]'), STREAM).outcome).toBe('complete');
    expect(decodeReply('openai-chat', sse(chunk('stop')), STREAM).reason).toBe('missing_done');
    expect(decodeReply('openai-chat', sse(chunk(null), '[DONE]'), STREAM).reason).toBe('missing_finish_reason');
  });
});

test('half a surrogate pair is reported; a pair over two deltas is none', () => {
  const encode = (text: string): Uint8Array[] => [new TextEncoder().encode(text)];
  const delta = (text: string): string =>
    `data: {"choices":[{"delta":{"content":"${text}"},"finish_reason":"stop"}]}\n\n`;
  const pair = decodeReply('openai-chat', encode(`${delta('\\ud83d')}${delta('\\ude00')}data: [DONE]\n\n`), STREAM);
  expect(pair).toMatchObject({ blocks: [{ text: '😀' }] });
  expect(pair).not.toHaveProperty('problems');
  const half = decodeReply('openai-chat', encode(`${delta('\\ud83d')}data: [DONE]\n\n`), STREAM);
  expect(half).toMatchObject({
    blocks: [{ text: '\ufffd' }],
    problems: [{ kind: 'lossy_unicode', field: 'blocks[0].text' }],
  });
  expect(half.replacementCharacters).toBe(0);
});
