import { expect, test } from 'vitest';
import type { Block } from '../schema.ts';
import { readRequest } from './request.ts';

const text = (said: string): Block => ({ type: 'text', text: said });

test('everything that reaches the model is read', () => {
  const parameters = { type: 'object', properties: {} };
  const request = readRequest({
    model: 'gpt-x',
    instructions: 'I',
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high' },
    tools: [
      { type: 'function', name: 'f', description: null, parameters, strict: false },
      { type: 'custom', name: 'apply_patch', description: 'p', format: { type: 'grammar' } },
      { type: 'web_search' },
    ],
    input: [
      { role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { type: 'message', role: 'user', content: 'hi' },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [
          { type: 'summary_text', text: 'one' },
          { type: 'summary_text', text: 'two' },
        ],
        encrypted_content: 'E',
      },
      { type: 'reasoning', summary: [], encrypted_content: 'F' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'calling', annotations: [] }] },
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'f', arguments: '{"x":1}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '*** Begin Patch' },
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } },
      { type: 'web_search_call', id: 'ws', status: 'completed' },
      { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
        ],
      },
      { type: 'local_shell_call_output', call_id: 'c', output: 'a.ts' },
      { role: 'assistant', content: 'Fertig' },
    ],
  });
  expect(request).toMatchObject({ model: 'gpt-x', stream: false, system: [text('I'), text('D')], problems: [] });
  expect(request.params).toEqual({
    store: false,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'high' },
  });
  expect(request.tools).toEqual([
    { name: 'f', description: '', schema: parameters },
    {
      name: 'apply_patch',
      description: 'p',
      schema: null,
      raw: { type: 'custom', name: 'apply_patch', description: 'p', format: { type: 'grammar' } },
    },
    { name: 'web_search', description: '', schema: null, raw: { type: 'web_search' } },
  ]);
  expect(request.messages).toEqual([
    { role: 'user', blocks: [text('hi')] },
    {
      role: 'assistant',
      blocks: [
        { type: 'thinking', text: 'one\n\ntwo', signature: 'E' },
        { type: 'thinking', text: '', signature: 'F' },
        text('calling'),
        { type: 'tool_call', id: 'a', name: 'f', input: { x: 1 } },
        { type: 'tool_call', id: 'b', name: 'apply_patch', input: '*** Begin Patch' },
        { type: 'tool_call', id: 'c', name: 'local_shell', input: { type: 'exec', command: ['ls'] } },
        { type: 'unknown', raw: { type: 'web_search_call', id: 'ws', status: 'completed' } },
      ],
    },
    { role: 'tool', blocks: [{ type: 'tool_result', id: 'b', blocks: [text('done')] }] },
    {
      role: 'tool',
      blocks: [
        { type: 'tool_result', id: 'a', blocks: [text('seen'), { type: 'image', mediaType: 'image/png', bytes: 8 }] },
      ],
    },
    { role: 'tool', blocks: [{ type: 'tool_result', id: 'c', blocks: [text('a.ts')] }] },
    { role: 'assistant', blocks: [text('Fertig')] },
  ]);
});

test('a string is one user message', () => {
  expect(readRequest({ input: 'hi' }).messages).toEqual([{ role: 'user', blocks: [text('hi')] }]);
});

test.each<[body: Record<string, unknown>, field: string, kind: string]>([
  [{ input: 7 }, 'input', 'wrong_type'],
  [{ input: [{ type: 7 }] }, 'input[0].type', 'wrong_type'],
  [
    { input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{x' }] },
    'input[0].arguments',
    'invalid_arguments',
  ],
  [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id', 'wrong_type'],
  [{ instructions: 7 }, 'instructions', 'wrong_type'],
])('%j is reported at %s', (body, field, kind) => {
  expect(readRequest(body).problems).toContainEqual(expect.objectContaining({ field, kind }));
});
