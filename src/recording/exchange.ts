import type { Problem } from '../core/problem.ts';
import { protocols } from '../wire/all.ts';
import type { HttpReply, Protocol, WireProtocol } from '../wire/schema.ts';
import type { Attempt } from './attempt.ts';
import { decodeContent, encodingsOf } from './encoding.ts';
import { headerOf, headerPairs, outgoingHeaders } from './headers.ts';
import { usageOf } from './limits.ts';
import { ModelScanner } from './model-scan.ts';
import { purposeOf, type Routed, refusal, routeModel, spokenBy, stubReply, upstreamLabel } from './route.ts';
import type { AttemptEnd, CallEnd, CallEvent, OutgoingRequest } from './schema.ts';
import { type Incoming, type Outgoing, type Relayed, ReplyRelay, RequestTee } from './tee.ts';

/** What an exchange tells the proxy. */
export interface ExchangeHooks {
  costOf(model: string, protocol: Protocol, usage: ReturnType<typeof usageOf>): number | null;
  onCall?: ((event: CallEvent) => void) | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
}

/** One request of an attempt and its reply, from the first byte to the record. */
export class Exchange {
  readonly #attempt: Attempt;
  readonly #hooks: ExchangeHooks;
  readonly #method: string;
  readonly #path: string;
  readonly #headers: [string, string][];
  readonly #tee: RequestTee;
  readonly #relay: ReplyRelay;
  readonly #startedAt = Date.now();
  readonly #ordinal: number;
  readonly #abort = new AbortController();
  #protocol: WireProtocol | null = null;
  #upstream: string | null = null;
  #model: string | null = null;
  #renamed: string | null = null;
  #call: number | null = null;
  #ends: AttemptEnd | null = null;
  #metered = false;

  /** `path` is without the token. */
  constructor(attempt: Attempt, { req, res }: { req: Incoming; res: Outgoing }, path: string, hooks: ExchangeHooks) {
    this.#attempt = attempt;
    this.#hooks = hooks;
    this.#method = req.method ?? 'GET';
    this.#path = path;
    this.#headers = headerPairs(req.rawHeaders);
    this.#ordinal = attempt.arrive(this.#startedAt);
    this.#tee = new RequestTee(req);
    this.#relay = new ReplyRelay(res, () => this.#protocol?.id ?? 'other', {
      record: (relayed) => this.#recorded(() => this.#record(relayed)),
      active: (at) => attempt.active(at),
    });
    res.on('close', () => {
      if (!res.writableFinished) this.leave();
    });
  }

  /** The client left, or the attempt is being closed: the upstream is stopped at once. */
  leave(reason?: string): void {
    this.#relay.abandon(reason);
    this.#abort.abort();
  }

  /** Answers the request, or refuses it for a reason; never rejects. */
  async run(refused: string | null): Promise<void> {
    try {
      await this.#route(refused);
    } catch (e) {
      this.#relay.fail(e);
    }
    if (this.#ends !== null) this.#attempt.finish(this.#ends);
  }

  async #route(refused: string | null): Promise<void> {
    const { spec } = this.#attempt;
    const purpose = purposeOf(spec.stubs, this.#method, this.#path, this.#headers);
    const speaks = spokenBy(this.#method, this.#path, this.#headers);
    if (refused !== null) return this.#refuse(speaks, 400, 'invalid_request_error', refused, 'refused', 'bad_request');
    if (purpose.kind === 'stub') return this.#answer(stubReply(purpose.stub), 'refused', 'stub', 'stub');
    if (purpose.kind === 'unknown') {
      const message = `no such endpoint: ${this.#method} ${this.#path.split('?')[0]}`;
      return this.#refuse(speaks, 404, 'not_found_error', message, 'refused', 'unknown_endpoint');
    }
    this.#protocol = purpose.protocol;
    if (purpose.endpoint === 'models') {
      return this.#answer(purpose.protocol.writeModels(Object.keys(spec.models)), 'complete', 'proxy');
    }
    await this.#forward(purpose.protocol, purpose.endpoint === 'generate');
  }

  async #forward(protocol: WireProtocol, generates: boolean): Promise<void> {
    const attempt = this.#attempt;
    if (attempt.end !== null) {
      const message = `this attempt is over: ${attempt.end.message}`;
      const end = attempt.end.outcome === 'limit_reached' ? 'limit' : 'refused';
      return this.#refuse(protocol, 400, 'invalid_request_error', message, end, attempt.end.reason);
    }
    const limit = generates ? attempt.meter.reached(attempt.spec.limits) : null;
    if (limit !== null) return this.#limit(protocol, limit.reason, limit.message);
    if (generates) attempt.meter.calls++;
    const name = await this.#modelName(protocol);
    if (this.#tee.state === 'gone') return this.leave();
    if (this.#tee.state === 'too_long') {
      return this.#refuse(
        protocol,
        413,
        'request_too_large',
        'the request is longer than 64 MB',
        'refused',
        'too_long',
      );
    }
    const routed = routeModel(attempt.spec, name);
    if (routed === null) {
      const message = `model "${name}" is not one of this attempt's: ${Object.keys(attempt.spec.models).join(', ')}`;
      return this.#limit(protocol, 'model_not_allowed', message);
    }
    this.#metered = generates;
    await this.#send(protocol, routed, name);
  }

  /** The model's name: in the path, else the top-level "model" of the body. */
  async #modelName(protocol: WireProtocol): Promise<string | null> {
    const inPath = protocol.modelInPath(this.#path);
    if (inPath !== null) return this.#note(inPath);
    const encodings = encodingsOf(this.#headers);
    if (encodings.length === 0) {
      const found = await this.#tee.model();
      if (found !== null) return this.#note(found.name);
    } else {
      await this.#tee.whole();
      const found = new ModelScanner().push(decodeContent(Buffer.concat(this.#tee.body), encodings));
      if (found !== null) return this.#note(found.name);
    }
    if (this.#tee.state === 'complete') {
      this.#hooks.onProblem?.({
        kind: 'missing_model',
        severity: 'warning',
        message: `call ${this.#ordinal} of ${this.#attempt.spec.attempt} names no model; it goes to the main one`,
      });
    }
    return null;
  }

  #note(name: string): string {
    this.#model = name;
    return name;
  }

  async #send(protocol: WireProtocol, routed: Routed, name: string | null): Promise<void> {
    this.#upstream = upstreamLabel(routed.upstream, routed.tier);
    const headers = outgoingHeaders(this.#headers);
    const request: OutgoingRequest = {
      method: this.#method,
      path: this.#path,
      headers,
      body: this.#tee,
      call: this.#ordinal,
      tier: routed.tier,
      model: routed.model,
      protocol: protocol.id,
    };
    if (name !== null && name !== routed.model) await this.#rename(request, routed.model, name);
    this.#model = routed.model;
    void this.#tee.whole().then(() => this.#recorded(() => this.#logRequest()));
    const reply = await routed.upstream.send(request, this.#abort.signal);
    if (reply.ends !== undefined) this.#ends = reply.ends;
    await this.#relay.run(reply, 'complete');
  }

  /** A tier's alias is sent on under the tier's own name. */
  async #rename(request: OutgoingRequest, name: string, from: string): Promise<void> {
    if (this.#protocol?.modelInPath(this.#path) === from) {
      request.path = this.#path.replace(encodeURIComponent(from), encodeURIComponent(name));
    } else if (encodingsOf(this.#headers).length === 0) {
      const found = await this.#tee.model();
      if (found !== null) this.#tee.rename(found, name);
    } else return;
    this.#renamed = name;
    request.headers = request.headers.map(([key, value]) =>
      key === 'content-length' ? [key, String(Number(value) + this.#tee.growth)] : [key, value],
    );
  }

  #limit(protocol: WireProtocol, reason: string, message: string): Promise<void> {
    this.#ends = { outcome: 'limit_reached', reason, message };
    return this.#refuse(protocol, 400, 'invalid_request_error', message, 'limit', reason);
  }

  #refuse(
    protocol: WireProtocol,
    status: number,
    type: string,
    message: string,
    end: CallEnd,
    reason: string,
  ): Promise<void> {
    return this.#answer(refusal(protocol, status, type, message), end, 'proxy', reason);
  }

  /** A reply of the proxy's own, once the request is whole. */
  async #answer(reply: HttpReply, end: CallEnd, upstream: string, reason?: string): Promise<void> {
    await this.#tee.whole();
    if (this.#tee.state === 'gone') return this.leave();
    this.#upstream = upstream;
    const length = reply.chunks.reduce((n, c) => n + c.length, 0);
    const body = Buffer.concat(reply.chunks);
    const headers: [string, string][] = [...reply.headers, ['content-length', String(length)]];
    await this.#relay.run({ status: reply.status, headers, body: once(body) }, end, reason);
  }

  /** Writes to the record; a disk that refuses ends the attempt, since what is not recorded did not happen. */
  #recorded(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (e) {
      const message = `the call log could not be written: ${e instanceof Error ? e.message : String(e)}`;
      this.#hooks.onProblem?.({ kind: 'record_failed', severity: 'error', message, file: this.#attempt.spec.log });
      this.#attempt.finish({ outcome: 'infra_failed', reason: 'record_failed', message });
      return false;
    }
  }

  #logRequest(): number {
    if (this.#call !== null) return this.#call;
    const { body, sha } = this.#tee.taken();
    this.#call = this.#attempt.log.request({
      method: this.#method,
      path: this.#path,
      protocol: this.#protocol?.id ?? 'other',
      headers: this.#headers,
      body,
      sha,
      startedAt: this.#startedAt,
      partial: this.#tee.state !== 'complete',
    });
    return this.#call;
  }

  #record(relayed: Relayed): void {
    const call = this.#logRequest();
    this.#attempt.log.response(call, {
      ...relayed,
      upstream: this.#upstream,
      ...(this.#renamed === null ? {} : { renamed: this.#renamed }),
    });
    if (this.#metered) this.#meter(relayed);
    this.#hooks.onCall?.({
      attempt: this.#attempt.spec.attempt,
      call,
      model: this.#model,
      status: relayed.status,
      end: relayed.end,
      ms: Date.now() - this.#startedAt,
      bytes: relayed.body.length,
    });
  }

  #meter(relayed: Relayed): void {
    const protocol = this.#protocol;
    if (protocol === null || relayed.status === null || relayed.status >= 400) return;
    const encodings = encodingsOf(relayed.headers);
    const body = encodings.length === 0 ? relayed.body : Buffer.from(decodeContent(relayed.body, encodings));
    const usage = usageOf(protocol, body, headerOf(relayed.headers, 'content-type') ?? '', relayed.status);
    this.#attempt.meter.add(protocol.id, usage, this.#hooks.costOf(this.#model ?? '', protocol.id, usage));
  }
}

async function* once(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}

/** The answer to a token that is unknown, expired or revoked. */
export const unauthorized = (method: string, url: string, headers: [string, string][]): HttpReply =>
  refusal(
    spokenBy(method, url, headers) ?? protocols.anthropic,
    401,
    'authentication_error',
    'unknown or revoked key: each attempt has its own, given by octobench',
  );
