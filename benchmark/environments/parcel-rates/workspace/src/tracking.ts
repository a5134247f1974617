/*
 * Tracking numbers: `PR`, two digits of the origin's region, eight digits of a serial number, a check character.
 * The check character is the sum of the digits times their weights, modulo 11; 10 is written as X.
 */

const WEIGHTS: readonly number[] = [3, 7, 9, 2, 5, 8, 4, 6, 1, 10];
const SHAPE = /^PR(\d{2})(\d{8})([\dX])$/;
const MAX_SERIAL = 99_999_999;

/** The check character of ten digits. */
export const checkCharacter = (digits: string): string => {
  if (!/^\d{10}$/.test(digits)) throw new RangeError(`"${digits}" is not ten digits`);
  const total = WEIGHTS.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0) % 11;
  return total === 10 ? 'X' : String(total);
};

/** The tracking number of a serial number (from 0) in a region (first two digits of the origin's postcode). */
export const trackingNumber = (region: string, serial: number): string => {
  if (!/^\d{2}$/.test(region)) throw new RangeError(`"${region}" is no region`);
  if (!Number.isSafeInteger(serial) || serial < 0 || serial > MAX_SERIAL) throw new RangeError(`no serial number: ${serial}`);
  const digits = `${region}${String(serial).padStart(8, '0')}`;
  return `PR${digits}${checkCharacter(digits)}`;
};

/** Region and serial number of a tracking number; null when it is none. Spaces and lower case are forgiven. */
export const readTracking = (text: string): { region: string; serial: number } | null => {
  const found = SHAPE.exec(text.replace(/\s/g, '').toUpperCase());
  if (found === null) return null;
  const [, region = '', serial = '', check] = found;
  return checkCharacter(`${region}${serial}`) === check ? { region, serial: Number(serial) } : null;
};

/** A tracking number in groups, as people read it aloud. */
export const spokenTracking = (tracking: string): string =>
  `${tracking.slice(0, 4)} ${tracking.slice(4, 8)} ${tracking.slice(8, 12)} ${tracking.slice(12)}`;
