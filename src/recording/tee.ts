import type { Hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Protocol } from '../wire/schema.ts';
import { decodeContent, encodingsOf } from './encoding.ts';
import { headerOf, returnedHeaders } from './headers.ts';
import { EndWatch, endsWell } from './last-event.ts';
import { type FoundModel, ModelScanner } from './model-scan.ts';
import type { ByteSink, CallEnd, IncomingReply, RequestBody } from './schema.ts';
import { startHash } from './store.ts';
import { asUpstreamError } from './upstreams/error.ts';

/** The two halves of a client's exchange, for those who hand them over. */
export type { IncomingMessage as Incoming, ServerResponse as Outgoing } from 'node:http';

/** The longest request and reply that are relayed; what is longer is no model call, and is cut. */
const LONGEST_REQUEST = 64 * 1024 * 1024;
const LONGEST_REPLY = 64 * 1024 * 1024;
/** How long a reply's last event may wait for the end of its stream before it is released all the same. */
const HOLD_MS = 1000;

/** A client's body: kept by reference as it passes, given on to one upstream, hashed for the record. */
export class RequestTee implements RequestBody {
  readonly #req: IncomingMessage;
  /** Only while somebody asks: a body is looked at byte by byte. */
  #scanner: ModelScanner | null = null;
  readonly #hash: Hash = startHash();
  readonly #waiting: (() => void)[] = [];
  #chunks: Buffer[] = [];
  #length = 0;
  #model: FoundModel | null = null;
  #sink: ByteSink | null = null;
  #edit: { found: FoundModel; name: string } | null = null;
  #state: 'open' | 'complete' | 'gone' | 'too_long' = 'open';
  #given = false;
  #taken = false;

  constructor(req: IncomingMessage) {
    this.#req = req;
    req.on('data', (chunk: Buffer) => this.#take(chunk));
    req.on('end', () => this.#settle('complete'));
    req.on('close', () => this.#settle('gone'));
    req.on('error', () => this.#settle('gone'));
  }

  get state(): 'open' | 'complete' | 'gone' | 'too_long' {
    return this.#state;
  }

  #take(chunk: Buffer): void {
    if (this.#state !== 'open') return;
    this.#length += chunk.length;
    if (this.#length > LONGEST_REQUEST) {
      this.#settle('too_long');
      this.#req.resume();
      return;
    }
    this.#chunks.push(chunk);
    this.#sink?.write(chunk);
    this.#hash.update(chunk);
    if (this.#scanner !== null && this.#model === null) this.#model = this.#scanner.push(chunk);
    if (this.#scanner === null || this.#model !== null) this.#wake();
  }

  #settle(state: 'complete' | 'gone' | 'too_long'): void {
    if (this.#state !== 'open') return;
    this.#state = state;
    if (state === 'complete') this.#sink?.end();
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Waits for the top-level "model"; null when the body came to its end without one. */
  async model(): Promise<FoundModel | null> {
    if (this.#scanner === null) {
      this.#scanner = new ModelScanner();
      for (const chunk of this.#chunks) this.#model ??= this.#scanner.push(chunk);
    }
    while (this.#model === null && this.#state === 'open') await this.#next();
    return this.#model;
  }

  /** Waits for the end of the body. */
  async whole(): Promise<void> {
    while (this.#state === 'open') await this.#next();
  }

  /** Gives the body on with another model name; before it is pushed or pulled. The record keeps the client's. */
  rename(found: FoundModel, name: string): void {
    this.#edit = { found, name };
  }

  /** How many bytes longer the body becomes by `rename`. */
  get growth(): number {
    if (this.#edit === null) return 0;
    const { found, name } = this.#edit;
    return Buffer.byteLength(JSON.stringify(name)) - (found.end - found.start);
  }

  /** What came so far, renamed; the model was found in it. */
  #sofar(): Buffer[] {
    if (this.#edit === null) return [...this.#chunks];
    const { found, name } = this.#edit;
    const head = Buffer.concat(this.#chunks);
    return [head.subarray(0, found.start), Buffer.from(JSON.stringify(name)), head.subarray(found.end)];
  }

  pushTo(sink: ByteSink): void {
    for (const chunk of this.#sofar()) sink.write(chunk);
    if (this.#state === 'complete') sink.end();
    else this.#sink = sink;
    this.#given = true;
    this.#let();
  }

  /** What was both given on and recorded is let go. */
  #let(): void {
    if (this.#given && this.#taken) this.#chunks = [];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const first = this.#sofar();
    let given = this.#chunks.length;
    yield* first;
    for (;;) {
      while (given < this.#chunks.length) yield this.#chunks[given++] as Buffer;
      if (this.#state === 'complete') {
        this.#given = true;
        this.#let();
        return;
      }
      if (this.#state !== 'open') throw new Error('the client left before its request was complete');
      await this.#next();
    }
  }

  /** The body as it came. */
  get body(): readonly Buffer[] {
    return this.#chunks;
  }

  /** Hands the body and its hash to the record, once. */
  taken(): { body: readonly Buffer[]; sha: string } {
    const body = this.#chunks;
    this.#taken = true;
    this.#let();
    return { body, sha: this.#hash.digest('hex') };
  }
}

/** What became of a reply. */
export interface Relayed {
  status: number | null;
  headers: [string, string][];
  body: Buffer;
  chunks: [at: number, length: number][];
  startedAt: number;
  end: CallEnd;
  reason?: string;
}

const isStream = (headers: readonly [string, string][]): boolean =>
  /event-stream/i.test(headerOf(headers, 'content-type') ?? '');

/**
 * Gives a reply to the client as it comes, bytes untouched, and tells `record` of it before the last bytes are released. A reply that
 * fails, or a stream without its last event, ends in a destroyed socket: no client takes it for a whole one.
 */
export class ReplyRelay {
  readonly #res: ServerResponse;
  readonly #record: (relayed: Relayed) => boolean;
  readonly #active: (at: number) => void;
  readonly #protocol: () => Protocol | 'other';
  /** Came in this turn of the event loop. */
  #batch: Buffer[] = [];
  #chunks: Buffer[] = [];
  #cuts: [number, number][] = [];
  #status: number | null = null;
  #headers: [string, string][] = [];
  #startedAt = Date.now();
  #expected: number | null = null;
  #length = 0;
  #watch: EndWatch | null = null;
  #held: Buffer | null = null;
  #timer: NodeJS.Timeout | null = null;
  #over = false;

  constructor(
    res: ServerResponse,
    protocol: () => Protocol | 'other',
    hooks: { record: (relayed: Relayed) => boolean; active: (at: number) => void },
  ) {
    this.#res = res;
    this.#protocol = protocol;
    this.#record = hooks.record;
    this.#active = hooks.active;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Relays a reply to its end; the promise never rejects. */
  async run(reply: IncomingReply, end: CallEnd, reason?: string): Promise<void> {
    if (this.#over) return;
    this.#start(reply);
    try {
      if (reply.body instanceof Readable) await this.#flow(reply.body);
      else await this.#pull(reply.body);
      this.#finish(end, reason);
    } catch (e) {
      this.fail(e);
    }
  }

  #start(reply: IncomingReply): void {
    this.#startedAt = Date.now();
    this.#status = reply.status;
    this.#headers = returnedHeaders(reply.headers);
    const length = headerOf(this.#headers, 'content-length');
    this.#expected = length === null ? null : Number(length);
    if (reply.status === 200 && isStream(this.#headers)) this.#watch = new EndWatch(this.#protocol());
    this.#res.sendDate = false;
    if (reply.statusText === undefined) this.#res.writeHead(reply.status, this.#headers.flat());
    else this.#res.writeHead(reply.status, reply.statusText, this.#headers.flat());
    this.#res.flushHeaders();
  }

  async #pull(body: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of body) {
      if (this.#over) return;
      this.#take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    }
  }

  #flow(body: Readable): Promise<void> {
    return new Promise((resolve, reject) => {
      body.on('data', (chunk: Buffer) => this.#take(chunk));
      body.on('end', resolve);
      body.on('error', reject);
      body.on('close', () => reject(new Error('the upstream closed its connection')));
    });
  }

  /** Pieces that come in one turn of the event loop leave as one: they were one read of the socket, and cost one write. */
  #take(chunk: Buffer): void {
    if (this.#batch.length === 0) process.nextTick(() => this.#flush());
    this.#batch.push(chunk);
  }

  #flush(): void {
    const [only, ...more] = this.#batch;
    this.#batch = [];
    if (this.#over || only === undefined) return;
    const chunk = more.length === 0 ? only : Buffer.concat([only, ...more]);
    if (chunk.length === 0) return;
    const at = Date.now();
    this.#active(at);
    this.#chunks.push(chunk);
    this.#cuts.push([at, chunk.length]);
    this.#length += chunk.length;
    this.#release();
    if (this.#length > LONGEST_REPLY) {
      this.fail(asUpstreamError(new Error('endless_reply')));
      return;
    }
    const whole = this.#expected !== null && this.#length >= this.#expected;
    if (whole || this.#watch?.push(chunk) === true) this.#hold(chunk, whole);
    else this.#res.write(chunk);
  }

  #hold(chunk: Buffer, whole: boolean): void {
    this.#held = chunk;
    if (whole) return;
    this.#timer = setTimeout(() => this.#release(), HOLD_MS);
  }

  #release(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#held !== null) this.#res.write(this.#held);
    this.#held = null;
  }

  /** The reply so far, as one buffer. */
  #body(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  #wellEnded(): boolean {
    if (this.#watch === null) return true;
    const body = this.#body();
    const encodings = encodingsOf(this.#headers);
    return endsWell(this.#protocol(), encodings.length === 0 ? body : Buffer.from(decodeContent(body, encodings)));
  }

  #finish(end: CallEnd, reason: string | undefined): void {
    this.#flush();
    if (this.#over) return;
    if (!this.#wellEnded()) {
      this.#close('upstream_reset', 'missing_last_event');
      return;
    }
    const recorded = this.#tell(end, reason);
    const held = this.#held;
    this.#held = null;
    this.#release();
    if (!recorded) {
      this.#break();
      return;
    }
    if (held === null) this.#res.end();
    else this.#res.end(held);
  }

  /** The upstream failed, before or inside its reply: the client's socket is destroyed once it has what came. */
  fail(e: unknown): void {
    this.#flush();
    if (this.#over) return;
    const error = asUpstreamError(e);
    this.#close(error.kind === 'timeout' ? 'upstream_timeout' : 'upstream_reset', error.reason);
  }

  /** The client left, or the attempt is closed. A stream whose last event was released has reached its end all the same. */
  abandon(reason?: string): void {
    this.#flush();
    if (this.#over) return;
    const seen = this.#watch !== null && this.#held === null && this.#wellEnded();
    if (seen) this.#close('complete', undefined);
    else this.#close('client_gone', reason);
  }

  #close(end: CallEnd, reason: string | undefined): void {
    this.#tell(end, reason);
    this.#release();
    this.#break();
  }

  #break(): void {
    const socket = this.#res.socket;
    if (socket === null || socket.destroyed) return;
    // What was written before reaches the client; the missing end of the body tells it that this is all.
    if (this.#res.req.httpVersionMinor === 0) socket.resetAndDestroy();
    else if (socket.writableLength === 0) socket.destroy();
    else socket.destroySoon();
  }

  /** Tells the record; false = it could not be written, and the client must not take the reply for recorded. */
  #tell(end: CallEnd, reason: string | undefined): boolean {
    this.#over = true;
    const body = this.#body();
    return this.#record({
      status: this.#status,
      headers: this.#headers,
      body,
      chunks: this.#cuts,
      startedAt: this.#startedAt,
      end,
      ...(reason === undefined ? {} : { reason }),
    });
  }
}
