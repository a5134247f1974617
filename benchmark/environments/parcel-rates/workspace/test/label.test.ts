import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kilograms, labelLines, spread, wrap } from '../src/label.ts';
import { trackingNumber } from '../src/tracking.ts';

test('weight is shown in kilograms, rounded up', () => {
  assert.deepEqual([1, 100, 2400, 2401, 31_500].map(kilograms), ['0.1 kg', '0.1 kg', '2.4 kg', '2.5 kg', '31.5 kg']);
});

test('the left text gives way', () => {
  assert.equal(spread('a', 'b').length, 44);
  assert.equal(spread('x'.repeat(60), 'right').length, 44);
  assert.match(spread('x'.repeat(60), 'right'), /x… right$/);
});

test('lines break between words, long words anywhere', () => {
  assert.deepEqual(wrap('a b'), ['a b']);
  assert.deepEqual(wrap(`${'a'.repeat(40)} bbbbb`), ['a'.repeat(40), 'bbbbb']);
  assert.deepEqual(wrap('c'.repeat(50)), ['c'.repeat(44), 'c'.repeat(6)]);
});

test('a whole label', () => {
  const address = (name: string, postcode: string, town: string) => ({ name, street: 'Am Kai 4', postcode, town });
  const lines = labelLines({
    tracking: trackingNumber('20', 7),
    from: address('Kaffeehaus Elbe', '20095', 'Hamburg'),
    to: address('Ada Main', '60311', 'Frankfurt'),
    zone: 3,
    weightGrams: 2400,
    signature: true,
  });
  assert.ok(lines.every((line) => line.length <= 44));
  assert.deepEqual(lines.slice(2, 5), ['Ada Main', 'Am Kai 4', '60311 Frankfurt']);
  assert.ok(lines.includes('SIGNATURE ON DELIVERY'));
});
