import type { HttpReply, ReplyPlan } from './schema.ts';
import { formatSse } from './sse.ts';

const encoder = new TextEncoder();

/** At least this many characters a delta, and at most this many deltas a text. */
const PIECE = 16;
const PIECES = 12;

/** A text in the pieces in which it is streamed: several, as a model would, but not thousands; no character is cut. */
export const pieces = (text: string): string[] => {
  const points = Array.from(text);
  const size = Math.max(PIECE, Math.ceil(points.length / PIECES));
  const out: string[] = [];
  for (let i = 0; i < points.length; i += size) out.push(points.slice(i, i + size).join(''));
  // A short text is still sent in two, so that no client is ever tested with whole texts only.
  return out.length === 1 && points.length > 1 ? [points[0] ?? '', points.slice(1).join('')] : out;
};

/** The text of a tool call's arguments as a provider would send it. */
export const argumentsText = (call: { input: unknown; rawInput?: string }): string =>
  call.rawInput ?? JSON.stringify(call.input) ?? '{}';

/** A JSON reply. */
export const jsonReply = (status: number, body: unknown, headers: [string, string][] = []): HttpReply => ({
  status,
  headers: [['content-type', 'application/json'], ...headers],
  chunks: [encoder.encode(JSON.stringify(body))],
});

/** A streamed reply, one chunk an event. `data` is JSON, or a word such as `[DONE]`. */
export const streamReply = (events: readonly { data: unknown; event?: string }[]): HttpReply => ({
  status: 200,
  headers: [
    ['content-type', 'text/event-stream; charset=utf-8'],
    ['cache-control', 'no-cache'],
  ],
  chunks: events.map(({ data, event }) =>
    encoder.encode(formatSse(typeof data === 'string' ? data : JSON.stringify(data), event)),
  ),
});

/** An error body with the header by which the official SDKs are told whether trying again makes sense. */
export const errorReply = (status: number, body: unknown): HttpReply =>
  jsonReply(status, body, [
    ['x-should-retry', String(status === 408 || status === 409 || status === 429 || status >= 500)],
  ]);

/** The words of a protocol for the three ways in which a plan can stop. */
export type StopWords = Readonly<Record<ReplyPlan['stop'], string>>;
