import { billedTokens } from '../wire/cost.ts';
import type { Protocol, Usage, WireProtocol } from '../wire/schema.ts';
import type { AttemptLimits } from './schema.ts';

/** What one attempt has used so far. */
export class Meter {
  calls = 0;
  input = 0;
  output = 0;
  cost: number | null = null;

  /** Adds a reply's tokens, cached ones included, and its cost; null = no price. */
  add(protocol: Protocol, usage: Usage, cost: number | null): void {
    const billed = billedTokens(usage, protocol);
    if (billed === null) return;
    this.input += billed.input + billed.cacheRead + billed.cacheWrite;
    this.output += billed.output;
    if (cost !== null) this.cost = (this.cost ?? 0) + cost;
  }

  /** The limit that forbids another call, with its wording; null = go on. A limit that a running call crosses stops the next one. */
  reached(limits: AttemptLimits): { reason: 'calls' | 'tokens' | 'cost'; message: string } | null {
    if (limits.calls !== null && this.calls >= limits.calls)
      return { reason: 'calls', message: `the limit of ${limits.calls} calls is reached` };
    const tokens = this.input + this.output;
    if (limits.tokens !== null && tokens >= limits.tokens)
      return { reason: 'tokens', message: `the limit of ${limits.tokens} tokens is reached (${tokens} used)` };
    if (limits.cost !== null && (this.cost ?? 0) >= limits.cost)
      return { reason: 'cost', message: `the cost limit of ${limits.cost} is reached` };
    return null;
  }
}

const USAGE = Buffer.from('"usage');

/**
 * Tokens of a reply. Of a stream only the events that speak of usage are decoded: the rest would be parsed for nothing on the path
 * of other calls.
 */
export const usageOf = (protocol: WireProtocol, body: Buffer, contentType: string, status: number): Usage => {
  const options = { contentType, status };
  if (!contentType.includes('event-stream')) return protocol.decodeReply([body], options).usage;
  const events: Buffer[] = [];
  let from = 0;
  for (let at = body.indexOf(USAGE); at >= 0; at = body.indexOf(USAGE, from)) {
    const start = body.lastIndexOf(10, at) + 1;
    const newline = body.indexOf(10, at);
    from = newline < 0 ? body.length : newline;
    events.push(body.subarray(Math.max(start, 0), from), Buffer.from('\n\n'));
  }
  return protocol.decodeReply(events, options).usage;
};
