import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fixture } from '../../test/fixtures/wire/read.ts';
import { protocols } from './all.ts';
import type { Protocol } from './schema.ts';

const numRuns = process.env.OCTOBENCH_LONG === '1' ? 20_000 : 300;
const PATH = '/v1beta/models/m:generateContent';

// Keys and words that readers look for, in places where they do not belong.
const word = fc.constantFrom(
  ...[
    'messages',
    'content',
    'role',
    'type',
    'text',
    'thinking',
    'signature',
    'tool_use',
    'tool_result',
    'tool_calls',
    'function',
  ],
  ...[
    'arguments',
    'input',
    'output',
    'system',
    'tools',
    'contents',
    'parts',
    'functionCall',
    'functionResponse',
    'inlineData',
  ],
  ...[
    'assistant',
    'user',
    'tool',
    'model',
    'developer',
    'error',
    'usage',
    'delta',
    'choices',
    'candidates',
    'index',
    'summary',
  ],
  ...[
    'constructor',
    '__proto__',
    'toString',
    'image',
    'source',
    'image_url',
    'function_call',
    'function_call_output',
    'custom',
  ],
);
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, 0, -1, 1e308, '', '\ud83d', 'data:image/png;base64,AA=='),
    word,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(word, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
// Messages whose outermost shape is right, so that the inner readers are reached.
const body = fc.oneof(
  anything,
  fc.array(fc.tuple(word, anything)).map((entries) => Object.fromEntries(entries)),
  fc
    .tuple(fc.constantFrom('messages', 'input', 'contents'), fc.array(anything), anything)
    .map(([key, list, more]) => ({ [key]: list, system: more, tools: list })),
);

const wellFormed = (value: unknown): boolean =>
  (JSON.stringify(value) ?? '').replaceAll('\\\\', '').match(/\\ud[89a-f]/) === null;

describe.each(Object.keys(protocols) as Protocol[])('%s', (name) => {
  const protocol = protocols[name];

  test('reads any JSON as a request', () => {
    fc.assert(
      fc.property(body, (value) => {
        const before = JSON.stringify(value);
        const { messages, system, tools, params } = protocol.readRequest(value, PATH);
        expect(wellFormed([messages, system, tools, params])).toBe(true);
        expect(JSON.stringify(value)).toBe(before);
      }),
      { numRuns },
    );
  });

  test('reads any bytes as a reply', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const options = fc.record({
      contentType: fc.constantFrom('', 'text/event-stream', 'application/json'),
      status: fc.constantFrom(200, 204, 404, 500),
    });
    fc.assert(
      fc.property(bytes, options, (chunk, given) => {
        expect(['complete', 'incomplete', 'error']).toContain(protocol.decodeReply([chunk], given).outcome);
      }),
      { numRuns },
    );
  });

  test('reads any JSON as a reply, streamed or whole', () => {
    const event = fc.oneof(
      anything,
      fc
        .tuple(
          fc.constantFrom(
            'content_block_start',
            'content_block_delta',
            'message_delta',
            'response.output_item.added',
            'response.output_text.delta',
            'response.completed',
          ),
          anything,
          anything,
        )
        .map(([type, a, b]) => ({
          type,
          index: 0,
          output_index: 0,
          content_index: a,
          content_block: a,
          delta: b,
          item: b,
          response: a,
          usage: b,
        })),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const stream = events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join('');
        const streamed = protocol.decodeReply([Buffer.from(stream)], { contentType: 'text/event-stream' });
        expect(wellFormed(streamed.blocks)).toBe(true);
        for (const e of events)
          protocol.decodeReply([Buffer.from(JSON.stringify(e))], { contentType: 'application/json' });
      }),
      { numRuns },
    );
  });

  test('reads a captured stream with bytes damaged', () => {
    const stream = fixture(
      {
        anthropic: 'anthropic-tools.sse',
        'openai-chat': 'openai-chat-tools.sse',
        'openai-responses': 'openai-responses-tools.sse',
        gemini: 'gemini-tools.sse',
      }[name],
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(stream.length - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
        (damage) => {
          const copy = Uint8Array.from(stream);
          for (const [at, byte] of damage) copy[at] = byte;
          protocol.decodeReply([copy], { contentType: 'text/event-stream' });
        },
      ),
      { numRuns },
    );
  });

  test('survives what is nested too deep to walk over', () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const value = JSON.parse(
      `{"messages":[{"role":"user","content":${deep}}],"system":${deep},"tools":[{"name":"t","input_schema":{"a":${deep}}}]}`,
    ) as unknown;
    expect(protocol.readRequest(value, PATH).problems.some(({ kind }) => kind === 'too_deep')).toBe(true);
    const error = protocol.decodeReply([Buffer.from(`{"error":{"type":"x","detail":${deep}}}`)], {
      contentType: '',
      status: 400,
    });
    expect(error.outcome).toBe('error');
    const reply = protocol.writeReply(
      {
        id: 'a',
        model: 'm',
        blocks: [{ type: 'tool_call', id: 'c', name: 'f', input: null, rawInput: `{"a":${deep}}` }],
        stop: 'tool',
        usage: { input: 1, output: 1 },
      },
      true,
    );
    protocol.decodeReply(reply.chunks, { contentType: 'text/event-stream' });
    const nest = (open: string, close: string): string => `${open.repeat(15_000)}null${close.repeat(15_000)}`;
    const bodies = [
      deep,
      `{"content":${nest('[{"type":"tool_result","content":', '}]')}}`,
      nest('{"type":"response.failed","response":', '}'),
      `[${nest('{"error":', '}')}`,
    ];
    for (const text of bodies) {
      protocol.decodeReply([Buffer.from(text)], { contentType: '' });
      protocol.decodeReply([Buffer.from(`data: ${text}\n\n`)], { contentType: '' });
    }
  });
});
