import type { FarUsage } from './part.ts';
import type { NearWriter, WireEvent } from './writer.ts';

const STOPS: ReadonlyMap<string, string> = new Map([
  ['stop', 'stop'],
  ['tool-calls', 'tool_calls'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
]);

const usageOf = ({ inputTokens, outputTokens }: FarUsage): Record<string, unknown> => ({
  prompt_tokens: inputTokens.total ?? null,
  completion_tokens: outputTokens.total ?? null,
  total_tokens:
    inputTokens.total === undefined || outputTokens.total === undefined ? null : inputTokens.total + outputTokens.total,
  prompt_tokens_details: { cached_tokens: inputTokens.cacheRead ?? null },
});

/** Writes a far side's parts as the stream of chat completions. Reasoning goes under `reasoning_content`. */
export const createChatWriter = ({
  id,
  model,
  created,
}: {
  id: string;
  model: string;
  created: number;
}): NearWriter => {
  const indexes = new Map<string, number>();
  const head = { id, object: 'chat.completion.chunk', created, model };
  const chunk = (delta: Record<string, unknown>, finish: string | null = null): WireEvent => ({
    data: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  });
  const begin = (callId: string, name: string): WireEvent => {
    const index = indexes.size;
    indexes.set(callId, index);
    return chunk({ tool_calls: [{ index, id: callId, type: 'function', function: { name, arguments: '' } }] });
  };
  const more = (callId: string, text: string): WireEvent =>
    chunk({ tool_calls: [{ index: indexes.get(callId), function: { arguments: text } }] });
  // Arguments are never empty here: every client parses them.
  const unsaid = new Set<string>();

  return {
    start: () => [chunk({ role: 'assistant', content: '' })],
    part: (part) => {
      const { type, id: partId = '', delta = '', toolName = '', toolCallId = '' } = part;
      if (type === 'text-delta') return [chunk({ content: delta })];
      if (type === 'reasoning-delta' && delta !== '') return [chunk({ reasoning_content: delta })];
      if (type === 'tool-input-start') {
        unsaid.add(partId);
        return [begin(partId, toolName)];
      }
      if (type === 'tool-input-delta' && delta !== '' && indexes.has(partId)) {
        unsaid.delete(partId);
        return [more(partId, delta)];
      }
      if (type !== 'tool-call') return [];
      const text = String(part.input ?? '') || '{}';
      if (!indexes.has(toolCallId)) return [begin(toolCallId, toolName), more(toolCallId, text)];
      return unsaid.delete(toolCallId) ? [more(toolCallId, text)] : [];
    },
    finish: ({ finishReason, usage }) => [
      chunk({}, STOPS.get(finishReason?.unified ?? '') ?? 'stop'),
      ...(usage === undefined ? [] : [{ data: { ...head, choices: [], usage: usageOf(usage) } }]),
      { data: '[DONE]' },
    ],
    error: ({ type, message, status }) => [{ data: { error: { message, type, code: status, param: null } } }],
  };
};
