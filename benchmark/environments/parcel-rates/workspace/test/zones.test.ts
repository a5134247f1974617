import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, zoneBetween } from '../src/zones.ts';

const zone = (from: string, to: string): number | null => {
  const [a, b] = [areaOf(from), areaOf(to)];
  return a === null || b === null ? null : zoneBetween(a, b);
};

test('the longest prefix wins', () => {
  assert.equal(areaOf('27498')?.region, 'Helgoland');
  assert.equal(areaOf('20095')?.region, 'Hamburg');
});

test('what is no postcode or not served has no area', () => {
  for (const text of ['', '123', '123456', '2009a', '97070']) assert.equal(areaOf(text), null);
});

test('zones grow with the distance and are the same both ways', () => {
  assert.equal(zone('20095', '20457'), 1);
  assert.equal(zone('20095', '28195'), 2);
  assert.equal(zone('20095', '60311'), 3);
  assert.equal(zone('20095', '80331'), 4);
  assert.equal(zone('24103', '83471'), 5);
  assert.equal(zone('80331', '20095'), zone('20095', '80331'));
});

test('islands and alpine valleys are remote', () => {
  assert.equal(areaOf('26465')?.remote, true);
  assert.equal(areaOf('83471')?.remote, true);
  assert.equal(areaOf('80331')?.remote, false);
});
