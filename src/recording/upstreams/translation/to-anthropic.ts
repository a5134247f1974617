import type { FarPart, FarUsage } from './part.ts';
import type { NearWriter, WireEvent } from './writer.ts';

const STOPS: ReadonlyMap<string, string> = new Map([
  ['stop', 'end_turn'],
  ['tool-calls', 'tool_use'],
  ['length', 'max_tokens'],
  ['content-filter', 'refusal'],
]);

/** A block that has begun on the far side and perhaps not yet on this one. */
interface Waiting {
  id: string;
  start: Record<string, unknown>;
  deltas: Record<string, unknown>[];
  ended: boolean;
  isCall: boolean;
}

const usageOf = ({ inputTokens, outputTokens }: FarUsage): Record<string, number | null> => ({
  input_tokens: inputTokens.noCache ?? inputTokens.total ?? null,
  cache_read_input_tokens: inputTokens.cacheRead ?? null,
  cache_creation_input_tokens: inputTokens.cacheWrite ?? null,
  output_tokens: outputTokens.total ?? null,
});

const typed = (type: string, fields: Record<string, unknown>): WireEvent => ({
  event: type,
  data: { type, ...fields },
});

/** Blocks in the order in which they began. They never overlap on the wire: while one is open, what belongs to later ones waits. */
class BlockQueue {
  readonly #waiting: Waiting[] = [];
  #index = 0;
  #begun = false;

  open(block: Omit<Waiting, 'deltas' | 'ended'>): Waiting {
    // A text ends where something else begins; the far side may say so much later.
    for (const other of this.#waiting) if (!other.isCall) other.ended = true;
    const fresh = { ...block, deltas: [], ended: false };
    this.#waiting.push(fresh);
    return fresh;
  }

  find(id: string | undefined): Waiting | undefined {
    return this.#waiting.find((block) => block.id === id && !block.ended);
  }

  end(id: string | undefined): void {
    const block = this.find(id);
    if (block !== undefined) block.ended = true;
  }

  endAll(): void {
    for (const block of this.#waiting) block.ended = true;
  }

  /** What may be sent by now: all of the first block, and of the next ones when it has ended. */
  drain(): WireEvent[] {
    const events: WireEvent[] = [];
    for (let head = this.#waiting[0]; head !== undefined; head = this.#waiting[0]) {
      const index = this.#index;
      if (!this.#begun) events.push(typed('content_block_start', { index, content_block: head.start }));
      this.#begun = true;
      events.push(...head.deltas.splice(0).map((delta) => typed('content_block_delta', { index, delta })));
      if (!head.ended) break;
      events.push(typed('content_block_stop', { index }));
      this.#waiting.shift();
      this.#index += 1;
      this.#begun = false;
    }
    return events;
  }
}

const START = {
  text: { type: 'text', text: '' },
  reasoning: { type: 'thinking', thinking: '', signature: '' },
} as const;

/** Puts the parts of a reply into blocks. */
const createIntake = (queue: BlockQueue): ((part: FarPart) => void) => {
  const called = new Set<string>();
  const say = (kind: keyof typeof START, part: FarPart, delta: Record<string, unknown>): void => {
    const id = `${kind} ${part.id}`;
    (queue.find(id) ?? queue.open({ id, isCall: false, start: START[kind] })).deltas.push(delta);
  };
  const call = (id: string, name: string): Waiting => {
    called.add(id);
    return queue.open({ id, isCall: true, start: { type: 'tool_use', id, name, input: {} } });
  };
  const json = (text: string): Record<string, unknown> => ({ type: 'input_json_delta', partial_json: text });

  return (part) => {
    const { type, id = '', delta = '', toolName = '', toolCallId = '' } = part;
    if (type === 'text-delta') say('text', part, { type: 'text_delta', text: delta });
    else if (type === 'reasoning-delta' && delta !== '')
      say('reasoning', part, { type: 'thinking_delta', thinking: delta });
    else if (type === 'text-end') queue.end(`text ${id}`);
    else if (type === 'reasoning-end') queue.end(`reasoning ${id}`);
    else if (type === 'tool-input-start') call(id, toolName);
    else if (type === 'tool-input-delta') queue.find(id)?.deltas.push(json(delta));
    else if (type === 'tool-call') {
      if (!called.has(toolCallId)) call(toolCallId, toolName).deltas.push(json(String(part.input ?? '')));
      queue.end(toolCallId);
    }
  };
};

/**
 * Writes a far side's parts as the Messages API's stream. Input tokens are known at the end only, so `message_start` says 0
 * and `message_delta` the figures.
 */
export const createAnthropicWriter = ({ id, model }: { id: string; model: string }): NearWriter => {
  const queue = new BlockQueue();
  const take = createIntake(queue);
  const message = {
    ...{ id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null },
    usage: { input_tokens: 0, output_tokens: 0 },
  };
  return {
    start: () => [typed('message_start', { message }), typed('ping', {})],
    part: (part) => {
      take(part);
      return queue.drain();
    },
    finish: ({ finishReason, usage }) => {
      queue.endAll();
      const stop = STOPS.get(finishReason?.unified ?? '') ?? 'end_turn';
      return [
        ...queue.drain(),
        typed('message_delta', {
          delta: { stop_reason: stop, stop_sequence: null },
          usage: usage === undefined ? {} : usageOf(usage),
        }),
        typed('message_stop', {}),
      ];
    },
    error: ({ type, message: said }) => [typed('error', { error: { type, message: said } })],
  };
};
