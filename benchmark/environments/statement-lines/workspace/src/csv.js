import { readSignedAmount } from './amount.js';
import { readGermanDate } from './dates.js';

/** Cells of one line, separated by semicolons; `"` quotes a cell and is doubled inside one. */
export const cellsOf = (line) => {
  const cells = [];
  const pattern = /(?:^|;)(?:"((?:[^"]|"")*)"|([^;]*))/g;
  for (const [, quoted, bare] of line.matchAll(pattern)) cells.push(quoted?.replaceAll('""', '"') ?? bare ?? '');
  return cells;
};

const COLUMNS = { date: 'Buchungstag', valueDate: 'Valutadatum', text: 'Verwendungszweck', amount: 'Betrag' };

const readRow = (cells, at) => {
  const date = readGermanDate(cells[at.date] ?? '');
  if (date === null) return { reason: `no date: ${cells[at.date] ?? ''}` };
  const cents = readSignedAmount(cells[at.amount] ?? '');
  if (cents === null) return { reason: `no amount: ${cells[at.amount] ?? ''}` };
  const valueDate = readGermanDate(cells[at.valueDate] ?? '') ?? date;
  return { booking: { date, valueDate, cents, text: (cells[at.text] ?? '').trim(), reference: '', reversal: false } };
};

/** The bookings of a savings bank's CSV export, and the lines that could not be read. */
export const readCsv = (text) => {
  const [head = '', ...rows] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const names = cellsOf(head);
  const at = Object.fromEntries(Object.entries(COLUMNS).map(([key, name]) => [key, names.indexOf(name)]));
  const lines = [];
  const rejected = [];
  for (const [i, row] of rows.entries()) {
    if (row.trim() === '') continue;
    const { booking, reason } = readRow(cellsOf(row), at);
    if (booking === undefined) rejected.push({ line: i + 2, reason });
    else lines.push(booking);
  }
  return { lines, rejected };
};
