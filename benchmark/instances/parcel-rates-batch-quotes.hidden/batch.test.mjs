// POST /quotes: up to 50 parcels, one answer each in their order.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { createQuoteServer } = await import(pathToFileURL(`${process.cwd()}/src/server.ts`).href);
const server = createQuoteServer();
let url = '';

before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

const good = { from: '20095', to: '60311', weightGrams: 2400, sizeCm: [40, 30, 20] };
const post = (path, body) => fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
const single = async (parcel) => (await post('/quote', parcel)).json();

test('results are in the order of the parcels and are what /quote answers', async () => {
  const parcels = [good, { ...good, to: '97070' }, { from: '1' }, { ...good, signature: true }];
  const response = await post('/quotes', { parcels });
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { results: await Promise.all(parcels.map(single)) });
});

test('fifty parcels are priced, fifty-one are too many', async () => {
  assert.equal((await post('/quotes', { parcels: Array(50).fill(good) })).status, 200);
  const response = await post('/quotes', { parcels: Array(51).fill(good) });
  assert.deepEqual([response.status, await response.json()], [413, { reason: 'too_many' }]);
});

test('a single quote is as before', async () => {
  assert.equal((await single(good)).totalCents, 1053);
});
