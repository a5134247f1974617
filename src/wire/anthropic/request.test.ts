import { describe, expect, test } from 'vitest';
import type { Block, DecodedRequest } from '../schema.ts';
import { readRequest } from './request.ts';

const PNG = 'iVBORw0KGgo='; // 8 bytes
const text = (said: string): Block => ({ type: 'text', text: said });
const user = (content: unknown): DecodedRequest => readRequest({ model: 'm', messages: [{ role: 'user', content }] });
const blocksOf = (content: unknown): Block[] | undefined => user(content).messages[0]?.blocks;

test('everything that reaches the model is read', () => {
  const schema = {
    type: 'object',
    properties: { cache_control: { $ref: '#/$defs/c' } },
    $defs: { c: { type: 'string' } },
  };
  const request = readRequest({
    model: 'claude-x',
    stream: true,
    max_tokens: 32_000,
    temperature: 1,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tool_choice: { type: 'auto' },
    metadata: { user_id: 'u' },
    system: [
      { type: 'text', text: 'You are A.' },
      { type: 'text', text: 'Rule: B', cache_control: { type: 'ephemeral' } },
    ],
    tools: [
      { name: 'Read', description: 'Reads.', input_schema: schema, cache_control: { type: 'ephemeral' } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
    ],
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'alpha', signature: 'S1' },
          { type: 'redacted_thinking', data: 'RA==' },
          { type: 'tool_use', id: 'a', name: 'Read', input: { signature: 'mine', cache_control: 1 } },
          { type: 'thinking', thinking: '', signature: 'S2' },
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          text('before'),
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: true,
            content: [text('boom'), { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }],
          },
          { type: 'tool_result', tool_use_id: 'b', is_error: false, content: 'ok' },
          { type: 'tool_result', tool_use_id: 'c' },
          text('after'),
        ],
      },
    ],
  });
  expect(request).toEqual({
    model: 'claude-x',
    stream: true,
    system: [text('You are A.'), text('Rule: B')],
    tools: [
      { name: 'Read', description: 'Reads.', schema },
      {
        name: 'web_search',
        description: '',
        schema: null,
        raw: { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      },
    ],
    params: {
      max_tokens: 32_000,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      tool_choice: { type: 'auto' },
      metadata: { user_id: 'u' },
    },
    messages: [
      { role: 'user', blocks: [text('hi')] },
      {
        role: 'assistant',
        blocks: [
          { type: 'thinking', text: 'alpha', signature: 'S1' },
          { type: 'redacted_thinking', data: 'RA==' },
          { type: 'tool_call', id: 'a', name: 'Read', input: { signature: 'mine', cache_control: 1 } },
          { type: 'thinking', text: '', signature: 'S2' },
          { type: 'unknown', raw: { type: 'server_tool_use', id: 's', name: 'web_search', input: {} } },
        ],
      },
      {
        role: 'user',
        blocks: [
          text('before'),
          {
            type: 'tool_result',
            id: 'a',
            isError: true,
            blocks: [text('boom'), { type: 'image', mediaType: 'image/png', bytes: 8 }],
          },
          { type: 'tool_result', id: 'b', blocks: [text('ok')] },
          { type: 'tool_result', id: 'c', blocks: [] },
          text('after'),
        ],
      },
    ],
    problems: [],
  });
});

test('a string, and a list of one text, are the same', () => {
  expect(blocksOf('hi')).toEqual(blocksOf([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]));
  expect(blocksOf('')).toEqual([text('')]);
  expect(readRequest({ system: 'S' }).system).toEqual(readRequest({ system: [text('S')] }).system);
});

describe('what is not as it should be is reported, not thrown', () => {
  test.each<[body: unknown, field: string, kind: string]>([
    [null, 'body', 'wrong_type'],
    [[], 'body', 'wrong_type'],
    [{ model: 7 }, 'model', 'wrong_type'],
    [{ system: null }, 'system', 'wrong_type'],
    [{ tools: null }, 'tools', 'wrong_type'],
    [{ tools: [{ name: 1 }] }, 'tools[0].name', 'wrong_type'],
    [{ messages: 'hi' }, 'messages', 'wrong_type'],
    [{ messages: [null] }, 'messages[0]', 'wrong_type'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role', 'unknown_role'],
    [{ messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'wrong_type'],
    [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text', 'wrong_type'],
    [{ messages: [{ role: 'user', content: ['x'] }] }, 'messages[0].content[0]', 'wrong_type'],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: null }] }] },
      'messages[0].content[0].input',
      'wrong_type',
    ],
    [{ messages: [{ role: 'user', content: 'a\ud83d' }] }, 'messages[0].content', 'lossy_unicode'],
    [{ metadata: { 'x\ud83d': 1 } }, 'metadata.x\ufffd', 'lossy_unicode'],
  ])('%j', (body, field, kind) => {
    expect(readRequest(body).problems).toContainEqual(expect.objectContaining({ kind, field }));
  });

  test('a message whose content is missing is kept, empty', () => {
    expect(readRequest({ messages: [{ role: 'assistant' }] }).messages).toEqual([{ role: 'assistant', blocks: [] }]);
  });
});

test('arguments that were sent as text are kept as they were sent', () => {
  const call = (input: unknown): unknown => ({
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input }] }],
  });
  const half = readRequest(call('{"path": "a.p'));
  expect(half.messages[0]?.blocks).toEqual([
    { type: 'tool_call', id: 'a', name: 'f', input: null, rawInput: '{"path": "a.p' },
  ]);
  expect(half.problems).toMatchObject([{ kind: 'invalid_arguments', field: 'messages[0].content[0].input' }]);
  expect(readRequest(call('{"a":1}')).messages[0]?.blocks).toEqual([
    { type: 'tool_call', id: 'a', name: 'f', input: { a: 1 }, rawInput: '{"a":1}' },
  ]);
});

test('the request is not changed in place', () => {
  const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'a\ud83d' }] }] };
  const copy = structuredClone(body);
  readRequest(body);
  expect(body).toEqual(copy);
});

test('messages and tools of chat completions in this API are read as what they are', () => {
  const { messages, tools, problems } = readRequest({
    tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
    messages: [
      { role: 'system', content: 'SYS' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'FILE' },
    ],
  });
  expect(tools).toEqual([{ name: 'f', description: 'd', schema: { type: 'object' } }]);
  expect(messages).toEqual([
    { role: 'system', blocks: [text('SYS')] },
    { role: 'assistant', blocks: [{ type: 'tool_call', id: 'a', name: 'f', input: { x: 1 } }] },
    { role: 'tool', blocks: [{ type: 'tool_result', id: 'a', blocks: [text('FILE')] }] },
  ]);
  expect(problems).toEqual([]);
});
