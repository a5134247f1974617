import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { byByte, everySplit } from '../../test/fixtures/wire/read.ts';
import { decodeReply, protocols } from './all.ts';
import { billedTokens } from './cost.ts';
import { retryDelay } from './retry-delay.ts';
import type { Block, DecodedReply, Protocol } from './schema.ts';
import { parseSse } from './sse.ts';

// Inputs from the field with the values that are right, kept beside the project, not in it.
const CASES = new URL('../../../shared/cases/field/', import.meta.url);
const present = existsSync(CASES);

const bytes = (name: string): Uint8Array => readFileSync(new URL(name, CASES));
const read = (name: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(bytes(name)).toString()) as Record<string, unknown>;
const STREAM = { contentType: 'text/event-stream' };
const decode = (protocol: Protocol, stream: string | Uint8Array): DecodedReply =>
  decodeReply(protocol, [Buffer.from(stream)], STREAM);
const textOf = (reply: DecodedReply): string =>
  reply.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');

/** A decoded block in Anthropic's words. */
const native = (block: Block): unknown => {
  if (block.type === 'thinking')
    return {
      type: 'thinking',
      thinking: block.text,
      ...(block.signature !== undefined && { signature: block.signature }),
    };
  if (block.type === 'tool_call') return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
  return block;
};

describe.skipIf(!present)('cases of the field', () => {
  test('C01: a character cut by a chunk', () => {
    const { for_every_split: right, invalid_variant: invalid } = read('C01-sse-utf8-split/expected.json') as Record<
      string,
      { text: string; replacement_characters: number }
    >;
    const stream = bytes('C01-sse-utf8-split/input.sse');
    for (const cut of [...everySplit(stream), byByte(stream)]) {
      const reply = decodeReply('anthropic', cut, STREAM);
      expect([textOf(reply), reply.replacementCharacters]).toEqual([right?.text, right?.replacement_characters]);
    }
    const bad = decode('anthropic', bytes('C01-sse-utf8-split/input.invalid.sse'));
    expect([textOf(bad), bad.replacementCharacters]).toEqual([invalid?.text, invalid?.replacement_characters]);
  });

  test('C03: comments, keep-alives, empty data', () => {
    const stream = bytes('C03-sse-comments-keepalive/input.sse');
    const { events } = read('C03-sse-comments-keepalive/expected.json');
    for (const cut of [...everySplit(stream), byByte(stream)]) expect(parseSse(cut)).toEqual(events);
  });

  test('C04: an error inside a 200', () => {
    const { variants } = read('C04-error-inside-200/input.json') as { variants: Record<string, string> };
    const expected = read('C04-error-inside-200/expected.json') as Record<string, Record<string, unknown>>;
    for (const [name, stream] of Object.entries(variants)) {
      const reply = decode(name === 'd_openai_shape' ? 'openai-chat' : 'anthropic', stream);
      const right = expected[name];
      expect(reply.outcome, name).toBe(right?.outcome === 'ok' ? 'complete' : right?.outcome);
      expect(reply.error?.type ?? null, name).toBe(right?.error_type);
      expect(reply.error?.status, name).toBe(right?.status_equivalent);
      expect(reply.error?.retryable ?? false, name).toBe(right?.may_retry_transparently);
      expect(textOf(reply), name).toBe(right?.partial_text);
    }
  });

  test('C09: retry-after', () => {
    const { now, rows, run_under_TZ } = read('C09-retry-after/input.json') as {
      now: string;
      rows: { headers: Record<string, string> }[];
      run_under_TZ: string[];
    };
    const { wait_ms } = read('C09-retry-after/expected.json') as { wait_ms: unknown[] };
    const zone = process.env.TZ;
    for (process.env.TZ of run_under_TZ)
      for (const [i, { headers }] of rows.entries()) {
        const ms = retryDelay(headers, new Date(now));
        const right = wait_ms[i] as number | null | { any_of?: unknown[]; at_most?: number };
        if (typeof right !== 'object' || right === null) expect(ms, JSON.stringify(headers)).toBe(right);
        else if (right.any_of !== undefined) expect(right.any_of).toContain(ms);
        else expect(ms).toBeLessThanOrEqual(right.at_most ?? 0);
      }
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test('C12: usage is not added up', () => {
    const input = read('C12-usage-cumulative/input.json') as Record<string, string>;
    const expected = read('C12-usage-cumulative/expected.json') as Record<string, Record<string, number | null>>;
    for (const [name, stream] of Object.entries(input)) {
      const { usage } = decode('anthropic', stream);
      const right = expected[name];
      expect(usage, name).toEqual({
        input: right?.input_tokens,
        output: right?.output_tokens,
        cacheRead: right?.cache_read_input_tokens,
        cacheWrite: right?.cache_creation_input_tokens,
      });
      const billed = billedTokens(usage, 'anthropic');
      expect((billed?.input ?? 0) + (billed?.cacheRead ?? 0) + (billed?.cacheWrite ?? 0), name).toBe(
        right?.total_input,
      );
    }
  });

  test('C14: tools without arguments', () => {
    const expected = read('C14-tool-noarg-empty-args/expected.json') as { tool_uses: object[]; stop_reason: string };
    const stream = bytes('C14-tool-noarg-empty-args/input.sse');
    for (const cut of everySplit(stream)) {
      const reply = decodeReply('anthropic', cut, STREAM);
      expect(JSON.stringify(reply.blocks)).toBe(
        JSON.stringify(expected.tool_uses.map((call) => ({ type: 'tool_call', ...call }))),
      );
      expect(reply.stop).toBe(expected.stop_reason);
    }
  });

  test('C15: arguments in the first chunk', () => {
    const { anthropic_message_assembled_from_translated_stream: right } = read(
      'C15-tool-args-in-first-chunk/expected.json',
    ) as Record<string, { content: unknown }>;
    for (const [name, stream] of Object.entries(
      read('C15-tool-args-in-first-chunk/input.json') as Record<string, string>,
    )) {
      const reply = decode('openai-chat', stream);
      expect(reply.blocks.map(native), name).toEqual(right?.content);
      expect(reply.outcome, name).toBe('complete');
    }
  });

  test('C21: results out of order keep their ids, place and mark', () => {
    const { messages, problems } = protocols.anthropic.readRequest(
      read('C21-tool-results-order-and-text/input.json'),
      '',
    );
    expect(problems).toEqual([]);
    expect(
      messages[2]?.blocks.map((block) =>
        block.type === 'tool_result' ? `${block.id}${block.isError ? '!' : ''}` : block.type,
      ),
    ).toEqual(['text', 'C', 'A!', 'B', 'text']);
  });

  test('C23: system as a list, cache marks', () => {
    const { system, tools } = protocols.anthropic.readRequest(read('C23-system-array-cache-control/input.json'), '');
    const { trajectory_system_text_contains_in_order: right } = read('C23-system-array-cache-control/expected.json');
    expect(system.map((block) => (block.type === 'text' ? block.text : ''))).toEqual(right);
    expect(JSON.stringify(system)).not.toContain('cache_control');
    expect(tools[0]?.schema).toEqual({ type: 'object', properties: { cache_control: { type: 'string' } } });
  });

  test('C25: the schemas of tools are read as they are', () => {
    const rows = read('C25-tool-schema/input.json') as unknown as { schema: unknown }[];
    for (const { schema } of rows) {
      const { tools } = protocols.anthropic.readRequest({ tools: [{ name: 't', input_schema: schema }] }, '');
      expect(tools[0]?.schema).toEqual(schema);
    }
  });

  test('C28: reasoning under either name', () => {
    const { anthropic_blocks: right } = read('C28-reasoning-fields/expected.json');
    for (const [name, stream] of Object.entries(read('C28-reasoning-fields/input.json') as Record<string, string>)) {
      const contentType = stream.startsWith('{') ? 'application/json' : 'text/event-stream';
      const { blocks } = decodeReply('openai-chat', [Buffer.from(stream)], { contentType });
      expect(blocks.map(native), name).toEqual(right);
    }
  });

  test('C29: several thinking blocks keep their place and signature, also when they are sent back', () => {
    const expected = read('C29-thinking-blocks/expected.json') as Record<string, unknown[]>;
    const stream = bytes('C29-thinking-blocks/input.sse');
    for (const cut of everySplit(stream))
      expect(decodeReply('anthropic', cut, STREAM).blocks.map(native)).toEqual(expected.content_in_order);
    const again = protocols.anthropic.readRequest(
      { messages: [{ role: 'assistant', content: expected.next_request_replays_exactly }] },
      '',
    );
    expect(again.messages[0]?.blocks.map(native)).toEqual(expected.content_in_order);
  });
});

test.skipIf(present)('the cases of the field are not here (../shared/cases/field): skipped', () => undefined);
