import { afterEach, describe, expect, test } from 'vitest';
import { decodeReply } from '../../../src/wire/all.ts';
import type { DecodedReply, Protocol, ReplyPlan } from '../../../src/wire/schema.ts';
import { type FakeProvider, startFakeProvider } from './server.ts';

const PLAN: ReplyPlan = {
  id: 'r1',
  model: 'fake-model',
  blocks: [{ type: 'text', text: 'Good morning.' }],
  stop: 'end',
  usage: { input: 3, output: 4 },
};
const running: FakeProvider[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.close()));
});
const start = async (protocol: Protocol): Promise<FakeProvider> => {
  const fake = await startFakeProvider(protocol);
  running.push(fake);
  fake.answer(PLAN);
  return fake;
};

const PATHS: Readonly<Record<Protocol, string>> = {
  anthropic: '/v1/messages',
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  gemini: '/v1beta/models/fake-model:generateContent',
};
const HEADERS: Readonly<Record<Protocol, Record<string, string>>> = {
  anthropic: { 'x-api-key': 'fake-key', 'anthropic-version': '2023-06-01' },
  'openai-chat': { authorization: 'Bearer fake-key' },
  'openai-responses': { authorization: 'Bearer fake-key' },
  gemini: { 'x-goog-api-key': 'fake-key' },
};
const ask = async (
  fake: FakeProvider,
  protocol: Protocol,
  body: unknown,
  headers = HEADERS[protocol],
  path = PATHS[protocol],
): Promise<DecodedReply> => {
  const response = await fetch(fake.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return decodeReply(protocol, [bytes], {
    contentType: response.headers.get('content-type') ?? '',
    status: response.status,
  });
};

const user = { role: 'user', content: 'hi' };
const A = { model: 'fake-model', max_tokens: 9000 };
const use = (id: string): unknown => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] });
const result = (id: string, ...before: unknown[]): unknown => ({
  role: 'user',
  content: [...before, { type: 'tool_result', tool_use_id: id, content: 'x' }],
});
const tool = (schema: unknown): unknown[] => [{ name: 'f', input_schema: schema }];
const call = (id: string): unknown => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
});
const G = (...contents: unknown[]): unknown => ({ contents });
const said = { role: 'user', parts: [{ text: 'hi' }] };
const fcall = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] };
const fanswer = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] };

describe('what the real APIs refuse', () => {
  test.each<[protocol: Protocol, what: string, body: unknown, message: RegExp, status?: number]>([
    ['anthropic', 'unknown model', { ...A, model: 'x', messages: [user] }, /^model: x$/, 404],
    ['anthropic', 'no messages', { ...A, messages: [] }, /at least one message/],
    ['anthropic', 'no max_tokens', { model: 'fake-model', messages: [user] }, /max_tokens: Field required/],
    ['anthropic', 'a role', { ...A, messages: [{ role: 'system', content: 'x' }] }, /Unexpected role/],
    ['anthropic', 'the first role', { ...A, messages: [{ role: 'assistant', content: 'x' }] }, /first message/],
    [
      'anthropic',
      'a call without result',
      { ...A, messages: [user, use('a'), user] },
      /without `tool_result` blocks immediately after: a/,
    ],
    ['anthropic', 'a result without call', { ...A, messages: [user, result('a')] }, /unexpected `tool_use_id`/],
    [
      'anthropic',
      'text before results',
      { ...A, messages: [user, use('a'), result('a', { type: 'text', text: 'x' })] },
      /without `tool_result`/,
    ],
    ['anthropic', 'a schema without type', { ...A, messages: [user], tools: tool({}) }, /input_schema.type/],
    ['anthropic', 'a union', { ...A, messages: [user], tools: tool({ type: 'object', anyOf: [] }) }, /top level/],
    [
      'anthropic',
      'a lost thinking block',
      { ...A, thinking: { type: 'enabled', budget_tokens: 2000 }, messages: [user, use('a'), result('a')] },
      /must start with a thinking block/,
    ],
    [
      'anthropic',
      'a made-up signature',
      {
        ...A,
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 't', signature: 'X' },
              { type: 'text', text: 'x' },
            ],
          },
          user,
        ],
      },
      /Invalid `signature`/,
    ],
    ['anthropic', 'an unknown field', { ...A, messages: [user], seed: 1 }, /Extra inputs/],
    ['openai-chat', 'unknown model', { model: 'x', messages: [user] }, /does not exist/, 404],
    [
      'openai-chat',
      'a role',
      { model: 'fake-model', messages: [{ role: 'model', content: 'x' }] },
      /Invalid value: 'model'/,
    ],
    [
      'openai-chat',
      'a call without result',
      { model: 'fake-model', messages: [user, call('a'), user] },
      /did not have response messages: a/,
    ],
    [
      'openai-chat',
      'a result without call',
      { model: 'fake-model', messages: [user, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      /preceeding message/,
    ],
    [
      'openai-chat',
      'an image of a tool',
      {
        model: 'fake-model',
        messages: [
          user,
          call('a'),
          { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: { url: 'data:' } }] },
        ],
      },
      /only allowed for messages with role 'user'/,
    ],
    [
      'openai-chat',
      'a schema',
      {
        model: 'fake-model',
        messages: [user],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      },
      /missing properties/,
    ],
    [
      'openai-responses',
      'a call without result',
      { model: 'fake-model', input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }] },
      /No tool output found for function call a/,
    ],
    [
      'openai-responses',
      'a result without call',
      { model: 'fake-model', input: [{ type: 'function_call_output', call_id: 'a', output: '' }] },
      /No tool call found/,
    ],
    [
      'openai-responses',
      'reasoning alone',
      { model: 'fake-model', input: [{ type: 'reasoning', id: 'rs', summary: [] }] },
      /required following item/,
    ],
    ['gemini', 'a role', G({ role: 'assistant', parts: [{ text: 'x' }] }), /valid role/],
    ['gemini', 'a call without result', G(said, fcall, said), /number of function response parts/],
    ['gemini', 'a result without call', G(said, fanswer), /function response turn/],
    ['gemini', 'a call first', G(fcall, fanswer), /immediately after a user turn/],
    [
      'gemini',
      'a schema',
      {
        contents: [said],
        tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'object', additionalProperties: false } }] }],
      },
      /additionalProperties/,
    ],
  ])('%s: %s', async (protocol, _, body, message, status = 400) => {
    const fake = await start(protocol);
    const reply = await ask(fake, protocol, body);
    expect(reply.error?.message).toMatch(message);
    expect(reply.error?.status).toBe(status);
    expect(fake.refusals).toHaveLength(1);
  });

  test.each(Object.keys(PATHS) as Protocol[])('%s: a missing key', async (protocol) => {
    const reply = await ask(await start(protocol), protocol, {}, {});
    expect([401, 403]).toContain(reply.error?.status);
  });
});

test.each<[Protocol, unknown]>([
  ['anthropic', { ...A, messages: [user, use('a'), result('a')] }],
  [
    'openai-chat',
    { model: 'fake-model', messages: [user, call('a'), { role: 'tool', tool_call_id: 'a', content: 'x' }] },
  ],
  ['openai-responses', { model: 'fake-model', input: [user] }],
  ['gemini', G(said, fcall, fanswer)],
])('%s: what is right is answered from the queue', async (protocol, body) => {
  expect(await ask(await start(protocol), protocol, body)).toMatchObject({ outcome: 'complete', blocks: PLAN.blocks });
});

test('a stream can be cut, with or without a clean end', async () => {
  const fake = await startFakeProvider('anthropic');
  running.push(fake);
  fake.answer({ cut: PLAN, after: 3, clean: true }, { cut: PLAN, after: 3 });
  const body = { ...A, stream: true, messages: [user] };
  expect((await ask(fake, 'anthropic', body)).reason).toBe('missing_message_stop');
  await expect(ask(fake, 'anthropic', body)).rejects.toThrow();
});
