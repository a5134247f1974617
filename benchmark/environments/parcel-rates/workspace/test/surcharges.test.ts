import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cents } from '../src/money.ts';
import { type Line, quoteLines, type SurchargeInput } from '../src/surcharges.ts';

const lines = (more: Partial<SurchargeInput>): readonly Line[] =>
  quoteLines({ base: cents(1_000), size: [30, 20, 10], remote: false, signature: false, ...more });

const amount = (all: readonly Line[], code: Line['code']): number | undefined => all.find((l) => l.code === code)?.cents;

test('a plain parcel has base and fuel', () => {
  assert.deepEqual(lines({}), [
    { code: 'base', cents: 1000 },
    { code: 'fuel', cents: 120 },
  ]);
});

test('oversize has two tiers and at most one is charged', () => {
  assert.equal(amount(lines({ size: [120, 20, 10] }), 'oversize'), undefined);
  assert.equal(amount(lines({ size: [121, 20, 10] }), 'oversize'), 950);
  assert.equal(amount(lines({ size: [176, 20, 10] }), 'oversize'), 2400);
});

test('remote and signature are charged when they apply', () => {
  assert.equal(amount(lines({ remote: true }), 'remote'), 420);
  assert.equal(amount(lines({ signature: true }), 'signature'), 180);
});
