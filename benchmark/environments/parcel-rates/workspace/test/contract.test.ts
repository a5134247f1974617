import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contract, contractOn, contractProblems, discount, discountPercent, holdsOn, renewed } from '../src/contract.ts';
import { cents } from '../src/money.ts';

const contract: Contract = {
  customer: 'teehaus',
  from: '2026-01-01',
  until: '2027-01-01',
  tiers: [
    { fromParcels: 10, percent: 5 },
    { fromParcels: 100, percent: 12 },
  ],
};

test('the first day counts, the last does not', () => {
  assert.equal(holdsOn(contract, '2026-01-01'), true);
  assert.equal(holdsOn(contract, '2026-12-31'), true);
  assert.equal(holdsOn(contract, '2027-01-01'), false);
  assert.equal(contractOn([contract], 'teehaus', '2025-12-31'), null);
  assert.equal(contractOn([contract], 'kaffeehaus', '2026-05-01'), null);
});

test('the highest tier that is reached counts', () => {
  assert.deepEqual([9, 10, 99, 100, 5000].map((n) => discountPercent(contract, n)), [0, 5, 5, 12, 12]);
});

test('a discount is negative and of the base price', () => {
  assert.equal(discount(cents(940), contract, 100), -113);
  assert.equal(discount(cents(940), contract, 1), 0);
  assert.equal(discount(cents(940), null, 100), 0);
});

test('a list of contracts is checked as a whole', () => {
  assert.deepEqual(contractProblems([contract, renewed(contract)]), []);
  assert.deepEqual(contractProblems([contract, { ...contract, from: '2026-06-01' }]), ['contract 1 (teehaus): overlaps contract 0']);
  assert.deepEqual(contractProblems([{ ...contract, until: '2026-01-01' }]), ['contract 0 (teehaus): ends before it begins']);
  assert.deepEqual(contractProblems([{ ...contract, from: '2026-02-30' }]), ['contract 0 (teehaus): a day is none']);
  assert.deepEqual(contractProblems([{ ...contract, tiers: [...contract.tiers].reverse() }]), ['contract 0 (teehaus): tiers do not rise']);
  assert.deepEqual(contractProblems([{ ...contract, tiers: [{ fromParcels: 1, percent: 61 }] }]), ['contract 0 (teehaus): discount outside 0 to 60%']);
});
