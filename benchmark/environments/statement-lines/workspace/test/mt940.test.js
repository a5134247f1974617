import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { total } from '../src/balance.js';
import { bookingText, readMt940 } from '../src/mt940.js';

const fixture = (name) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

test('credits are positive, debits negative', () => {
  const { lines, rejected } = readMt940(fixture('may.sta'));
  assert.deepEqual(rejected, []);
  assert.deepEqual(lines.map((l) => l.cents), [-8995, 145000]);
  assert.equal(total(lines), 136005);
});

test('a booking has its dates, text and reference', () => {
  const [, credit] = readMt940(fixture('may.sta')).lines;
  assert.deepEqual(credit, {
    date: '2026-05-11',
    valueDate: '2026-05-11',
    cents: 145000,
    text: 'Rechnung 2291',
    reference: 'RE-2291',
    reversal: false,
  });
});

test('text parts are joined, others left out', () => {
  assert.equal(bookingText('105?00BASIS?20Strom?21werk?30BIC?60 Nord'), 'Stromwerk Nord');
  assert.equal(bookingText('plain text '), 'plain text');
});

test('a bad line is rejected with its number', () => {
  const { lines, rejected } = readMt940(':20:X\n:61:2613010101D1,00NDDTX\n:61:nonsense\n');
  assert.deepEqual(lines, []);
  assert.deepEqual(rejected, [
    { line: 2, reason: 'no date: 261301' },
    { line: 3, reason: 'not a booking' },
  ]);
});
