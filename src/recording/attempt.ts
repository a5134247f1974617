import { Meter } from './limits.ts';
import type { AttemptEnd, AttemptSpec, AttemptStats } from './schema.ts';
import type { CallLog } from './store.ts';

/** One attempt while the proxy serves it: its token, its log, what it has used and whether it was ended. */
export class Attempt {
  readonly token: string;
  readonly spec: AttemptSpec;
  readonly log: CallLog;
  readonly meter: Meter = new Meter();
  /** Aborts when the proxy ends the attempt. */
  readonly ended: AbortController = new AbortController();
  /** Stops the exchanges that are under way. */
  readonly closing: AbortController = new AbortController();
  readonly #open = new Set<Promise<void>>();
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
  track(exchange: Promise<void>): void {
    this.#open.add(exchange);
    void exchange.finally(() => this.#open.delete(exchange));
  }

  /** Ends the attempt; only the first end counts. */
  finish(end: AttemptEnd): void {
    if (this.#end !== null) return;
    this.#end = end;
    this.ended.abort(end);
    this.spec.onEnd?.(end);
  }

  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
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
