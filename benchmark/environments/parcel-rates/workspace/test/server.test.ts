import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createQuoteServer } from '../src/server.ts';

const server = createQuoteServer();
let url = '';

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const post = (body: string): Promise<Response> => fetch(`${url}/quote`, { method: 'POST', body });

test('a quote over HTTP', async () => {
  const response = await post('{"from":"20095","to":"60311","weightGrams":2400,"sizeCm":[40,30,20]}');
  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as { totalCents: number }).totalCents, 1053);
});

test('all errors of a request are told at once', async () => {
  const response = await post('{"from":"1","weightGrams":-3}');
  assert.equal(response.status, 400);
  assert.equal(((await response.json()) as { errors: string[] }).errors.length, 4);
});

test('what is no JSON is refused', async () => {
  assert.equal((await post('nonsense')).status, 400);
});

test('a parcel that is not carried is 422', async () => {
  const response = await post('{"from":"20095","to":"97070","weightGrams":2400,"sizeCm":[40,30,20]}');
  assert.deepEqual([response.status, await response.json()], [422, { reason: 'unknown_destination' }]);
});

test('zones and health', async () => {
  assert.equal((await fetch(`${url}/zones/80331`)).status, 200);
  assert.equal((await fetch(`${url}/zones/97070`)).status, 404);
  assert.deepEqual(await (await fetch(`${url}/health`)).json(), { status: 'up' });
  assert.equal((await fetch(`${url}/nothing`)).status, 404);
});
