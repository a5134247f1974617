import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, readOrders } from '../src/orders-csv.ts';

const HEAD = 'from,to,weightGrams,length,width,height,signature';

test('cells, quoted and not', () => {
  assert.deepEqual(cellsOf('a,"b,c","d""e",'), ['a', 'b,c', 'd"e', '']);
  assert.equal(cellsOf('a,"b'), null);
});

test('rows become parcels', () => {
  const { parcels, rejected } = readOrders(`\uFEFF${HEAD}\r\n20095,60311,2400,40,30,20,yes\r\n\r\n"20095",80331,1,1,1,1,\r\n`);
  assert.deepEqual(rejected, []);
  assert.deepEqual(parcels.map((p) => [p.to, p.sizeCm, p.signature]), [
    ['60311', [40, 30, 20], true],
    ['80331', [1, 1, 1], false],
  ]);
});

test('rows that are none are told with their line', () => {
  const { rejected } = readOrders(`${HEAD}\n20095,60311,2.4,40,30,20,no\n\n20095,"60311\n`);
  assert.deepEqual(rejected, [
    { line: 2, errors: ['weightGrams is no positive whole number'] },
    { line: 4, errors: ['a quote does not end'] },
  ]);
});

test('other columns are refused as a whole', () => {
  assert.equal(readOrders('to,from\n1,2').rejected[0]?.line, 1);
});
