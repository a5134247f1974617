// Fuel is 12% of the base price alone (docs/pricing.md).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(`${process.cwd()}/${path}`).href);
const { quoteLines } = await load('src/surcharges.ts');
const { quote } = await load('src/quote.ts');

const fuel = (lines) => lines.find((l) => l.code === 'fuel')?.cents;
const plain = { base: 1000, remote: false, signature: false };

test('fuel does not depend on oversize', () => {
  for (const size of [[30, 20, 10], [121, 20, 10], [176, 20, 10]]) assert.equal(fuel(quoteLines({ ...plain, size })), 120);
});

test('fuel is still rounded half up and in its place', () => {
  const lines = quoteLines({ ...plain, base: 940, size: [130, 20, 10], remote: true, signature: true });
  assert.deepEqual(lines.map((l) => [l.code, l.cents]), [
    ['base', 940],
    ['fuel', 113],
    ['oversize', 950],
    ['remote', 420],
    ['signature', 180],
  ]);
});

test('a whole quote of a long parcel', () => {
  const result = quote({ from: '20095', to: '60311', weightGrams: 4000, sizeCm: [130, 10, 10], signature: false });
  assert.equal(result.ok && result.quote.totalCents, 940 + 113 + 950);
});
