import { createParser } from 'eventsource-parser';
import { Utf8Decoder } from './utf8.ts';

/** One dispatched event. `id` is the event's own; carrying the last id over to later events is a reconnecting client's affair. */
export interface SseEvent {
  /** `message` when the stream gives no name. */
  event: string;
  data: string;
  id?: string;
}

/**
 * Parses a WHATWG event stream bit by bit: bytes may be cut anywhere, lines end in CR, LF or CRLF.
 * `end()` drops an event that no blank line has ended, as the standard asks.
 */
export class SseDecoder {
  readonly #utf8 = new Utf8Decoder();
  #ready: SseEvent[] = [];
  readonly #parser = createParser({
    onEvent: ({ event, data, id }) => {
      this.#ready.push({
        event: event === undefined || event === '' ? 'message' : event,
        data,
        ...(id !== undefined && { id }),
      });
    },
  });

  /** Bytes that were not UTF-8 so far, each shown as U+FFFD. */
  get replacementCharacters(): number {
    return this.#utf8.replaced;
  }

  /** The events that these bytes complete. */
  write(chunk: Uint8Array): SseEvent[] {
    return this.#feed(this.#utf8.write(chunk));
  }

  end(): SseEvent[] {
    return this.#feed(this.#utf8.end());
  }

  #feed(text: string): SseEvent[] {
    this.#parser.feed(text);
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }
}

/** All events of a stream, from its bytes as they arrived (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const parseSse = (chunks: Iterable<Uint8Array>): SseEvent[] => {
  const decoder = new SseDecoder();
  const events: SseEvent[] = [];
  for (const chunk of chunks) events.push(...decoder.write(chunk));
  events.push(...decoder.end());
  return events;
};

/** One event as it is written to a stream; `data` is JSON or a word without line breaks. */
export const formatSse = (data: string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`;
