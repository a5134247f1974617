import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import { describeFault, describePage, findFault } from './fault.ts';
import type { Block, DecodedReply, ReplyError, Usage } from './schema.ts';
import { parseSse, type SseEvent } from './sse.ts';
import { Utf8Decoder } from './utf8.ts';
import { shallow, wellFormed } from './well-formed.ts';

/** What a protocol makes of a reply; the frame around it (bytes, events, faults) is the same for all. */
export interface Assembled {
  blocks: Block[];
  stop: string | null;
  usage: Usage;
  model: string | null;
  /** What a whole reply would have had and this one lacks, e.g. `missing_message_stop`; null when it is whole. */
  missing: string | null;
}

/** Puts one reply together. Every method takes whatever comes and never throws. */
export interface Assembler {
  /** One payload of a stream. */
  add(payload: JsonObject): void;
  /** The sentinel `[DONE]`. */
  done(): void;
  /** A reply that was not streamed. */
  whole(body: JsonObject): void;
  /** `broken`: an error ended the reply, so what is open is cut. */
  finish(broken: boolean): Assembled;
}

const NO_USAGE: Usage = { input: null, output: null, cacheRead: null, cacheWrite: null };

type Form = 'json' | 'sse' | 'text' | 'empty';

const SSE_LINE = /^(?:data|event|id|retry)?(?::|[\r\n])/;

// What the body looks like wins over what its header says: gateways send JSON errors as event streams and the other way round.
const formOf = (start: string, contentType: string): Form => {
  if (start === '') return 'empty';
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  if (SSE_LINE.test(start)) return 'sse';
  if (start.startsWith('<')) return 'text';
  return /event-stream/i.test(contentType) ? 'sse' : 'text';
};

/** What the payloads of a reply came to, before it is known what that means. */
interface Reading {
  assembler: Assembler;
  fault: JsonObject | null;
  /** Set when the reply cannot be whole, whatever the assembler says. */
  broken: string | null;
  problems: Problem[];
}

const readPayload = (reading: Reading, payload: JsonObject, whole = false): void => {
  if (whole) reading.assembler.whole(payload);
  else reading.assembler.add(payload);
  reading.fault ??= findFault(payload);
};

const readEvent = (reading: Reading, { event, data }: SseEvent, index: number): void => {
  const text = data.trim();
  const payload = shallow(parseJson(text));
  const fault = findFault(payload) ?? (event === 'error' ? { type: 'error', message: text } : null);
  if (text === '[DONE]') reading.assembler.done();
  else if (isObject(payload)) readPayload(reading, payload);
  else if (fault !== null) reading.fault ??= fault;
  else if (text !== '') {
    reading.broken ??= 'unreadable_event';
    reading.problems.push({
      kind: 'unreadable_event',
      severity: 'warning',
      field: `events[${index}]`,
      message: `data is no JSON object: ${text.slice(0, 80)}`,
    });
  }
};

const readJson = (reading: Reading, text: string): void => {
  const value = shallow(parseJson(text));
  if (isObject(value)) readPayload(reading, value, true);
  else if (!text.startsWith('[')) reading.broken = 'truncated_body';
  else {
    // Google streams without `alt=sse` as one growing JSON list.
    if (!Array.isArray(value)) reading.broken = 'truncated_body';
    for (const item of Array.isArray(value) ? value : wholeItems(text)) if (isObject(item)) readPayload(reading, item);
  }
};

/** The objects of a JSON list that was cut, as far as they are whole. */
const wholeItems = (body: string): unknown[] => {
  const items: unknown[] = [];
  let depth = 0;
  let start = 0;
  let quoted = false;
  for (let i = body.indexOf('[') + 1; i < body.length; i++) {
    const c = body[i];
    if (quoted) {
      if (c === '\\') i++;
      else if (c === '"') quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === '{' && depth++ === 0) start = i;
    else if (c === '}' && --depth === 0) items.push(shallow(parseJson(body.slice(start, i + 1))));
  }
  return items;
};

/**
 * Decodes one reply: `chunks` are the bytes as they arrived (decompressed), `status` the HTTP status, 200 when left out.
 * Never throws: what is wrong is the outcome, the reason and the problems.
 */
export const decodeWith = (
  create: () => Assembler,
  chunks: Iterable<Uint8Array>,
  options: { contentType: string; status?: number },
): DecodedReply => {
  const bytes = [...chunks];
  const utf8 = new Utf8Decoder();
  const body = (bytes.map((chunk) => utf8.write(chunk)).join('') + utf8.end()).replace(/^\ufeff/, '').trimStart();
  const form = formOf(body, options.contentType);
  const reading: Reading = { assembler: create(), fault: null, broken: null, problems: [] };
  const events = form === 'sse' ? parseSse(bytes) : [];
  if (form === 'json') readJson(reading, body);
  for (const [i, event] of events.entries()) readEvent(reading, event, i);
  if (form === 'empty') reading.broken = 'empty_body';
  return conclude(reading, {
    form,
    body,
    status: options.status ?? 200,
    events: events.length,
    replaced: utf8.replaced,
  });
};

const conclude = (
  reading: Reading,
  seen: { form: Form; body: string; status: number; events: number; replaced: number },
): DecodedReply => {
  const { fault, broken } = reading;
  const failed = fault !== null || seen.status >= 300 || seen.form === 'text';
  const assembled = reading.assembler.finish(failed || broken !== null);
  const clean = wellFormed(assembled.blocks, 'blocks');
  const blocks = clean.value as Block[];
  const problems = [...reading.problems, ...clean.problems];
  const reason = assembled.missing ?? broken;
  const reply: DecodedReply = {
    outcome: failed ? 'error' : reason === null ? 'complete' : 'incomplete',
    blocks,
    stop: assembled.stop,
    usage: assembled.usage,
    events: seen.events,
    replacementCharacters: seen.replaced,
    model: assembled.model,
    ...(problems.length > 0 && { problems }),
  };
  if (failed)
    reply.error = explain(fault ?? (seen.form === 'json' ? parseJson(seen.body) : null), seen, blocks.length > 0);
  else if (reason !== null) reply.reason = broken === 'empty_body' || broken === 'truncated_body' ? broken : reason;
  return reply;
};

const explain = (fault: unknown, seen: { body: string; status: number }, delivered: boolean): ReplyError =>
  isObject(fault)
    ? describeFault(wellFormed(fault).value as JsonObject, seen.status, delivered)
    : describePage(seen.body, seen.status);

/** Usage of a reply that says nothing yet. */
export const noUsage = (): Usage => ({ ...NO_USAGE });

/** A token count, or null for anything else. */
export const tokens = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
