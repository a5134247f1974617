import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressLines, readAddress, tidy } from '../src/address.ts';

const good = { name: 'Kaffeehaus Elbe', street: 'Am  Kai 4 ', postcode: '20095', town: 'Hamburg' };

test('white space is tidied', () => {
  assert.equal(tidy('  a \t b '), 'a b');
  const reading = readAddress(good, 'to');
  assert.ok(reading.ok);
  assert.deepEqual(addressLines(reading.address), ['Kaffeehaus Elbe', 'Am Kai 4', '20095 Hamburg']);
});

test('all errors are told with the label', () => {
  assert.deepEqual(readAddress({ name: '', street: 'x'.repeat(41), postcode: '20095' }, 'from'), {
    ok: false,
    errors: ['from.name is missing', 'from.street has more than 40 characters', 'from.town is missing'],
  });
});

test('a postcode that is not served is an error', () => {
  assert.deepEqual(readAddress({ ...good, postcode: '97070' }, 'to'), {
    ok: false,
    errors: ['to.postcode 97070 is not served'],
  });
});

test('what is no address at all', () => {
  for (const body of [null, 'x', 3]) assert.equal(readAddress(body, 'to').ok, false);
});

test('control characters do not reach the printer', () => {
  assert.deepEqual(readAddress({ ...good, name: 'a\u0007b' }, 'to'), { ok: false, errors: ['to.name has control characters'] });
});
