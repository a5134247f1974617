import { readCsv } from './csv.js';
import { readMt940 } from './mt940.js';

/** Reads a statement of either format; MT940 is told by its field tags. */
export const readStatement = (text) => (/^:20:/m.test(text) ? readMt940(text) : readCsv(text));

export { byMonth, total } from './balance.js';
export { readCsv, readMt940 };
