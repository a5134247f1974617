const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const pad = (n) => String(n).padStart(2, '0');

/** Whether the three numbers are a day of the calendar. */
export const isDay = (year, month, day) => {
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month !== 2 || day < 29 || leap;
};

/** `YYMMDD` as `YYYY-MM-DD`; years from 80 on are of the last century. Null when it is no date. */
export const readShortDate = (text) => {
  const found = /^(\d{2})(\d{2})(\d{2})$/.exec(text);
  if (found === null) return null;
  const [, yy, month, day] = found.map(Number);
  const year = yy >= 80 ? 1900 + yy : 2000 + yy;
  return isDay(year, month, day) ? `${year}-${pad(month)}-${pad(day)}` : null;
};

/** `DD.MM.YYYY` as `YYYY-MM-DD`; null when it is no date. */
export const readGermanDate = (text) => {
  const found = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text.trim());
  if (found === null) return null;
  const [, day, month, year] = found.map(Number);
  return isDay(year, month, day) ? `${year}-${pad(month)}-${pad(day)}` : null;
};

/**
 * The booking date of an MT940 line from its `MMDD` and its value date: the year is the value date's, or a neighbour's when
 * December and January meet.
 */
export const bookingDate = (valueDate, mmdd) => {
  const year = Number(valueDate.slice(0, 4));
  const month = Number(mmdd.slice(0, 2));
  const valueMonth = Number(valueDate.slice(5, 7));
  const shift = valueMonth === 12 && month === 1 ? 1 : valueMonth === 1 && month === 12 ? -1 : 0;
  const day = Number(mmdd.slice(2));
  return isDay(year + shift, month, day) ? `${year + shift}-${pad(month)}-${pad(day)}` : null;
};
