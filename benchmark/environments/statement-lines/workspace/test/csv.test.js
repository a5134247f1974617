import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cellsOf, readCsv } from '../src/csv.js';

const may = readFileSync(new URL('fixtures/may.csv', import.meta.url), 'utf8');

test('quoted cells may hold semicolons and quotes', () => {
  assert.deepEqual(cellsOf('a;"b;c";"d""e";'), ['a', 'b;c', 'd"e', '']);
});

test('rows become bookings', () => {
  const { lines, rejected } = readCsv(may);
  assert.deepEqual(rejected, []);
  assert.deepEqual(lines.map((l) => [l.date, l.cents, l.text]), [
    ['2026-05-04', -8995, 'Stromwerk Nord; Abschlag Mai'],
    ['2026-05-11', 145000, 'Rechnung 2291'],
  ]);
});

test('a byte order mark is no part of the first column', () => {
  assert.equal(readCsv(`\uFEFF${may}`).lines.length, 2);
});

test('bad rows are rejected with their line', () => {
  const text = 'Buchungstag;Valutadatum;Verwendungszweck;Betrag\n31.02.2026;;x;1,00\n01.03.2026;;y;1.0\n';
  assert.deepEqual(readCsv(text).rejected, [
    { line: 2, reason: 'no date: 31.02.2026' },
    { line: 3, reason: 'no amount: 1.0' },
  ]);
});
