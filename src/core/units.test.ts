import { expect, test } from 'vitest';
import { parseAmount, parseDuration, showBytes, showDuration } from './units.ts';

test.each([
  ['200ms', 200],
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['1.5h', 5_400_000],
  ['45', 45_000],
  [60, 60_000],
  ['soon', null],
  ['-3s', null],
  [-1, null],
  ['3 days', null],
])('duration %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each([
  ['300', 300],
  ['20k', 20_000],
  ['5M', 5_000_000],
  [7, 7],
  ['many', null],
  [Number.NaN, null],
])('amount %s', (text, n) => expect(parseAmount(text)).toBe(n));

test('for people', () => {
  expect([820, 42_000, 185_000, 7_800_000].map(showDuration)).toEqual(['0.8 s', '42 s', '3 m 05 s', '2 h 10 m']);
  expect([512, 83_000_000, 1_500_000_000].map(showBytes)).toEqual(['512 B', '83 MB', '1.5 GB']);
});
