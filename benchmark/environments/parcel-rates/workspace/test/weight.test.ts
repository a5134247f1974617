import assert from 'node:assert/strict';
import { test } from 'node:test';
import { billableGrams, longestCm, volumetricGrams } from '../src/weight.ts';

test('volumetric weight is the volume over five', () => {
  assert.equal(volumetricGrams([40, 30, 20]), 4800);
});

test('the larger weight is billed, rounded up to 100 g', () => {
  assert.equal(billableGrams(2400, [40, 30, 20]), 4800);
  assert.equal(billableGrams(5001, [40, 30, 20]), 5100);
  assert.equal(billableGrams(100, [5, 5, 5]), 100);
});

test('the longest side does not depend on the order', () => {
  assert.equal(longestCm([10, 130, 20]), 130);
});
