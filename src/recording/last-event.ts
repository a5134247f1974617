import { isObject, parseJson } from '../core/json.ts';
import type { Protocol } from '../wire/schema.ts';

/** Words that stand in the event that ends a stream; where they pass, that piece is held back until the record has the reply. */
const MARKS: Readonly<Record<Protocol, readonly Buffer[]>> = {
  anthropic: [Buffer.from('message_stop')],
  'openai-chat': [Buffer.from('[DONE]')],
  'openai-responses': ['response.completed', 'response.failed', 'response.incomplete'].map((s) => Buffer.from(s)),
  gemini: [Buffer.from('"finishReason"')],
};
const NEWLINE = 10;

/** Watches the pieces of a stream for its last event; a word that is cut between two pieces is seen too. */
export class EndWatch {
  readonly #marks: readonly Buffer[];
  /** The open line at the end of the last piece: most pieces end with a newline, and no word has one inside. */
  #carry: Buffer = NOTHING;

  constructor(protocol: Protocol | 'other') {
    this.#marks = protocol === 'other' ? [] : MARKS[protocol];
  }

  /** True when the last event may be in this piece. */
  push(chunk: Buffer): boolean {
    const bytes = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = bytes[bytes.length - 1] === NEWLINE ? NOTHING : Buffer.from(bytes.subarray(-LONGEST));
    for (const mark of this.#marks) if (bytes.includes(mark)) return true;
    return false;
  }
}
const NOTHING = Buffer.alloc(0);
const LONGEST = Math.max(...Object.values(MARKS).flatMap((marks) => marks.map((mark) => mark.length)));

const isLast = (protocol: Protocol, data: string): boolean => {
  if (data === '[DONE]') return true;
  const payload = parseJson(data);
  if (!isObject(payload)) return false;
  if (payload.error !== undefined && payload.error !== null) return true;
  switch (protocol) {
    case 'anthropic':
      return payload.type === 'message_stop' || payload.type === 'error';
    case 'openai-chat':
      return false;
    case 'openai-responses':
      return /^(response\.(completed|failed|incomplete)|error)$/.test(String(payload.type));
    case 'gemini':
      return (
        (Array.isArray(payload.candidates) &&
          payload.candidates.some((c) => isObject(c) && typeof c.finishReason === 'string')) ||
        isObject(payload.promptFeedback)
      );
  }
};

/** Parts of a stream's end that are read, the smaller first: the last event of Responses repeats the whole reply. */
const TAILS = [1 << 11, 1 << 24] as const;
const SEEN = 8;

const dataOf = (event: string): string =>
  event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
    .join('\n')
    .trim();

/**
 * True when an event stream has come to its protocol's last event (or to an error event, which is an answer too), and that event is
 * complete: ended by a blank line. What follows it (pings, comments, usage) does not matter.
 */
export const endsWell = (protocol: Protocol | 'other', stream: Buffer): boolean =>
  protocol === 'other' ||
  TAILS.some((length) => {
    const text = stream
      .subarray(Math.max(0, stream.length - length))
      .toString('utf8')
      .replace(/\r\n?/g, '\n');
    const events = text.slice(0, text.lastIndexOf('\n\n') + 1).split('\n\n');
    return events.slice(-SEEN).some((event) => isLast(protocol, dataOf(event)));
  });
