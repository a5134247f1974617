import { type Parcel, readParcel } from './parcel.ts';

/** A row of a shop's file that is no parcel, with its line number (from 1) and what is wrong. */
export interface RejectedRow {
  readonly line: number;
  readonly errors: readonly string[];
}

const COLUMNS = ['from', 'to', 'weightGrams', 'length', 'width', 'height', 'signature'] as const;

/** The cells of a line; `"` quotes a cell and is doubled inside one. Null when a quote does not end. */
export const cellsOf = (line: string): string[] | null => {
  const cells: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === '"' && line[i + 1] === '"') {
      cell += '"';
      i++;
    } else if (c === '"') quoted = !quoted;
    else if (c === ',' && !quoted) {
      cells.push(cell);
      cell = '';
    } else cell += c;
  }
  return quoted ? null : [...cells, cell];
};

const whole = (text: string | undefined): number => (/^\d+$/.test(text?.trim() ?? '') ? Number(text) : Number.NaN);

const parcelBody = (cells: readonly string[]): unknown => ({
  from: cells[0]?.trim(),
  to: cells[1]?.trim(),
  weightGrams: whole(cells[2]),
  sizeCm: [whole(cells[3]), whole(cells[4]), whole(cells[5])],
  signature: cells[6]?.trim() === 'yes',
});

/** The parcels of a shop's CSV file (grams, centimetres) and the rows that are none. The first line names the columns. */
export const readOrders = (text: string): { parcels: Parcel[]; rejected: RejectedRow[] } => {
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const parcels: Parcel[] = [];
  const rejected: RejectedRow[] = [];
  if (head.trim() !== COLUMNS.join(',')) {
    return { parcels, rejected: [{ line: 1, errors: [`the columns are ${COLUMNS.join(',')}`] }] };
  }
  for (const [i, row] of lines.entries()) {
    if (row.trim() === '') continue;
    const cells = cellsOf(row);
    const reading = cells === null ? null : readParcel(parcelBody(cells));
    if (reading === null) rejected.push({ line: i + 2, errors: ['a quote does not end'] });
    else if (!reading.ok) rejected.push({ line: i + 2, errors: reading.errors });
    else parcels.push(reading.parcel);
  }
  return { parcels, rejected };
};
