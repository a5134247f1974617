import { expect, test } from 'vitest';
import { decode, minimal, names, play, said, send, TWO_QUERIES } from '../../../test/fixtures/recording/scripted.ts';
import type { Block, Protocol, ToolCall } from '../../wire/schema.ts';

const asMessages: Record<Exclude<Protocol, 'anthropic'>, (blocks: Block[], history: unknown[]) => unknown> = {
  'openai-chat': (blocks, history) => {
    const calls = blocks.filter((b): b is ToolCall => b.type === 'tool_call');
    history.push({
      role: 'assistant',
      content: null,
      ...(calls.length > 0
        ? {
            tool_calls: calls.map((c) => ({
              id: c.id,
              type: 'function',
              function: { name: c.name, arguments: JSON.stringify(c.input) },
            })),
          }
        : { content: 'text' }),
    });
    for (const c of calls) history.push({ role: 'tool', tool_call_id: c.id, content: 'ok' });
    return { model: 'm', messages: history };
  },
  'openai-responses': (blocks, history) => {
    for (const b of blocks) {
      if (b.type === 'text')
        history.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: b.text }] });
      if (b.type === 'tool_call')
        history.push({ type: 'function_call', call_id: b.id, name: b.name, arguments: JSON.stringify(b.input) });
    }
    for (const b of blocks)
      if (b.type === 'tool_call') history.push({ type: 'function_call_output', call_id: b.id, output: 'ok' });
    return { model: 'm', input: history };
  },
  gemini: (blocks, history) => {
    const calls = blocks.filter((b): b is ToolCall => b.type === 'tool_call');
    history.push({
      role: 'model',
      parts: blocks.flatMap((b): unknown[] =>
        b.type === 'text'
          ? [{ text: b.text }]
          : b.type === 'tool_call'
            ? [{ functionCall: { name: b.name, args: b.input } }]
            : [],
      ),
    });
    if (calls.length > 0)
      history.push({
        role: 'user',
        parts: calls.map((c) => ({ functionResponse: { name: c.name, response: { output: 'ok' } } })),
      });
    return { contents: history };
  },
};

test.each(['openai-chat', 'openai-responses', 'gemini'] as const)(
  '%s: the same script, turn by turn',
  async (protocol) => {
    const model = play(TWO_QUERIES, { dialect: minimal(false), classify: () => ({ role: 'main' }) });
    const user = (text: string): unknown =>
      protocol === 'gemini' ? { role: 'user', parts: [{ text }] } : { role: 'user', content: text };
    const history: unknown[] = [user('Fix')];
    const seen: unknown[] = [];
    let body: unknown =
      protocol === 'gemini'
        ? { contents: history }
        : protocol === 'openai-chat'
          ? { model: 'm', messages: history }
          : { model: 'm', input: history };
    for (let i = 0; i < 6; i++) {
      const reply = await decode(await send(model, body, protocol), protocol);
      expect(reply.outcome).toBe('complete');
      seen.push([said(reply), names(reply).length]);
      body = asMessages[protocol](reply.blocks, history);
      if (names(reply).length === 0) history.push(user('next'));
    }
    expect(seen).toEqual([
      ['I will read.', 2],
      ['', 1],
      ['First done.', 0],
      ['Just an answer.', 0],
      ['', 1],
      ['Third done.', 0],
    ]);
  },
);
