import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents, formatCents, parseCents, percentOf, sum } from '../src/money.ts';

test('amounts are whole cents', () => {
  assert.equal(cents(12), 12);
  assert.throws(() => cents(1.5), RangeError);
  assert.throws(() => cents(Number.NaN), RangeError);
});

test('a share is rounded half up', () => {
  assert.equal(percentOf(cents(940), 12), 113);
  assert.equal(percentOf(cents(50), 1), 1);
  assert.equal(percentOf(cents(49), 1), 0);
});

test('the sum of nothing is zero', () => {
  assert.equal(sum([]), 0);
  assert.equal(sum([cents(3), cents(4)]), 7);
});

test('amounts are written with two digits', () => {
  assert.equal(formatCents(cents(1234)), '12.34');
  assert.equal(formatCents(cents(5)), '0.05');
  assert.equal(formatCents(cents(-70)), '-0.70');
});

test('amounts are read back, anything else is null', () => {
  assert.equal(parseCents('12.34'), 1234);
  assert.equal(parseCents(' 0.5 '), 50);
  assert.equal(parseCents('-7'), -700);
  for (const text of ['', '1,5', '1.234', 'abc']) assert.equal(parseCents(text), null);
});
