import { Meter } from './limits.ts';
import type { AttemptEnd, AttemptSpec, AttemptStats } from './schema.ts';
import type { CallLog } from './store.ts';

/** An exchange as its attempt sees it. */
export interface Stoppable {
  leave(reason?: string): void;
}

/** One attempt while the proxy serves it: its token, its log, what it has used and whether it was ended. */
export class Attempt {
  readonly token: string;
  readonly spec: AttemptSpec;
  readonly log: CallLog;
  readonly meter: Meter = new Meter();
  /** Aborts when the proxy ends the attempt. */
  readonly ended: AbortController = new AbortController();
  /** Exchanges under way. */
  readonly #open = new Map<Promise<void>, Stoppable>();
  #arrived = 0;
  #firstCallAt: number | null = null;
  #lastActivityAt: number | null = null;
  #end: AttemptEnd | null = null;

  constructor(spec: AttemptSpec, log: CallLog, token: string) {
    this.spec = spec;
    this.log = log;
    this.token = token;
  }

  get end(): AttemptEnd | null {
    return this.#end;
  }

  /** Counts a request that came in; returns its ordinal. */
  arrive(at: number): number {
    this.#firstCallAt ??= at;
    this.#lastActivityAt = at;
    return this.#arrived++;
  }

  /** Bytes passed at this time. */
  active(at: number): void {
    this.#lastActivityAt = at;
  }

  /** Keeps an exchange until it is over, so that closing can wait for its record. */
  track(exchange: Stoppable, done: Promise<void>): void {
    this.#open.set(done, exchange);
    void done.then(() => this.#open.delete(done));
  }

  /** Ends the attempt; only the first end counts. */
  finish(end: AttemptEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.ended.abort(end);
    this.spec.onEnd?.(end);
  }

  /** Stops what is under way and waits for its record. */
  async stop(): Promise<void> {
    for (const exchange of this.#open.values()) exchange.leave('attempt_closed');
    while (this.#open.size > 0) await Promise.all(this.#open.keys());
  }

  stats(): AttemptStats {
    return {
      calls: this.meter.calls,
      openCalls: this.#open.size,
      firstCallAt: this.#firstCallAt,
      lastActivityAt: this.#lastActivityAt,
      tokens: { input: this.meter.input, output: this.meter.output },
      cost: this.meter.cost,
      end: this.#end,
    };
  }
}
