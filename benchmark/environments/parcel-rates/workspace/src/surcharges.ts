import { type Cents, cents, percentOf, sum } from './money.ts';
import { longestCm, type SizeCm } from './weight.ts';

/** One line of a quote. */
export interface Line {
  readonly code: 'base' | 'fuel' | 'oversize' | 'remote' | 'signature';
  readonly cents: Cents;
}

/** What surcharges depend on; sizes in centimetres. */
export interface SurchargeInput {
  readonly base: Cents;
  readonly size: SizeCm;
  readonly remote: boolean;
  readonly signature: boolean;
}

const FUEL_PERCENT = 12;
const OVERSIZE: readonly [overCm: number, price: Cents][] = [
  [175, cents(2_400)],
  [120, cents(950)],
];
const REMOTE = cents(420);
const SIGNATURE = cents(180);

const oversize = (size: SizeCm): Line[] => {
  const tier = OVERSIZE.find(([overCm]) => longestCm(size) > overCm);
  return tier === undefined ? [] : [{ code: 'oversize', cents: tier[1] }];
};

/** All lines of a quote in cents, base first, in the order of docs/pricing.md. */
export const quoteLines = (input: SurchargeInput): Line[] => {
  const extra = oversize(input.size);
  const priced = sum([input.base, ...extra.map((line) => line.cents)]);
  return [
    { code: 'base', cents: input.base },
    { code: 'fuel', cents: percentOf(priced, FUEL_PERCENT) },
    ...extra,
    ...(input.remote ? [{ code: 'remote' as const, cents: REMOTE }] : []),
    ...(input.signature ? [{ code: 'signature' as const, cents: SIGNATURE }] : []),
  ];
};
