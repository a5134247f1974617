// A reversal has the opposite sign of what it takes back (RC, RD).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const load = (path) => import(pathToFileURL(`${process.cwd()}/${path}`).href);
const { readStatement, total } = await load('src/index.js');
const june = readFileSync('test/fixtures/june-reversals.sta', 'utf8');

test('June ends as it began', () => {
  const { lines, rejected } = readStatement(june);
  assert.deepEqual(rejected, []);
  assert.deepEqual(lines.map((l) => l.cents), [-8995, 8995, 31000, -31000]);
  assert.equal(total(lines), 0);
});

test('reversals are still marked as such', () => {
  assert.deepEqual(readStatement(june).lines.map((l) => l.reversal), [false, true, false, true]);
});

test('plain bookings keep their sign', () => {
  const { lines } = readStatement(':20:X\n:61:2607010701C10,00NTRFA\n:61:2607010701D3,00NDDTB\n');
  assert.deepEqual(lines.map((l) => l.cents), [1000, -300]);
});
