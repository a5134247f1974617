import { sha256 } from '../../core/ids.ts';
import { canonicalJson, parseJson } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import { protocols } from '../../wire/all.ts';
import type { Block, DecodedRequest, WireProtocol } from '../../wire/schema.ts';
import { decodeContent, encodingsOf } from '../encoding.ts';
import type { AttemptEnd, CallRecord, IncomingReply, OutgoingRequest, Upstream } from '../schema.ts';
import { UpstreamError } from './error.ts';

/** An earlier record to answer from. `onDrift` hears of tool results that are not what they were then, each once. */
export interface ReplayOptions {
  /** As it stands in the record: `replay/<rollout>`. */
  id: string;
  calls: Iterable<CallRecord> | AsyncIterable<CallRecord>;
  onDrift?: ((problem: Problem) => void) | undefined;
}

/** A tool's result: which call it answers, and what it said. */
type Results = ReadonlyMap<string, string>;

interface Recorded {
  call: CallRecord;
  results: Results;
}

// What scaffolds add to a user's words is not the same twice: reminders, and an environment with the time of day.
const ADDED = /<(system-reminder|environment_details)>[\s\S]*?<\/\1>/g;

const plain = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((b) => (b.type === 'text' ? [b.text.replace(ADDED, '').trim()] : []))
    .filter((text) => text !== '')
    .join('\n');

const callsOf = (blocks: readonly Block[]): unknown[] =>
  blocks.flatMap((b) => (b.type === 'tool_call' ? [[b.name, b.input ?? b.rawInput ?? null]] : []));

/** What a thread is told by: its users' words and the assistant's turns so far. Results, ids and thinking are left out. */
const keyOf = (request: DecodedRequest): string => {
  const turns = request.messages.flatMap((m): unknown[] => {
    if (m.role === 'assistant') return [['assistant', plain(m.blocks), callsOf(m.blocks)]];
    const text = m.role === 'user' ? plain(m.blocks) : '';
    return text === '' ? [] : [['user', text]];
  });
  return sha256(canonicalJson(turns));
};

const resultsOf = (request: DecodedRequest): Results =>
  new Map(
    request.messages
      .flatMap((m) => m.blocks)
      .flatMap((b) => (b.type === 'tool_result' ? [[b.id, plain(b.blocks)] as const] : [])),
  );

const REPLAYED: ReadonlySet<CallRecord['end']> = new Set(['complete', 'upstream_reset', 'upstream_timeout', 'unknown']);

const readRequest = (
  protocol: WireProtocol,
  method: string,
  path: string,
  bytes: Uint8Array,
): DecodedRequest | null => {
  if (protocol.endpoint(method, path) !== 'generate') return null;
  return protocol.readRequest(parseJson(Buffer.from(bytes).toString('utf8')), path);
};

/**
 * Answers from an earlier record: each request gets the reply that the same thread got then, byte for byte, faults included. A request
 * that came several times is answered in the order of the record. One whose thread is not in the record ends the attempt.
 */
export const replayUpstream = async (options: ReplayOptions): Promise<Upstream> => {
  const recorded = new Map<string, Recorded[]>();
  for await (const call of options.calls) {
    if (call.protocol === 'other' || call.response === null || !REPLAYED.has(call.end)) continue;
    const { method, path, body } = call.request;
    const request = readRequest(protocols[call.protocol], method, path, body.decoded?.() ?? body.bytes());
    if (request === null) continue;
    const key = `${call.protocol} ${keyOf(request)}`;
    const list = recorded.get(key) ?? [];
    list.push({ call, results: resultsOf(request) });
    recorded.set(key, list);
  }
  const replay = new Replay(options, recorded);
  return { id: options.id, free: true, send: (request) => replay.send(request) };
};

class Replay {
  readonly #options: ReplayOptions;
  readonly #recorded: ReadonlyMap<string, readonly Recorded[]>;
  readonly #served = new Map<string, number>();
  readonly #drifted = new Set<string>();

  constructor(options: ReplayOptions, recorded: ReadonlyMap<string, readonly Recorded[]>) {
    this.#options = options;
    this.#recorded = recorded;
  }

  async send(outgoing: OutgoingRequest): Promise<IncomingReply> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of outgoing.body) chunks.push(chunk);
    const bytes = decodeContent(Buffer.concat(chunks), encodingsOf(outgoing.headers));
    const protocol = protocols[outgoing.protocol === 'other' ? 'anthropic' : outgoing.protocol];
    const request = readRequest(protocol, outgoing.method, outgoing.path, bytes);
    if (request === null) return plainReply(protocol.writeTokenCount(Math.ceil(bytes.length / 4)));
    const key = `${outgoing.protocol} ${keyOf(request)}`;
    const list = this.#recorded.get(key);
    const times = this.#served.get(key) ?? 0;
    const found = list?.[Math.min(times, list.length - 1)];
    if (found === undefined) return this.#missing(protocol, request);
    this.#served.set(key, times + 1);
    this.#compare(found, resultsOf(request));
    return replyOf(found.call);
  }

  #compare({ call, results }: Recorded, now: Results): void {
    for (const [id, then] of results) {
      const text = now.get(id);
      if (text === undefined || text === then || this.#drifted.has(id)) continue;
      this.#drifted.add(id);
      this.#options.onDrift?.({
        kind: 'drift',
        severity: 'warning',
        message: `the result of ${id} was ${shown(then)}, and is now ${shown(text)}`,
        call: call.id,
      });
    }
  }

  #missing(protocol: WireProtocol, request: DecodedRequest): IncomingReply {
    const last = request.messages.findLast((m) => m.role === 'user');
    const message = `the record holds no reply to this thread, whose last words are ${shown(plain(last?.blocks ?? []))}`;
    const ends: AttemptEnd = { outcome: 'scaffold_failed', reason: 'replay_missing', message };
    return {
      ...plainReply(
        protocol.writeError({ status: 400, type: 'invalid_request_error', message: `octobench: ${message}` }),
      ),
      ends,
    };
  }
}

const SHOWN = 200;
const shown = (text: string): string => JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

async function* once(pieces: readonly Uint8Array[], error: UpstreamError | null): AsyncGenerator<Uint8Array> {
  yield* pieces;
  if (error !== null) throw error;
}

const plainReply = (reply: { status: number; headers: [string, string][]; chunks: Uint8Array[] }): IncomingReply => ({
  status: reply.status,
  headers: reply.headers,
  body: once(reply.chunks, null),
});

/** A recorded reply as it came, in its pieces; one that broke off breaks off again. */
const replyOf = (call: CallRecord): IncomingReply => {
  const { response, end } = call;
  const error =
    end === 'upstream_reset' || end === 'upstream_timeout'
      ? new UpstreamError(end === 'upstream_reset' ? 'reset' : 'timeout', `replayed_${call.reason ?? end}`)
      : null;
  if (response === null || response.status === null) throw error ?? new UpstreamError('reset', 'replayed_nothing');
  const bytes = response.body.bytes();
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const [, length] of response.chunks) {
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  // A body that had to be unpacked to mask a secret is no longer what its headers say.
  const unpacked = response.body.decoded === undefined;
  const headers = response.headers.filter(
    ([name]) => name !== 'content-length' && !(unpacked && name === 'content-encoding'),
  );
  return { status: response.status, headers, body: once(pieces, error) };
};
