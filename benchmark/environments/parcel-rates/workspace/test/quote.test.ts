import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Parcel } from '../src/parcel.ts';
import { quote } from '../src/quote.ts';

const parcel = (more: Partial<Parcel> = {}): Parcel => ({
  from: '20095',
  to: '60311',
  weightGrams: 2400,
  sizeCm: [40, 30, 20],
  signature: false,
  ...more,
});

test('a quote lists what it is made of', () => {
  const result = quote(parcel());
  assert.ok(result.ok);
  assert.equal(result.quote.zone, 3);
  assert.equal(result.quote.billableGrams, 4800);
  assert.equal(result.quote.totalCents, 940 + 113);
});

test('remote destinations are charged once', () => {
  const result = quote(parcel({ to: '26465' }));
  assert.ok(result.ok);
  assert.equal(result.quote.lines.filter((l) => l.code === 'remote').length, 1);
});

test('what is not carried has a reason', () => {
  assert.deepEqual(quote(parcel({ from: '00000' })), { ok: false, reason: 'unknown_origin' });
  assert.deepEqual(quote(parcel({ to: '97070' })), { ok: false, reason: 'unknown_destination' });
  assert.deepEqual(quote(parcel({ weightGrams: 31_501 })), { ok: false, reason: 'too_heavy' });
  assert.deepEqual(quote(parcel({ sizeCm: [251, 10, 10] })), { ok: false, reason: 'too_large' });
});
