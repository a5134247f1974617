/** An amount with a decimal comma, as banks write it (`1.234,5`, `12,`), in cents; null when it is none. */
export const readCommaAmount = (text) => {
  const found = /^(\d{1,3}(?:\.\d{3})+|\d+),(\d{0,2})$/.exec(text.trim());
  if (found === null) return null;
  const [, whole, part] = found;
  return Number(whole.replaceAll('.', '')) * 100 + Number(part.padEnd(2, '0'));
};

/** A signed amount of a CSV column: `-12,50`, `+3,00`, `7,1`. */
export const readSignedAmount = (text) => {
  const bare = text.trim();
  const sign = bare.startsWith('-') ? -1 : 1;
  const cents = readCommaAmount(bare.replace(/^[+-]/, ''));
  return cents === null ? null : sign * cents;
};

/** Cents for people: `-1234` as `-12.34`. */
export const showCents = (cents) => {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
