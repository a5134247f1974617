import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import type { Body, CallRecord } from '../recording/schema.ts';
import { type Member, scanObject, skipSpace, textOf } from './json-scan.ts';
import { toAnthropicReply, toAnthropicRequest } from './reference-shapes.ts';

/*
 * The reference toolkit's raw log: one JSON object a line with `session_id, biz_id, request_time, request_body, response_body`.
 * Every request repeats its session's history; here each body says what it shares with the one before, so that the normalizer
 * parses only what is new.
 */

/** Bodies of a session that later ones are compared with. */
const RECENT = 4;
/** Less in common than this is not worth a delta. */
const LEAST_SHARED = 256;

interface Recent {
  id: number;
  bytes: Uint8Array;
}

/** Length of the longest common start of two byte strings; halves are compared as memory, not byte by byte. */
const commonPrefix = (a: Uint8Array, b: Uint8Array): number => {
  let low = 0;
  let high = Math.min(a.length, b.length);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (Buffer.compare(a.subarray(low, middle), b.subarray(low, middle)) === 0) low = middle;
    else high = middle - 1;
  }
  return low;
};

const commonSuffix = (a: Uint8Array, b: Uint8Array, most: number): number => {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const same =
      Buffer.compare(a.subarray(a.length - middle, a.length - low), b.subarray(b.length - middle, b.length - low)) ===
      0;
    if (same) low = middle;
    else high = middle - 1;
  }
  return low;
};

const bodyOf = (bytes: Uint8Array, delta: Body['delta'] = null): Body => ({
  length: bytes.length,
  bytes: () => bytes,
  delta,
});

/** What a body shares with the best of the recent ones of its session. */
const deltaOf = (bytes: Uint8Array, recent: readonly Recent[]): Body['delta'] => {
  let best: { of: Recent; prefix: number } | null = null;
  for (const of of recent) {
    const prefix = commonPrefix(of.bytes, bytes);
    if (prefix >= LEAST_SHARED && (best === null || prefix > best.prefix)) best = { of, prefix };
  }
  if (best === null) return null;
  const { of, prefix } = best;
  const suffix = commonSuffix(of.bytes, bytes, Math.min(of.bytes.length, bytes.length) - prefix);
  return { of: of.id, prefix, suffix, middle: bytes.slice(prefix, bytes.length - suffix) };
};

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value) ?? 'null', 'utf8');

const memberValue = (bytes: Uint8Array, member: Member | undefined): unknown =>
  member === undefined ? undefined : parseJson(textOf(bytes, member.start, member.end));

/**
 * The request as Anthropic bytes. The logger writes what an Anthropic endpoint got; where messages or tools are in OpenAI's form
 * the body is parsed and rewritten, else it is left as it is.
 */
const requestBytes = (bytes: Uint8Array): Uint8Array => {
  const members = scanObject(bytes, skipSpace(bytes, 0))?.members;
  const tools = members?.find((m) => m.key === 'tools');
  const messages = members?.find((m) => m.key === 'messages');
  if (members === undefined) return bytes;
  const foreign = isForeignTools(bytes, tools) || isForeignMessages(bytes, messages);
  if (!foreign) return bytes;
  const body = parseJson(textOf(bytes));
  return isObject(body) ? encode(toAnthropicRequest(body)) : bytes;
};

const has = (bytes: Uint8Array, member: Member, text: string): boolean => {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(text, member.start);
  return at >= 0 && at < member.end;
};

const isForeignTools = (bytes: Uint8Array, tools: Member | undefined): boolean => {
  if (tools === undefined || !has(bytes, tools, '"function"')) return false;
  const value = memberValue(bytes, tools);
  return Array.isArray(value) && value.some((tool) => isObject(tool) && isObject(tool.function));
};

const isForeignMessages = (bytes: Uint8Array, messages: Member | undefined): boolean =>
  messages !== undefined &&
  ['"role":"tool"', '"role": "tool"', '"role":"system"', '"role": "system"', '"tool_calls"'].some((mark) =>
    has(bytes, messages, mark),
  );

/** Reads one line into a call, or says why it is none. */
class ReferenceReader {
  #recent = new Map<string, Recent[]>();

  read(line: string, id: number): CallRecord | string {
    const bytes = Buffer.from(line, 'utf8');
    const start = skipSpace(bytes, 0);
    const scanned = scanObject(bytes, start);
    if (scanned === null || skipSpace(bytes, scanned.end) !== bytes.length) return 'not a JSON object';
    const member = (key: string): Member | undefined => scanned.members.findLast((m) => m.key === key);
    const request = member('request_body');
    if (request === undefined || bytes[request.start] !== 0x7b) return 'request_body is no object';
    const sessionId = memberValue(bytes, member('session_id'));
    const session = typeof sessionId === 'string' && sessionId !== '' ? sessionId : null;
    const time = memberValue(bytes, member('request_time'));
    const at = typeof time === 'number' && Number.isFinite(time) ? time : 0;
    const biz = memberValue(bytes, member('biz_id'));
    const body = requestBytes(bytes.subarray(request.start, request.end));
    return {
      id,
      attempt: null,
      session,
      origin: 'import',
      protocol: 'anthropic',
      request: { at, method: 'POST', path: pathFor(biz), headers: [], body: this.#share(session ?? '', id, body) },
      response: responseOf(memberValue(bytes, member('response_body')), at),
      end: 'unknown',
      upstream: null,
      redactions: 0,
    };
  }

  #share(session: string, id: number, bytes: Uint8Array): Body {
    const recent = this.#recent.get(session) ?? [];
    const delta = deltaOf(bytes, recent);
    this.#recent.set(session, [{ id, bytes }, ...recent].slice(0, RECENT));
    return bodyOf(bytes, delta);
  }
}

// A call record has no field of its own for it; in the path it stays recoverable.
const pathFor = (biz: unknown): string =>
  typeof biz === 'string' && biz !== ''
    ? `/v1/messages?biz_id=${encodeURIComponent(biz.toWellFormed())}`
    : '/v1/messages';

const responseOf = (response: unknown, at: number): CallRecord['response'] => {
  if (!isObject(response)) return null;
  const body = bodyOf(encode(toAnthropicReply(response as JsonObject)));
  return { at, status: null, headers: [], body, chunks: [] };
};

/**
 * Calls of the reference toolkit's raw log, in the order of its lines; `id` is the line's index. What is no call is reported with
 * its line number and skipped.
 */
export async function* fromReferenceLog(
  lines: Iterable<string> | AsyncIterable<string>,
  options: { onProblem?: (problem: Problem) => void } = {},
): AsyncIterable<CallRecord> {
  const reader = new ReferenceReader();
  let index = -1;
  for await (const line of lines) {
    index++;
    if (line.trim() === '') continue;
    const call = reader.read(line, index);
    if (typeof call !== 'string') yield call;
    else
      options.onProblem?.({
        kind: 'bad_line',
        severity: 'error',
        line: index + 1,
        call: index,
        message: `line skipped: ${call}`,
      });
  }
}
