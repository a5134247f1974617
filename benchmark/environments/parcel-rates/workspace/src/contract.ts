import { addDays, type Day, isDay } from './calendar.ts';
import { type Cents, cents, percentOf } from './money.ts';

/** A step of a contract: from so many parcels a month on, a discount in percent of the base price. */
export interface Tier {
  readonly fromParcels: number;
  readonly percent: number;
}

/** What a customer has agreed with sales. The first day counts, `until` does not. */
export interface Contract {
  readonly customer: string;
  readonly from: Day;
  readonly until: Day;
  readonly tiers: readonly Tier[];
}

/** Whether a contract holds on a day. */
export const holdsOn = (contract: Contract, day: Day): boolean => contract.from <= day && day < contract.until;

/** The contract of a customer on a day; null when there is none. */
export const contractOn = (contracts: readonly Contract[], customer: string, day: Day): Contract | null =>
  contracts.find((c) => c.customer === customer && holdsOn(c, day)) ?? null;

/** The discount in percent at a number of parcels a month: the highest tier that is reached, else 0. */
export const discountPercent = (contract: Contract, parcels: number): number =>
  contract.tiers.filter((tier) => parcels >= tier.fromParcels).reduce((best, tier) => Math.max(best, tier.percent), 0);

/** The discount on a base price in cents, as a negative amount in cents. */
export const discount = (base: Cents, contract: Contract | null, parcels: number): Cents =>
  contract === null ? cents(0) : cents(0 - percentOf(base, discountPercent(contract, parcels)));

/** What is wrong with a list of contracts: days that are none, tiers that fall, two of one customer that overlap. */
export const contractProblems = (contracts: readonly Contract[]): string[] => {
  const problems: string[] = [];
  for (const [i, contract] of contracts.entries()) {
    const at = `contract ${i} (${contract.customer})`;
    if (!isDay(contract.from) || !isDay(contract.until)) problems.push(`${at}: a day is none`);
    else if (contract.until <= contract.from) problems.push(`${at}: ends before it begins`);
    const falling = contract.tiers.some((tier, n) => n > 0 && tier.percent <= (contract.tiers[n - 1]?.percent ?? 0));
    if (falling) problems.push(`${at}: tiers do not rise`);
    if (contract.tiers.some((tier) => tier.percent < 0 || tier.percent > 60)) problems.push(`${at}: discount outside 0 to 60%`);
    const other = contracts.findIndex((c, n) => n < i && c.customer === contract.customer && overlap(c, contract));
    if (other >= 0) problems.push(`${at}: overlaps contract ${other}`);
  }
  return problems;
};

const overlap = (a: Contract, b: Contract): boolean => a.from < b.until && b.from < a.until;

/** A contract for the following year, with the same tiers. */
export const renewed = (contract: Contract): Contract => ({
  ...contract,
  from: contract.until,
  until: addDays(contract.until, 365),
});
