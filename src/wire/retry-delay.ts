/** `setTimeout` fires at once when it is asked to wait longer. */
const LONGEST = 2 ** 31 - 1;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

// The three forms of RFC 9110, 5.6.7. `Date.parse` takes far more, and reads the last one as local time.
const DATES = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<h>\d\d):(?<m>\d\d):(?<s>\d\d) GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<h>\d\d):(?<m>\d\d):(?<s>\d\d) GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>\w{3}) (?<day>[ \d]\d) (?<h>\d\d):(?<m>\d\d):(?<s>\d\d) (?<year>\d{4})$/,
];

const readDate = (text: string, now: Date): number | null => {
  const found = DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  const month = MONTHS.indexOf(found?.month ?? '');
  if (found === undefined || month === -1) return null;
  let year = Number(found.year);
  if (found.year?.length === 2) {
    // A year of two digits is never more than 50 years ahead.
    year += Math.floor(now.getUTCFullYear() / 100) * 100;
    if (year > now.getUTCFullYear() + 50) year -= 100;
  }
  return Date.UTC(year, month, Number(found.day), Number(found.h), Number(found.m), Number(found.s));
};

const clamp = (ms: number): number => Math.min(LONGEST, Math.max(0, Math.ceil(ms)));

/**
 * How long to wait, in ms (0 = at once, at most 2^31 - 1), from `retry-after-ms` or `retry-after` (RFC 9110, 10.2.3:
 * whole seconds, or a date). Null when neither can be used: fall back to exponential back-off.
 * Header names may be of any case.
 */
export const retryDelay = (headers: Readonly<Record<string, string>>, now: Date): number | null => {
  const header = (name: string): string =>
    (Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1] ?? '').trim();
  const ms = header('retry-after-ms');
  if (/^\d+(\.\d+)?$/.test(ms)) return clamp(Number(ms));
  const after = header('retry-after');
  // Fractions are no part of the standard, but some send them and mean what they say.
  if (/^\d+(\.\d+)?$/.test(after)) return clamp(Number(after) * 1000);
  const date = readDate(after, now);
  return date === null ? null : clamp(date - now.getTime());
};
