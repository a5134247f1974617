import { type Cents, sum } from './money.ts';
import type { Parcel } from './parcel.ts';
import { type Line, quoteLines } from './surcharges.ts';
import { basePrice } from './tariff.ts';
import { billableGrams, longestCm } from './weight.ts';
import { areaOf, type Zone, zoneBetween } from './zones.ts';

/** What a parcel costs; weights in grams, amounts in cents. */
export interface Quote {
  readonly zone: Zone;
  readonly billableGrams: number;
  readonly lines: readonly Line[];
  readonly totalCents: Cents;
}

/** Why a parcel has no price. */
export type Refusal = 'unknown_origin' | 'unknown_destination' | 'too_heavy' | 'too_large';

/** A quote, or the reason why there is none. */
export type QuoteResult = { ok: true; quote: Quote } | { ok: false; reason: Refusal };

/** The longest side in centimetres that is carried. */
const MAX_SIDE_CM = 250;

/** Prices a parcel: weight in grams, sizes in centimetres, amounts in cents. */
export const quote = (parcel: Parcel): QuoteResult => {
  const from = areaOf(parcel.from);
  if (from === null) return { ok: false, reason: 'unknown_origin' };
  const to = areaOf(parcel.to);
  if (to === null) return { ok: false, reason: 'unknown_destination' };
  if (longestCm(parcel.sizeCm) > MAX_SIDE_CM) return { ok: false, reason: 'too_large' };
  const zone = zoneBetween(from, to);
  const grams = billableGrams(parcel.weightGrams, parcel.sizeCm);
  const base = basePrice(zone, grams);
  if (base === null) return { ok: false, reason: 'too_heavy' };
  const lines = quoteLines({ base, size: parcel.sizeCm, remote: to.remote, signature: parcel.signature });
  return { ok: true, quote: { zone, billableGrams: grams, lines, totalCents: sum(lines.map((l) => l.cents)) } };
};
