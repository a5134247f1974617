import { expect, test } from 'vitest';
import type { Block } from '../schema.ts';
import { readRequest } from './request.ts';

const text = (said: string): Block => ({ type: 'text', text: said });

test('everything that reaches the model is read', () => {
  const parameters = { type: 'object', properties: { x: { type: 'number' } } };
  const request = readRequest({
    model: 'gpt-x',
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: 'high',
    tool_choice: 'auto',
    tools: [
      { type: 'function', function: { name: 'f', description: 'd', parameters, strict: true } },
      { type: 'function', function: { name: 'bare' } },
      { type: 'custom', custom: { name: 'patch', description: 'p' } },
    ],
    functions: [{ name: 'old', parameters }],
    messages: [
      { role: 'system', content: 'S' },
      { role: 'developer', content: [text('D')] },
      {
        role: 'user',
        content: [text('look'), { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
      },
      {
        role: 'assistant',
        content: 'calling',
        reasoning_content: 'think',
        tool_calls: [
          { id: 'b', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
          { id: 'c', type: 'function', function: { name: 'f', arguments: '{x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: [text('one'), text('two')] },
      { role: 'tool', tool_call_id: 'b', content: 'three' },
      { role: 'system', content: 'later' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }] },
    ],
  });
  expect(request).toMatchObject({ model: 'gpt-x', stream: true, system: [text('S'), text('D')] });
  expect(request.params).toEqual({
    stream_options: { include_usage: true },
    reasoning_effort: 'high',
    tool_choice: 'auto',
  });
  expect(request.tools).toEqual([
    { name: 'f', description: 'd', schema: parameters },
    { name: 'bare', description: '', schema: null },
    {
      name: 'patch',
      description: 'p',
      schema: null,
      raw: { type: 'custom', custom: { name: 'patch', description: 'p' } },
    },
    { name: 'old', description: '', schema: parameters },
  ]);
  expect(request.messages).toEqual([
    { role: 'user', blocks: [text('look'), { type: 'image', mediaType: 'image/png', bytes: 8 }] },
    {
      role: 'assistant',
      blocks: [
        { type: 'thinking', text: 'think' },
        text('calling'),
        { type: 'tool_call', id: 'b', name: 'f', input: { x: 1 } },
        { type: 'tool_call', id: 'a', name: 'f', input: {} },
        { type: 'tool_call', id: 'c', name: 'f', input: null, rawInput: '{x' },
      ],
    },
    { role: 'tool', blocks: [{ type: 'tool_result', id: 'a', blocks: [text('one'), text('two')] }] },
    { role: 'tool', blocks: [{ type: 'tool_result', id: 'b', blocks: [text('three')] }] },
    { role: 'system', blocks: [text('later')] },
    {
      role: 'user',
      blocks: [{ type: 'unknown', raw: { type: 'image_url', image_url: { url: 'https://example.org/a.png' } } }],
    },
  ]);
  expect(request.problems).toEqual([
    {
      kind: 'invalid_arguments',
      severity: 'warning',
      field: 'messages[3].tool_calls[2].function.arguments',
      message: expect.any(String),
    },
  ]);
});

test.each<[message: unknown, field: string]>([
  [{ role: 'tool', content: 'x' }, 'messages[0].tool_call_id'],
  [{ role: 'assistant', tool_calls: 'x' }, 'messages[0].tool_calls'],
  [{ role: 'assistant', tool_calls: [{ id: 'a' }] }, 'messages[0].tool_calls[0].function'],
  [
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name: null } }] },
    'messages[0].tool_calls[0].function.name',
  ],
  [{ role: 'user', content: 7 }, 'messages[0].content'],
  [{ role: 'user', content: '\udc00' }, 'messages[0].content'],
  [{ content: 'x' }, 'messages[0].role'],
])('%j is reported at %s', (message, field) => {
  expect(readRequest({ messages: [message] }).problems.map((p) => p.field)).toContain(field);
});

test('an assistant message with null content and tool calls is as it should be', () => {
  const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];
  expect(readRequest({ messages: [{ role: 'assistant', content: null, tool_calls: calls }] }).problems).toEqual([]);
});
