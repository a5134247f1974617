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
const NEARLY_ALL = 0.5;

interface Recent {
  id: number;
  /** As logged, and as the body that was handed on. */
  raw: Uint8Array;
  bytes: Uint8Array;
}

const BLOCK = 65_536;

/** Length of the longest common start of two byte strings, up to `most`; compared as memory, in blocks, then in halves. */
const commonPrefix = (a: Uint8Array, b: Uint8Array, most: number): number => {
  const same = (from: number, to: number): boolean => Buffer.compare(a.subarray(from, to), b.subarray(from, to)) === 0;
  return commonLength(same, most);
};

const commonSuffix = (a: Uint8Array, b: Uint8Array, most: number): number => {
  const part = (x: Uint8Array, from: number, to: number): Uint8Array => x.subarray(x.length - to, x.length - from);
  return commonLength((from, to) => Buffer.compare(part(a, from, to), part(b, from, to)) === 0, most);
};

const commonLength = (same: (from: number, to: number) => boolean, most: number): number => {
  let low = 0;
  while (low < most && same(low, Math.min(most, low + BLOCK))) low = Math.min(most, low + BLOCK);
  let high = Math.min(most, low + BLOCK);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (same(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
};

const bodyOf = (bytes: Uint8Array, delta: Body['delta'] = null): Body => ({
  length: bytes.length,
  bytes: () => bytes,
  delta,
});

interface Shared {
  of: Recent;
  prefix: number;
  suffix: number;
}

/** What a body shares with the best of the recent ones of its session; the last one is enough when it is nearly all of it. */
const sharedWith = (bytes: Uint8Array, recent: readonly Recent[], form: 'raw' | 'bytes'): Shared | null => {
  let best: { of: Recent; prefix: number } | null = null;
  for (const of of recent) {
    const most = Math.min(of[form].length, bytes.length);
    const prefix = commonPrefix(of[form], bytes, most);
    if (prefix >= LEAST_SHARED && (best === null || prefix > best.prefix)) best = { of, prefix };
    if (prefix > most * NEARLY_ALL) break;
  }
  if (best === null) return null;
  const { of, prefix } = best;
  const suffix = commonSuffix(of[form], bytes, Math.min(of[form].length, bytes.length) - prefix);
  return { of, prefix, suffix };
};

const deltaOf = (bytes: Uint8Array, shared: Shared | null): Body['delta'] => {
  if (shared === null) return null;
  const { of, prefix, suffix } = shared;
  return { of: of.id, prefix, suffix, middle: bytes.slice(prefix, bytes.length - suffix) };
};

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value) ?? 'null', 'utf8');

const memberValue = (bytes: Uint8Array, member: Member | undefined): unknown =>
  member === undefined ? undefined : parseJson(textOf(bytes, member.start, member.end));

/** Marks of OpenAI's form; a false find costs a parse, no more. */
const FOREIGN = [
  '"role":"tool"',
  '"role": "tool"',
  '"role":"system"',
  '"role": "system"',
  '"tool_calls"',
  '"function"',
];
const LONGEST_MARK = 20;

const isForeign = (bytes: Uint8Array, from: number, to: number): boolean => {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from);
  return FOREIGN.some((mark) => part.includes(mark));
};

/**
 * The request as Anthropic bytes. The logger writes what an Anthropic endpoint got; where messages or tools may be in OpenAI's form
 * the body is parsed and rewritten, else it is left as it is. What was looked at with the body before is not looked at again.
 */
const requestBytes = (raw: Uint8Array, shared: Shared | null): Uint8Array => {
  const from = Math.max(0, (shared?.prefix ?? 0) - LONGEST_MARK);
  const to = Math.min(raw.length, raw.length - (shared?.suffix ?? 0) + LONGEST_MARK);
  const before = shared !== null && shared.of.raw !== shared.of.bytes;
  if (!before && !isForeign(raw, from, to)) return raw;
  const body = parseJson(textOf(raw));
  return isObject(body) ? encode(toAnthropicRequest(body)) : raw;
};

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
    const body = this.#share(session ?? '', id, bytes.subarray(request.start, request.end));
    return {
      id,
      attempt: null,
      session,
      origin: 'import',
      protocol: 'anthropic',
      request: { at, method: 'POST', path: pathFor(biz), headers: [], body },
      response: responseOf(memberValue(bytes, member('response_body')), at),
      end: 'unknown',
      upstream: null,
      redactions: 0,
    };
  }

  #share(session: string, id: number, raw: Uint8Array): Body {
    const recent = this.#recent.get(session) ?? [];
    const shared = sharedWith(raw, recent, 'raw');
    const bytes = requestBytes(raw, shared);
    this.#recent.set(session, [{ id, raw, bytes }, ...recent].slice(0, RECENT));
    return bodyOf(
      bytes,
      deltaOf(
        bytes,
        bytes === raw && shared?.of.raw === shared?.of.bytes ? shared : sharedWith(bytes, recent, 'bytes'),
      ),
    );
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
