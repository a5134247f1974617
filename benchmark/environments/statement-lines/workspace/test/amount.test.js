import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommaAmount, readSignedAmount, showCents } from '../src/amount.js';

test('decimal commas', () => {
  assert.equal(readCommaAmount('1.234,5'), 123450);
  assert.equal(readCommaAmount('12,'), 1200);
  assert.equal(readCommaAmount('0,07'), 7);
  assert.equal(readCommaAmount('12.34'), null);
});

test('signs', () => {
  assert.equal(readSignedAmount('-12,50'), -1250);
  assert.equal(readSignedAmount('+3,00'), 300);
});

test('cents for people', () => {
  assert.equal(showCents(-7), '-0.07');
  assert.equal(showCents(123450), '1234.50');
});
