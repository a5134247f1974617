import { describe, expect, test } from 'vitest';
import { json } from '../../../test/fixtures/wire/read.ts';
import type { Block, ToolResult } from '../schema.ts';
import { gemini } from './protocol.ts';

const PATH = '/v1beta/models/gemini-x:streamGenerateContent?alt=sse';
const text = (said: string): Block => ({ type: 'text', text: said });

test('everything that reaches the model is read', () => {
  const parameters = { type: 'OBJECT', properties: {} };
  const schema = { type: 'object', properties: {} };
  const request = gemini.readRequest(
    {
      systemInstruction: { parts: [{ text: 'S' }] },
      generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'd', parameters },
            { name: 'g', parametersJsonSchema: schema },
          ],
        },
        { googleSearch: {} },
      ],
      contents: [
        { role: 'user', parts: [{ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
        {
          role: 'model',
          parts: [
            { text: 'think', thought: true },
            { text: 'look', thoughtSignature: 'T' },
            { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 'S' },
            { functionCall: { id: 'b', name: 'g' } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'b', name: 'g', response: { output: 'two' } } },
            {
              functionResponse: {
                id: 'a',
                name: 'f',
                response: { error: 'boom' },
                parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }],
              },
            },
            { functionResponse: { id: 'c', name: 'h', response: { lines: 3 } } },
          ],
        },
      ],
    },
    PATH,
  );
  expect(request).toMatchObject({ model: 'gemini-x', stream: true, system: [text('S')], problems: [] });
  expect(request.params).toEqual({
    generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
    toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
  });
  expect(request.tools).toEqual([
    { name: 'f', description: 'd', schema: parameters },
    { name: 'g', description: '', schema },
    { name: 'googleSearch', description: '', schema: null, raw: { googleSearch: {} } },
  ]);
  expect(request.messages).toEqual([
    { role: 'user', blocks: [text('hi'), { type: 'image', mediaType: 'image/png', bytes: 8 }] },
    {
      role: 'assistant',
      blocks: [
        { type: 'thinking', text: 'think' },
        { type: 'text', text: 'look', signature: 'T' },
        { type: 'tool_call', id: 'a', name: 'f', input: { x: 1 }, signature: 'S' },
        { type: 'tool_call', id: 'b', name: 'g', input: {} },
      ],
    },
    {
      role: 'user',
      blocks: [
        { type: 'tool_result', id: 'b', blocks: [text('two')] },
        {
          type: 'tool_result',
          id: 'a',
          isError: true,
          blocks: [text('boom'), { type: 'image', mediaType: 'image/png', bytes: 8 }],
        },
        { type: 'tool_result', id: 'c', blocks: [text('{"lines":3}')] },
      ],
    },
  ]);
});

test('snake case, a bare content and a wrapped count request are read too', () => {
  const inner = {
    model: 'models/gemini-y',
    system_instruction: { parts: [{ text: 'S' }] },
    contents: { parts: [{ text: 'hi' }] },
  };
  const read = gemini.readRequest({ generateContentRequest: inner }, '/v1beta/models:countTokens');
  expect(read).toMatchObject({
    model: 'gemini-y',
    stream: false,
    system: [text('S')],
    messages: [{ role: 'user', blocks: [text('hi')] }],
  });
});

describe('calls without ids', () => {
  const call = (name: string, args: object): unknown => ({ functionCall: { name, args } });
  const answer = (name: string, output: string): unknown => ({ functionResponse: { name, response: { output } } });

  test('are paired by name and order, and a reply and its repetition agree', () => {
    const parts = [call('f', { x: 1 }), call('f', { x: 1 }), call('g', {})];
    const { messages } = gemini.readRequest(
      {
        contents: [
          { role: 'model', parts },
          { role: 'user', parts: [answer('g', '3'), answer('f', '1'), answer('f', '2'), answer('f', '?')] },
        ],
      },
      PATH,
    );
    const calls = (messages[0]?.blocks ?? []).filter((block) => block.type === 'tool_call');
    const results = (messages[1]?.blocks ?? []) as ToolResult[];
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    expect(results.map(({ id }) => id)).toEqual([calls[2]?.id, calls[0]?.id, calls[1]?.id, '']);
    const reply = gemini.decodeReply(
      json({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }),
      { contentType: '' },
    );
    expect(reply.blocks).toEqual(calls);
  });
});

describe('replies', () => {
  const chunk = (parts: unknown[], finishReason?: string): unknown => ({
    candidates: [{ content: { parts }, index: 0, finishReason }],
  });

  test('streamed as one JSON list', () => {
    const list = [chunk([{ text: 'a {"' }]), chunk([{ text: 'b' }], 'STOP')];
    const whole = JSON.stringify(list, null, 2);
    expect(gemini.decodeReply([Buffer.from(whole)], { contentType: 'application/json' })).toMatchObject({
      outcome: 'complete',
      blocks: [text('a {"b')],
    });
    const cut = gemini.decodeReply([Buffer.from(whole.slice(0, -20))], { contentType: 'application/json' });
    expect(cut).toMatchObject({ outcome: 'incomplete', reason: 'truncated_body', blocks: [text('a {"')] });
  });

  test('a refused prompt has no candidate', () => {
    const reply = gemini.decodeReply(
      json({ promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } }),
      { contentType: '' },
    );
    expect(reply).toMatchObject({ outcome: 'complete', stop: 'SAFETY', blocks: [], usage: { input: 3, output: null } });
  });

  test('a seal that comes alone belongs to the text before it', () => {
    const parts = [{ text: 'a' }, { text: '', thoughtSignature: 'S' }];
    expect(gemini.decodeReply(json(chunk(parts, 'STOP')), { contentType: '' }).blocks).toEqual([
      { type: 'text', text: 'a', signature: 'S' },
    ]);
  });
});
