import type { Body, CallRecord } from '../recording/schema.ts';

/** What every request of an imported conversation says beside its messages. */
export interface HistorySetting {
  session: string | null;
  model: string | null;
  system: unknown;
  tools: unknown[];
}

/**
 * Makes the calls of a conversation that was not recorded on the wire, in Anthropic's form: each reply becomes the response to a request
 * that holds all messages before it. Bodies share what they have in common, so a long conversation costs no more than its text.
 */
export class History {
  readonly #setting: HistorySetting;
  readonly #ids: () => number;
  #parts: Buffer[] = [];
  #length = 0;
  #last: { id: number; prefix: number; tail: Buffer } | null = null;

  /** `ids` gives the ids of calls, one after the other, also where several conversations are made at once. */
  constructor(setting: HistorySetting, ids: () => number) {
    this.#setting = setting;
    this.#ids = ids;
    this.#append('{"messages":[');
  }

  #append(text: string): void {
    const bytes = Buffer.from(text, 'utf8');
    this.#parts.push(bytes);
    this.#length += bytes.length;
  }

  /** Adds a message to the history. */
  say(role: 'user' | 'assistant', content: readonly unknown[]): void {
    this.#append(`${this.#parts.length > 1 ? ',' : ''}${JSON.stringify({ role, content })}`);
  }

  /** A call that was answered with `content`, which then stands in the history. */
  reply(
    content: readonly unknown[],
    more: { at: number; model?: string | null; usage?: unknown; stop?: string | null },
  ): CallRecord {
    const id = this.#ids();
    const { session, model, system, tools } = this.#setting;
    const rest = JSON.stringify({ model: more.model ?? model, ...(system !== null && { system }), tools }).slice(1);
    const body = this.#body(id, Buffer.from(`],${rest}`, 'utf8'));
    const answer = Buffer.from(
      JSON.stringify({
        type: 'message',
        role: 'assistant',
        model: more.model ?? model,
        content,
        stop_reason: more.stop ?? null,
        usage: more.usage,
      }),
    );
    this.say('assistant', content);
    return {
      id,
      attempt: null,
      session,
      origin: 'import',
      protocol: 'anthropic',
      request: { at: more.at, method: 'POST', path: '/v1/messages', headers: [], body },
      response: {
        at: more.at,
        status: null,
        headers: [],
        body: { length: answer.length, bytes: () => answer, delta: null },
        chunks: [],
      },
      end: 'unknown',
      upstream: null,
      redactions: 0,
    };
  }

  #body(id: number, tail: Buffer): Body {
    const parts = this.#parts;
    const count = parts.length;
    const before = this.#last;
    this.#last = { id, prefix: this.#length, tail };
    const bytes = (): Uint8Array => Buffer.concat([...parts.slice(0, count), tail]);
    const length = this.#length + tail.length;
    if (before === null || !before.tail.equals(tail)) return { length, bytes, delta: null };
    const added: Buffer[] = [];
    for (let at = this.#length, i = count - 1; at > before.prefix; i--) {
      const part = parts[i] as Buffer;
      added.unshift(part);
      at -= part.length;
    }
    return {
      length,
      bytes,
      delta: { of: before.id, prefix: before.prefix, suffix: tail.length, middle: Buffer.concat(added) },
    };
  }
}
