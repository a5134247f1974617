import type { Problem } from '../core/problem.ts';
import { rebuild } from './delta.ts';
import { decodeContent, encodingsOf } from './encoding.ts';
import { type BodyLine, decodeLine, type LogLine, type RequestLine, type ResponseLine } from './lines.ts';
import type { Body, CallRecord } from './schema.ts';

/** Rebuilt requests that are kept while a log is read, in bytes; the next request is mostly built on one of the last. */
const CACHE = 32 * 1024 * 1024;

/** Rebuilt bodies, least recently used first. */
class Rebuilt {
  #bytes = 0;
  readonly #kept = new Map<number, Buffer>();

  get(call: number): Buffer | undefined {
    const found = this.#kept.get(call);
    if (found !== undefined) {
      this.#kept.delete(call);
      this.#kept.set(call, found);
    }
    return found;
  }

  put(call: number, bytes: Buffer): void {
    this.#kept.set(call, bytes);
    this.#bytes += bytes.length;
    for (const [old, held] of this.#kept) {
      if (this.#bytes <= CACHE || old === call) break;
      this.#kept.delete(old);
      this.#bytes -= held.length;
    }
  }
}

interface StoredRequest {
  middle: Buffer;
  length: number;
  delta: { of: number; prefix: number; suffix: number } | null;
}

const payloadOf = (line: BodyLine): Buffer =>
  line.b64 === undefined ? Buffer.from(line.s ?? '', 'utf8') : Buffer.from(line.b64, 'base64');

const decoder = (bytes: () => Uint8Array, headers: [string, string][], line: BodyLine): Pick<Body, 'decoded'> => {
  const encodings = line.undone === undefined ? encodingsOf(headers) : [];
  return encodings.length === 0 ? {} : { decoded: () => decodeContent(bytes(), encodings) };
};

/**
 * Turns the lines of a log into calls, in the order of their ids, as soon as every earlier call is whole. Bodies are rebuilt when they
 * are asked for. Everything that cannot be read is a problem with its byte offset, and costs no more than the calls it holds.
 */
export class LogReader {
  #attempt: string | null = null;
  readonly #report: (problem: Problem) => void;
  readonly #file: string;
  readonly #bodies = new Map<number, StoredRequest>();
  readonly #rebuilt = new Rebuilt();
  readonly #headers = new Map<number, [string, string][]>();
  readonly #open = new Map<number, RequestLine>();
  readonly #done = new Map<number, CallRecord>();
  /** Ids as they come in the file, and how many of them were handed out. */
  readonly #order: number[] = [];
  #head = 0;

  constructor(file: string, report: (problem: Problem) => void) {
    this.#file = file;
    this.#report = report;
  }

  #problem(kind: string, offset: number, message: string, call?: number): void {
    this.#report({
      kind,
      severity: 'error',
      message,
      file: this.#file,
      offset,
      ...(call === undefined ? {} : { call }),
    });
  }

  /** Takes one line without its newline; `ended` says that a newline followed. */
  add(bytes: Buffer, offset: number, ended: boolean): void {
    if (bytes.length === 0 || (bytes.length === 1 && bytes[0] === 13)) return;
    const read = decodeLine(bytes);
    if ('wrong' in read) {
      const kind = ended ? 'bad_line' : 'torn_tail';
      this.#problem(kind, offset, `${bytes.length} bytes of the call log are unreadable: ${read.wrong}`);
      return;
    }
    this.#take(read.line, offset);
  }

  #take(line: LogLine, offset: number): void {
    if (line.t === 'open') {
      this.#attempt ??= line.attempt;
    } else if (line.t === 'req') {
      this.#takeRequest(line, offset);
    } else {
      this.#takeResponse(line, offset);
    }
  }

  #takeRequest(line: RequestLine, offset: number): void {
    if (this.#bodies.has(line.c)) {
      this.#problem('duplicate_call', offset, `call ${line.c} is in the log twice; the first one stays`, line.c);
      return;
    }
    const { of, pre, suf } = line.b;
    if (of !== undefined && !this.#bodies.has(of)) {
      this.#problem('missing_base', offset, `call ${line.c} builds on call ${of}, which is not readable`, line.c);
      return;
    }
    const headers = typeof line.h === 'number' ? this.#headers.get(line.h) : line.h;
    if (headers === undefined) {
      this.#problem('missing_base', offset, `call ${line.c} has the headers of a call that is not readable`, line.c);
    }
    this.#headers.set(line.c, headers ?? []);
    const delta = of === undefined ? null : { of, prefix: pre ?? 0, suffix: suf ?? 0 };
    this.#bodies.set(line.c, { middle: payloadOf(line.b), length: line.b.n, delta });
    this.#order.push(line.c);
    this.#open.set(line.c, line);
  }

  #takeResponse(line: ResponseLine, offset: number): void {
    const open = this.#open.get(line.c);
    if (open === undefined) {
      this.#problem('orphan_response', offset, `a response without a readable request, call ${line.c}`, line.c);
      return;
    }
    this.#open.delete(line.c);
    this.#done.set(line.c, this.#record(open, line));
  }

  /** Calls that are whole and have no open call before them. */
  *ready(): Generator<CallRecord> {
    for (; this.#head < this.#order.length; this.#head++) {
      const id = this.#order[this.#head] as number;
      const call = this.#done.get(id);
      if (call === undefined) return;
      this.#done.delete(id);
      yield call;
    }
  }

  /** What is left at the end of the log: calls without a response are `lost`. */
  *finish(): Generator<CallRecord> {
    for (const [id, request] of this.#open) this.#done.set(id, this.#record(request, null));
    this.#open.clear();
    yield* this.ready();
  }

  #bytesOf(call: number): Buffer {
    const chain: number[] = [];
    let at = call;
    let bytes = this.#rebuilt.get(at);
    while (bytes === undefined) {
      const stored = this.#bodies.get(at) as StoredRequest;
      if (stored.delta === null) bytes = stored.middle;
      else {
        chain.push(at);
        at = stored.delta.of;
        bytes = this.#rebuilt.get(at);
      }
    }
    for (const next of chain.reverse()) {
      const stored = this.#bodies.get(next) as StoredRequest;
      bytes = rebuild(bytes, stored.delta as NonNullable<StoredRequest['delta']>, stored.middle);
      this.#rebuilt.put(next, bytes);
    }
    return bytes;
  }

  #requestBody(line: RequestLine, headers: [string, string][]): Body {
    const stored = this.#bodies.get(line.c) as StoredRequest;
    const bytes = (): Uint8Array => this.#bytesOf(line.c);
    const delta = stored.delta === null ? null : { ...stored.delta, middle: stored.middle };
    return { length: stored.length, bytes, delta, ...decoder(bytes, headers, line.b) };
  }

  #record(request: RequestLine, response: ResponseLine | null): CallRecord {
    const headers = this.#headers.get(request.c) ?? [];
    return {
      id: request.c,
      attempt: this.#attempt,
      session: null,
      origin: 'wire',
      protocol: request.proto,
      request: {
        at: request.at,
        method: request.m,
        path: request.p,
        headers,
        body: this.#requestBody(request, headers),
      },
      response: response === null ? null : responseOf(response),
      end: response?.end ?? 'lost',
      upstream: response?.up ?? null,
      redactions: response?.redactions ?? 0,
      ...(response?.why === undefined ? {} : { reason: response.why }),
      ...(response?.as === undefined ? {} : { renamed: response.as }),
      ...(request.part === undefined ? {} : { partial: true as const }),
    };
  }
}

const responseOf = (line: ResponseLine): CallRecord['response'] => {
  const stored = payloadOf(line.b);
  const bytes = (): Uint8Array => stored;
  return {
    at: line.at,
    status: line.st,
    headers: line.h,
    body: { length: stored.length, bytes, delta: null, ...decoder(bytes, line.h, line.b) },
    chunks: line.cuts,
  };
};

/** Cuts a stream of bytes into lines with their offsets; the last one may lack its newline. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ bytes: Buffer; offset: number; ended: boolean }> {
  let held: Buffer[] = [];
  let offset = 0;
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, from)) {
      const line = Buffer.concat([...held, bytes.subarray(from, at)]);
      yield { bytes: line, offset, ended: true };
      offset += line.length + 1;
      held = [];
      from = at + 1;
    }
    if (from < bytes.length) held.push(bytes.subarray(from));
  }
  const rest = Buffer.concat(held);
  if (rest.length > 0) yield { bytes: rest, offset, ended: false };
}
