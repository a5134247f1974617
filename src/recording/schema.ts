import type { ModelTier, Stub } from '../scaffolds/scaffold.ts';
import type { Protocol } from '../wire/schema.ts';

/** How an exchange ended. `lost` = a request without its response in the log; `unknown` = imported. */
export type CallEnd =
  | 'complete'
  | 'upstream_reset'
  | 'upstream_timeout'
  | 'client_gone'
  | 'refused'
  | 'limit'
  | 'lost'
  | 'unknown';

/** A recorded body. `delta` says what it shares with an earlier request, so that a reader need not parse twice. */
export interface Body {
  length: number;
  /** What was on the wire, redacted spans apart; still compressed where a content-encoding says so. */
  bytes(): Uint8Array;
  /** The content with its content-encoding undone. Absent = the same as `bytes()`. Never throws: a cut body gives what can be had of it. */
  decoded?(): Uint8Array;
  delta: { of: number; prefix: number; suffix: number; middle: Uint8Array } | null;
}

/** One LLM API exchange as it was on the wire (docs/formats/calls.md). Times are ms since the log was opened. */
export interface CallRecord {
  id: number;
  attempt: string | null;
  /** Imported logs only: the session id the log gives. */
  session: string | null;
  origin: 'wire' | 'import';
  protocol: Protocol | 'other';
  request: { at: number; method: string; path: string; headers: [string, string][]; body: Body };
  response: {
    at: number;
    status: number | null;
    headers: [string, string][];
    body: Body;
    chunks: [at: number, length: number][];
  } | null;
  end: CallEnd;
  upstream: string | null;
  redactions: number;
  /** What stood behind an end that is not `complete`: `first_byte_timeout`, `ECONNRESET`, `model_not_allowed`, ... */
  reason?: string;
  /** The model's name at the upstream, where it is not the one on the wire. */
  renamed?: string;
  /** True when the client left before its request body was complete. */
  partial?: true;
}

/** Where a pushed body goes: a `ClientRequest`, or anything that takes bytes. */
export interface ByteSink {
  write(chunk: Uint8Array): unknown;
  end(): unknown;
}

/** A request body on its way: pulled with `for await`, or pushed as it arrives, which is the quick way. It throws when the client leaves. */
export interface RequestBody extends AsyncIterable<Uint8Array> {
  pushTo?(sink: ByteSink): void;
}

/** A request on its way out. Header names are lower case, hop-by-hop ones removed. */
export interface OutgoingRequest {
  method: string;
  path: string;
  headers: [string, string][];
  body: RequestBody;
  /** Ordinal of the call in its attempt. */
  call: number;
  tier: ModelTier;
  /** The model's name at the upstream. */
  model: string;
  protocol: Protocol | 'other';
}

/** A reply on its way in. A body that throws was cut: the client's socket is destroyed. A Node `Readable` is the quick kind of body. */
export interface IncomingReply {
  status: number;
  statusText?: string;
  headers: [string, string][];
  body: AsyncIterable<Uint8Array>;
  /** This reply is the attempt's last: `onEnd` is told when it has been relayed. */
  ends?: AttemptEnd;
}

/** Where calls go: `provider`, `translate`, `script`, `replay`. `send` rejects with an `UpstreamError` (upstreams/error.ts). */
export interface Upstream {
  /** As it stands in the record: `script/careful`; an id without a slash gets the tier: `anthropic` -> `anthropic/main`. */
  id: string;
  /** Costs nothing (scripts, replays): needs no price under a cost limit. */
  free?: true;
  send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingReply>;
  close?(): Promise<void>;
}

export interface AttemptLimits {
  calls: number | null;
  tokens: number | null;
  /** In the price table's currency. */
  cost: number | null;
}

/** Which upstream a model name on the wire goes to. */
export interface ModelRoute {
  tier: ModelTier;
  upstream: Upstream;
}

/** Why the proxy ended an attempt: the outcome and reason of docs/formats/rollout.md. */
export interface AttemptEnd {
  outcome: 'limit_reached' | 'scaffold_failed' | 'infra_failed';
  reason: string;
  message: string;
}

export interface AttemptSpec {
  attempt: string;
  /** Path of `calls.jsonl`. */
  log: string;
  /** Path of a unix socket to listen on besides TCP (sandboxes), or null. */
  socket: string | null;
  /** Name on the wire -> route. A name that is in neither ends the attempt (`model_not_allowed`). */
  models: Readonly<Record<string, ModelRoute>>;
  aliases: Readonly<Record<string, ModelTier>>;
  /** Where names that are neither go, unchanged; absent = they end the attempt. For recording an agent whose models nobody declared. */
  anyModel?: ModelRoute;
  stubs: readonly Stub[];
  limits: AttemptLimits;
  /** Values that must not reach the disk; the attempt's token is one too. */
  secrets: readonly string[];
  /** Told by the upstream `script` or by a limit: the attempt is over. */
  onEnd?: (end: AttemptEnd) => void;
}

/** One call as it passed, for people who watch. `ms` from the request's first byte to the reply's last; `bytes` of the reply. */
export interface CallEvent {
  attempt: string;
  call: number;
  model: string | null;
  status: number | null;
  end: CallEnd;
  ms: number;
  bytes: number;
}

/** What the proxy knows of an attempt while it runs. Times are `Date.now()`. */
export interface AttemptStats {
  calls: number;
  openCalls: number;
  firstCallAt: number | null;
  lastActivityAt: number | null;
  tokens: { input: number; output: number };
  cost: number | null;
  end: AttemptEnd | null;
}

/** An attempt that is being recorded. */
export interface RecordedAttempt {
  token: string;
  /** TCP base URL on 127.0.0.1, without a path. */
  url: string;
  /** Aborts when the proxy ends the attempt. */
  ended: AbortSignal;
  stats(): AttemptStats;
  /** Revokes the token, closes open exchanges, syncs and seals the log (`calls.jsonl.zst`). */
  close(): Promise<AttemptStats>;
}

export interface Proxy {
  url: string;
  open(spec: AttemptSpec): Promise<RecordedAttempt>;
  /** Requests with unknown, expired or revoked tokens: counted, never logged. */
  unknownTokens(): number;
  /** Cost of all attempts so far, in the price table's currency; models without a price count as 0. */
  cost(): number;
  close(): Promise<void>;
}
