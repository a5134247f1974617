import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byByte } from '../../test/fixtures/wire/read.ts';
import { protocols } from './all.ts';
import type { Block, Protocol, ReplyPlan } from './schema.ts';

const numRuns = process.env.OCTOBENCH_LONG === '1' ? 5000 : 50;

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const id = fc.stringMatching(/^[a-z]{1,8}_[0-9a-f]{1,8}$/);
const text = words.map((said): Block => ({ type: 'text', text: said }));
const thinking = words.map((thought): Block => ({ type: 'thinking', text: thought }));
const sealed = fc
  .tuple(fc.string(), id)
  .map(([thought, signature]): Block => ({ type: 'thinking', text: thought, signature }));
const redacted = id.map((data): Block => ({ type: 'redacted_thinking', data }));
// Arguments are what JSON can hold: -0 is not.
const input = fc
  .dictionary(words, fc.jsonValue({ maxDepth: 2 }))
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const call = fc
  .tuple(id, words, input)
  .map(([callId, name, value]): Block => ({ type: 'tool_call', id: callId, name, input: value }));
const custom = fc
  .tuple(id, words, words)
  .map(([callId, name, value]): Block => ({ type: 'tool_call', id: callId, name, input: value }));

/** What each protocol can carry, in the order in which it carries it. */
const carried: Readonly<Record<Protocol, fc.Arbitrary<Block[]>>> = {
  anthropic: fc.array(fc.oneof(text, thinking, sealed, redacted, call), { maxLength: 6 }),
  'openai-responses': fc.array(fc.oneof(text, thinking, sealed, call, custom), { maxLength: 6 }),
  // One reasoning, one text, then calls.
  'openai-chat': fc
    .tuple(fc.option(thinking), fc.option(text), fc.array(call, { maxLength: 4 }))
    .map(([thought, said, calls]) => [thought, said, ...calls].filter((block) => block !== null)),
  // Neighbours of a kind are one text there.
  gemini: fc
    .array(fc.oneof(text, thinking, sealed, call), { maxLength: 6 })
    .map((blocks) => blocks.filter((block, i) => block.type === 'tool_call' || block.type !== blocks[i - 1]?.type)),
};

const planOf = (blocks: fc.Arbitrary<Block[]>): fc.Arbitrary<ReplyPlan> =>
  fc.record({
    id,
    model: fc.constant('m'),
    blocks,
    stop: fc.constantFrom('end', 'tool', 'length'),
    usage: fc.record({ input: fc.nat(), output: fc.nat() }),
  });

const STOPS: Readonly<Record<Protocol, Record<ReplyPlan['stop'], string>>> = {
  anthropic: { end: 'end_turn', tool: 'tool_use', length: 'max_tokens' },
  'openai-chat': { end: 'stop', tool: 'tool_calls', length: 'length' },
  'openai-responses': { end: 'completed', tool: 'completed', length: 'max_output_tokens' },
  gemini: { end: 'STOP', tool: 'STOP', length: 'MAX_TOKENS' },
};

describe.each(Object.keys(protocols) as Protocol[])('%s', (name) => {
  const protocol = protocols[name];
  test.each([true, false])('what is written is what is decoded (streamed: %s)', (stream) => {
    fc.assert(
      fc.property(planOf(carried[name]), (plan) => {
        const last = plan.blocks.at(-1);
        // Of a text that the token limit ends nobody can say whether it is whole.
        fc.pre(plan.stop !== 'length' || last?.type !== 'tool_call' || typeof last.input !== 'string');
        const reply = protocol.writeReply(plan, stream);
        const contentType = reply.headers.find(([header]) => header === 'content-type')?.[1] ?? '';
        const decoded = protocol.decodeReply(reply.chunks, { contentType, status: reply.status });
        expect(decoded).toMatchObject({
          outcome: 'complete',
          stop: STOPS[name][plan.stop],
          model: 'm',
          usage: { input: plan.usage.input, output: plan.usage.output },
          replacementCharacters: 0,
        });
        expect(decoded.blocks).toEqual(plan.blocks);
        expect(protocol.decodeReply(byByte(Buffer.concat(reply.chunks)), { contentType })).toEqual(decoded);
      }),
      { numRuns },
    );
  });

  test('a text is streamed in several pieces', () => {
    const plan: ReplyPlan = {
      id: 'a',
      model: 'm',
      blocks: [{ type: 'text', text: 'All done.' }],
      stop: 'end',
      usage: { input: 1, output: 1 },
    };
    const bodies = protocol.writeReply(plan, true).chunks.map((chunk) => Buffer.from(chunk).toString());
    expect(bodies.some((body) => body.includes('All done.') && body.includes('delta":"All done.'))).toBe(false);
    expect(bodies.length).toBeGreaterThan(2);
  });

  test('an error is decoded as what it was written', () => {
    const reply = protocol.writeError({ status: 429, type: 'rate_limit_error', message: 'wait' });
    const { outcome, error } = protocol.decodeReply(reply.chunks, { contentType: 'application/json', status: 429 });
    expect(outcome).toBe('error');
    expect(error).toMatchObject({ status: 429, message: 'wait', retryable: true });
    expect(reply.headers).toContainEqual(['x-should-retry', 'true']);
    expect(protocol.writeError({ status: 400, type: 'x', message: '' }).headers).toContainEqual([
      'x-should-retry',
      'false',
    ]);
  });

  test('token counts and model lists are JSON that names them', () => {
    expect(Buffer.concat(protocol.writeTokenCount(42).chunks).toString()).toContain('42');
    const list = JSON.parse(Buffer.concat(protocol.writeModels(['m-1', 'm-2']).chunks).toString()) as Record<
      string,
      unknown
    >;
    expect(JSON.stringify(list.data ?? list.models)).toMatch(/m-1.*m-2/);
  });
});
