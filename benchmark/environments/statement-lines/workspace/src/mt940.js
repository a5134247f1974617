import { readCommaAmount } from './amount.js';
import { bookingDate, readShortDate } from './dates.js';

/*
 * MT940: fields `:61:` are bookings, the `:86:` after one is its text.
 * :61: is value date, booking date (optional), mark, funds code (optional), amount, type, reference.
 * Marks: C credit, D debit; RC is the reversal of a credit, RD the reversal of a debit.
 */
const FIELD = /^:(\d{2}[A-Z]?):/;
const BOOKING = /^(\d{6})(\d{4})?(R?[CD])([A-Z])?(\d+,\d{0,2})([NFS][A-Z0-9]{3})([^/]*)(?:\/\/(.*))?$/;

/** Splits a message into its fields, each with the line number it starts on. */
const fieldsOf = (text) => {
  const fields = [];
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const tag = FIELD.exec(line);
    if (tag !== null) fields.push({ tag: tag[1], value: line.slice(tag[0].length), line: i + 1 });
    else if (fields.length > 0 && line !== '-' && line !== '') fields.at(-1).value += line;
  }
  return fields;
};

const signOf = (mark) => (mark.endsWith('C') ? 1 : -1);

/** The text of an `:86:` field: its `?20` to `?29` and `?60` to `?63` parts, or the whole when it has none. */
export const bookingText = (value) => {
  const parts = value.split('?').slice(1);
  const wanted = parts.filter((p) => /^(2[0-9]|6[0-3])/.test(p)).map((p) => p.slice(2));
  return (parts.length === 0 ? value : wanted.join('')).trim();
};

const readBooking = ({ value }) => {
  const found = BOOKING.exec(value);
  if (found === null) return { reason: 'not a booking' };
  const [, short, mmdd, mark, , amount, , reference] = found;
  const valueDate = readShortDate(short);
  if (valueDate === null) return { reason: `no date: ${short}` };
  const date = mmdd === undefined ? valueDate : bookingDate(valueDate, mmdd);
  if (date === null) return { reason: `no date: ${mmdd}` };
  const cents = signOf(mark) * readCommaAmount(amount);
  return { booking: { date, valueDate, cents, text: '', reference: reference.trim(), reversal: mark.startsWith('R') } };
};

/** The bookings of an MT940 text, and the lines that could not be read. */
export const readMt940 = (text) => {
  const lines = [];
  const rejected = [];
  let last = null;
  for (const field of fieldsOf(text)) {
    if (field.tag === '61') {
      const { booking, reason } = readBooking(field);
      if (booking === undefined) rejected.push({ line: field.line, reason });
      else lines.push(booking);
      last = booking ?? null;
    } else if (field.tag === '86' && last !== null) {
      last.text = bookingText(field.value);
      last = null;
    }
  }
  return { lines, rejected };
};
