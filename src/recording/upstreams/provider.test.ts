import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import {
  BODY,
  cleanup,
  KEY,
  proxyOf,
  recorded,
  specOf,
  sse,
  upstreamOf,
} from '../../../test/fixtures/recording/harness.ts';
import { call } from '../../../test/fixtures/recording/upstream.ts';
import type { Protocol } from '../../wire/schema.ts';
import { providerUpstream } from './provider.ts';

afterEach(() => vi.unstubAllEnvs());

test.each<[Protocol, 'bearer' | 'x-api-key' | 'x-goog-api-key' | undefined, string, string]>([
  ['anthropic', undefined, 'x-api-key', KEY],
  ['anthropic', 'bearer', 'authorization', `Bearer ${KEY}`],
  ['openai-chat', undefined, 'authorization', `Bearer ${KEY}`],
  ['openai-responses', undefined, 'authorization', `Bearer ${KEY}`],
  ['gemini', undefined, 'x-goog-api-key', KEY],
])('the key of %s (%s) goes into %s, and into no other place', async (protocol, auth, header, value) => {
  const { fake, upstream } = await upstreamOf(sse, { protocol, auth });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  await call(attempt.url, { headers: { authorization: `Bearer ${attempt.token}` }, body: BODY });
  expect(fake.seen[0]?.headers[header]).toBe(value);
  expect(fake.seen[0]?.rawHeaders.filter((h) => h.includes(KEY) || h.includes(attempt.token))).toEqual([value]);
});

test('a proxy named in the environment is gone through', async () => {
  const through: string[] = [];
  const corporate = http.createServer((req, res) => {
    through.push(req.url ?? '');
    const target = new URL(req.url ?? '');
    req.pipe(
      http.request(target, { method: req.method, headers: req.headers }, (reply) => {
        res.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(res);
      }),
    );
  });
  await new Promise<void>((resolve) => corporate.listen(0, '127.0.0.1', resolve));
  cleanup.push(
    async () => corporate.closeAllConnections(),
    async () => corporate.close(),
  );
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${(corporate.address() as AddressInfo).port}`);
  vi.stubEnv('NO_PROXY', '');
  const { fake, upstream } = await upstreamOf(sse);
  const attempt = await (await proxyOf()).open(specOf(upstream));
  expect((await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY })).clean).toBe(true);
  expect(through).toEqual([`${fake.url}/v1/messages`]);
});

test('calls over the rate wait until the minute has room, and a client that leaves gives its place up', async () => {
  const { fake, upstream } = await upstreamOf(sse, { rpm: 2 });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const headers = { 'x-api-key': attempt.token };
  for (let i = 0; i < 2; i++) expect((await call(attempt.url, { headers, body: BODY })).status).toBe(200);
  const { hostname, port } = new URL(attempt.url);
  const waiting = http.request({ hostname, port, method: 'POST', path: '/v1/messages', headers });
  waiting.on('error', () => {});
  waiting.end(BODY);
  await vi.waitFor(() => expect(attempt.stats().openCalls).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(fake.seen).toHaveLength(2);
  waiting.destroy();
  await vi.waitFor(() => expect(attempt.stats().openCalls).toBe(0));
  await attempt.close();
  expect((await recorded()).map((c) => c.end)).toEqual(['complete', 'complete', 'client_gone']);
});

test('an id with a slash is the record’s label as it is', async () => {
  const { fake } = await upstreamOf(sse);
  const upstream = providerUpstream({ id: 'team/anthropic', protocol: 'anthropic', baseUrl: fake.url });
  cleanup.push(async () => upstream.close?.());
  const attempt = await (await proxyOf()).open(specOf(upstream));
  await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(fake.seen[0]?.headers['x-api-key']).toBeUndefined();
  await attempt.close();
  expect((await recorded()).map((c) => c.upstream)).toEqual(['team/anthropic']);
});
