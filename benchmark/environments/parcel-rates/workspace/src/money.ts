/** An amount in whole cents. */
export type Cents = number & { readonly unit: 'cents' };

/** Takes a number of cents as an amount; throws when it is not a whole, finite number. */
export const cents = (amount: number): Cents => {
  if (!Number.isSafeInteger(amount)) throw new RangeError(`${amount} is no whole number of cents`);
  return amount as Cents;
};

/** The sum of amounts in cents; 0 of none. */
export const sum = (amounts: readonly Cents[]): Cents => cents(amounts.reduce<number>((total, a) => total + a, 0));

/** A share of an amount in cents, `percent` out of 100, rounded half up to the cent. */
export const percentOf = (amount: Cents, percent: number): Cents => cents(Math.floor((amount * percent + 50) / 100));

/** Cents as people write them, e.g. `1234` cents as `12.34`. */
export const formatCents = (amount: Cents): string => {
  const sign = amount < 0 ? '-' : '';
  const digits = String(Math.abs(amount)).padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

/** Reads `12.34`, `12` or `0.5` as cents; null when the text is no amount. */
export const parseCents = (text: string): Cents | null => {
  const found = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(text.trim());
  if (found === null) return null;
  const [, sign = '', whole = '0', part = ''] = found;
  const amount = Number(whole) * 100 + Number(part.padEnd(2, '0'));
  return cents(sign === '-' ? -amount : amount);
};
