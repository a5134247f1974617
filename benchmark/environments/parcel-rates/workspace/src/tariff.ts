import { type Cents, cents } from './money.ts';
import type { Zone } from './zones.ts';

/** One weight band: its upper limit in grams and the price in cents by zone. */
interface Band {
  readonly upToGrams: number;
  readonly price: Readonly<Record<Zone, number>>;
}

const BANDS: readonly Band[] = [
  { upToGrams: 1_000, price: { 1: 390, 2: 450, 3: 520, 4: 590, 5: 690 } },
  { upToGrams: 2_000, price: { 1: 450, 2: 520, 3: 610, 4: 700, 5: 820 } },
  { upToGrams: 5_000, price: { 1: 640, 2: 770, 3: 940, 4: 1_110, 5: 1_290 } },
  { upToGrams: 10_000, price: { 1: 890, 2: 1_090, 3: 1_340, 4: 1_590, 5: 1_850 } },
  { upToGrams: 20_000, price: { 1: 1_290, 2: 1_590, 3: 1_950, 4: 2_310, 5: 2_690 } },
  { upToGrams: 31_500, price: { 1: 1_690, 2: 2_090, 3: 2_560, 4: 3_030, 5: 3_490 } },
];

/** The heaviest billable weight in grams that has a price. */
export const MAX_GRAMS = 31_500;

/** The base price in cents of a zone and a billable weight in grams; null above the last band. */
export const basePrice = (zone: Zone, grams: number): Cents | null => {
  const band = BANDS.find((b) => grams <= b.upToGrams);
  return band === undefined ? null : cents(band.price[zone]);
};
