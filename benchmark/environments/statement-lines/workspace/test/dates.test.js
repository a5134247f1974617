import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bookingDate, isDay, readGermanDate, readShortDate } from '../src/dates.js';

test('leap years', () => {
  assert.equal(isDay(2024, 2, 29), true);
  assert.equal(isDay(2026, 2, 29), false);
  assert.equal(isDay(1900, 2, 29), false);
  assert.equal(isDay(2000, 2, 29), true);
});

test('short dates', () => {
  assert.equal(readShortDate('260504'), '2026-05-04');
  assert.equal(readShortDate('991231'), '1999-12-31');
  assert.equal(readShortDate('261301'), null);
});

test('german dates', () => {
  assert.equal(readGermanDate('04.05.2026'), '2026-05-04');
  assert.equal(readGermanDate('4.5.2026'), null);
});

test('the booking year follows the value date over new year', () => {
  assert.equal(bookingDate('2026-12-31', '0102'), '2027-01-02');
  assert.equal(bookingDate('2026-01-02', '1231'), '2025-12-31');
  assert.equal(bookingDate('2026-05-04', '0505'), '2026-05-05');
});
