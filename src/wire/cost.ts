import type { Maybe } from '../core/missing.ts';
import type { Protocol, Usage } from './schema.ts';

/** Price of a model per million tokens. Without a price of their own, cached tokens cost what input costs. */
export interface Price {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Prices by model name, in one currency. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Tokens of a call, every one in exactly one field. */
export interface BilledTokens {
  /** Not cached. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/**
 * Usage with every token counted once: Anthropic's `input` leaves cached tokens out, that of OpenAI and Google includes
 * them. Null when the provider gave neither input nor output.
 */
export const billedTokens = (usage: Usage, protocol: Protocol): BilledTokens | null => {
  if (usage.input === null && usage.output === null) return null;
  const [cacheRead, cacheWrite] = [usage.cacheRead ?? 0, usage.cacheWrite ?? 0];
  const included = protocol === 'anthropic' ? 0 : cacheRead + cacheWrite;
  return { input: Math.max(0, (usage.input ?? 0) - included), output: usage.output ?? 0, cacheRead, cacheWrite };
};

/** What a call cost, in the price's currency; null when there is no price or no usage. */
export const costOf = (usage: Usage, price: Price | undefined, protocol: Protocol): Maybe => {
  const billed = billedTokens(usage, protocol);
  if (billed === null || price === undefined) return null;
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return (
    (billed.input * input + billed.output * output + billed.cacheRead * cacheRead + billed.cacheWrite * cacheWrite) /
    1e6
  );
};
