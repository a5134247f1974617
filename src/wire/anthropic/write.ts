import type { Block, HttpReply, ReplyPlan } from '../schema.ts';
import { argumentsText, errorReply, jsonReply, pieces, type StopWords, streamReply } from '../write.ts';

const STOP: StopWords = { end: 'end_turn', tool: 'tool_use', length: 'max_tokens' };
type Event = { type: string; [field: string]: unknown };

/** A reply as the Messages API gives it, streamed or whole. Blocks of other protocols (results, images) are left out. */
export const writeReply = (plan: ReplyPlan, stream: boolean): HttpReply => {
  if (stream) return streamReply(streamEvents(plan).map((data) => ({ event: data.type, data })));
  return jsonReply(200, {
    ...envelope(plan),
    content: plan.blocks.map(wholeBlock).filter((block) => block !== null),
    stop_reason: STOP[plan.stop],
    usage: usage(plan.usage.input, plan.usage.output),
  });
};

/** An error body of the Anthropic API; `type` is one of its words, `invalid_request_error` and the like. */
export const writeError = (error: { status: number; type: string; message: string }): HttpReply =>
  errorReply(error.status, { type: 'error', error: { type: error.type, message: error.message } });

export const writeTokenCount = (tokens: number): HttpReply => jsonReply(200, { input_tokens: tokens });

export const writeModels = (models: readonly string[]): HttpReply =>
  jsonReply(200, {
    data: models.map((id) => ({ type: 'model', id, display_name: id, created_at: '2025-01-01T00:00:00Z' })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  });

const usage = (input: number, output: number): Record<string, number> => ({
  input_tokens: input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: output,
});

const envelope = (plan: ReplyPlan): Record<string, unknown> => ({
  id: plan.id,
  type: 'message',
  role: 'assistant',
  model: plan.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

const wholeBlock = (block: Block): Record<string, unknown> | null => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'thinking':
      return { type: 'thinking', thinking: block.text, signature: block.signature ?? '' };
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: block.data };
    case 'tool_call':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input ?? block.rawInput ?? {} };
    case 'unknown':
      return block.raw as Record<string, unknown>;
    default:
      return null;
  }
};

/** How a block starts in a stream, and the deltas that fill it. */
const streamBlock = (block: Block): { start: unknown; deltas: Event[] } | null => {
  switch (block.type) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: pieces(block.text).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...pieces(block.text).map((thinking) => ({ type: 'thinking_delta', thinking })),
          ...(block.signature === undefined ? [] : [{ type: 'signature_delta', signature: block.signature }]),
        ],
      };
    case 'tool_call':
      return {
        start: { type: 'tool_use', id: block.id, name: block.name, input: {} },
        // The API opens a call's input with an empty fragment.
        deltas: ['', ...pieces(argumentsText(block))].map((json) => ({ type: 'input_json_delta', partial_json: json })),
      };
    default: {
      const start = wholeBlock(block);
      return start === null ? null : { start, deltas: [] };
    }
  }
};

const streamEvents = (plan: ReplyPlan): Event[] => {
  const blocks = plan.blocks.map(streamBlock).filter((block) => block !== null);
  return [
    { type: 'message_start', message: { ...envelope(plan), usage: usage(plan.usage.input, 1) } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...(index === 0 ? [{ type: 'ping' }] : []),
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: STOP[plan.stop], stop_sequence: null },
      usage: { output_tokens: plan.usage.output },
    },
    { type: 'message_stop' },
  ];
};
