import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCharacter, readTracking, spokenTracking, trackingNumber } from '../src/tracking.ts';

test('check characters, X for ten', () => {
  assert.equal(checkCharacter('0000000000'), '0');
  assert.equal(checkCharacter('0000000001'), 'X');
  assert.equal(checkCharacter('2000000001'), '5');
  assert.throws(() => checkCharacter('12'), RangeError);
});

test('a tracking number can be read back', () => {
  const tracking = trackingNumber('20', 1234);
  assert.match(tracking, /^PR2000001234[\dX]$/);
  assert.deepEqual(readTracking(tracking), { region: '20', serial: 1234 });
  assert.deepEqual(readTracking(spokenTracking(tracking).toLowerCase()), { region: '20', serial: 1234 });
});

test('every changed digit is noticed', () => {
  const tracking = trackingNumber('80', 7_654_321);
  for (let i = 2; i < 12; i++) {
    const other = String((Number(tracking[i]) + 1) % 10);
    assert.equal(readTracking(tracking.slice(0, i) + other + tracking.slice(i + 1)), null, `digit ${i}`);
  }
});

test('what cannot be numbered is refused', () => {
  assert.throws(() => trackingNumber('2', 1), RangeError);
  assert.throws(() => trackingNumber('20', -1), RangeError);
  assert.throws(() => trackingNumber('20', 100_000_000), RangeError);
  assert.throws(() => trackingNumber('20', 1.5), RangeError);
});
