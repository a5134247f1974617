import { statSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  BODY,
  cleanup,
  folder,
  KEY,
  proxyOf,
  recorded,
  specOf,
  sse,
  upstreamOf,
} from '../../test/fixtures/recording/harness.ts';
import { anthropicEvents, call } from '../../test/fixtures/recording/upstream.ts';
import type { Problem } from '../core/problem.ts';
import type { AttemptEnd, AttemptSpec, CallEvent } from './schema.ts';
import { openProxy } from './server.ts';
import { providerUpstream } from './upstreams/provider.ts';

test('bytes pass untouched both ways; the key is put in at the edge and the token taken out', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const proxy = await proxyOf();
  const attempt = await proxy.open(specOf(upstream));
  const view = await call(attempt.url, {
    path: '/v1/messages?beta=true',
    headers: { 'x-api-key': attempt.token, 'anthropic-beta': 'a,b', connection: 'x-hop', 'x-hop': '1' },
    body: BODY,
  });
  const [seen] = fake.seen;
  expect(seen?.body.toString()).toBe(BODY);
  expect(seen?.url).toBe('/v1/messages?beta=true');
  expect(seen?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-beta': 'a,b', host: new URL(fake.url).host });
  expect(seen?.headers['x-hop']).toBeUndefined();
  expect(seen?.rawHeaders.join()).not.toContain(attempt.token);
  expect(view).toMatchObject({ status: 200, clean: true, headers: { 'request-id': 'req_1' } });
  expect(view.body.toString()).toBe(anthropicEvents(`you said ${BODY.length} bytes, 价格 3€`).join(''));
  const stats = await attempt.close();
  expect(stats).toMatchObject({ calls: 1, tokens: { input: 3, output: 5 }, end: null });
  const [record] = await recorded();
  expect(record).toMatchObject({
    protocol: 'anthropic',
    end: 'complete',
    upstream: 'anthropic/main',
    request: { path: '/v1/messages?beta=true' },
  });
  expect(Buffer.from(record?.response?.body.bytes() ?? [])).toEqual(view.body);
  const raw = JSON.stringify(record);
  expect(raw).not.toContain(KEY);
  expect(raw).not.toContain(attempt.token);
  expect(statSync(join(folder, 'calls.jsonl.zst')).size).toBeGreaterThan(0);
});

test.each<[string, (token: string) => { path?: string; headers?: Record<string, string> }]>([
  ['x-api-key', (t) => ({ headers: { 'x-api-key': t } })],
  ['Bearer', (t) => ({ headers: { authorization: `Bearer ${t}` } })],
  ['x-goog-api-key', (t) => ({ headers: { 'x-goog-api-key': t } })],
  ['?key=', (t) => ({ path: `/v1/messages?a=1&key=${t}&b=2` })],
  ['path prefix', (t) => ({ path: `/t/${t}/v1/messages` })],
])('the token is accepted as %s, and neither the upstream nor the record sees it', async (_, how) => {
  const { fake, upstream } = await upstreamOf(sse);
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const view = await call(attempt.url, { body: BODY, ...how(attempt.token) });
  expect(view.status).toBe(200);
  expect(JSON.stringify(fake.seen[0])).not.toContain(attempt.token);
  await attempt.close();
  expect(JSON.stringify(await recorded())).not.toContain(attempt.token);
});

test('unknown and revoked tokens get 401 in the words of the protocol, are counted and not recorded', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const proxy = await proxyOf();
  const attempt = await proxy.open(specOf(upstream));
  const foreign = await call(attempt.url, { headers: { 'x-api-key': 'sk-other' }, body: BODY });
  expect(foreign.status).toBe(401);
  expect(JSON.parse(foreign.body.toString())).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  const chat = await call(attempt.url, {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer x' },
    body: '{}',
  });
  expect(JSON.parse(chat.body.toString())).toMatchObject({ error: { message: expect.stringContaining('key') } });
  await attempt.close();
  const late = await call(proxy.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(late.status).toBe(401);
  expect(proxy.unknownTokens()).toBe(3);
  expect(fake.seen).toEqual([]);
  expect(await recorded()).toEqual([]);
});

test('the model decides where a call goes: top level only, aliases under their tier’s own name', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const other = { ...upstream, id: 'other' };
  const attempt = await (await proxyOf()).open(
    specOf(upstream, { models: { m: { tier: 'main', upstream }, s: { tier: 'small', upstream: other } } }),
  );
  const send = (body: string): Promise<unknown> => call(attempt.url, { headers: { 'x-api-key': attempt.token }, body });
  const nested = '{"metadata":{"model":"zzz"},"messages":[{"content":"\\"model\\":\\"zzz\\""}],"model":"s"}';
  await send(nested);
  const aliased = `{"messages":[${'"x",'.repeat(30000)}"y"],"model":"claude-haiku","max_tokens":1}`;
  await send(aliased);
  await attempt.close();
  expect(fake.seen[0]?.body.toString()).toBe(nested);
  expect(fake.seen[1]?.body.toString()).toBe(aliased.replace('claude-haiku', 's'));
  const calls = await recorded();
  expect(calls.map((c) => [c.upstream, c.renamed])).toEqual([
    ['other/small', undefined],
    ['other/small', 's'],
  ]);
  expect(Buffer.from(calls[1]?.request.body.bytes() ?? []).toString()).toBe(aliased);
});

test('a body is forwarded as it comes: the upstream sees its head before the client has sent its end', async () => {
  let early: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    early = resolve;
  });
  const server = net.createServer((socket) => {
    socket.on('data', () => early());
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.push(async () => server.close());
  const upstream = providerUpstream({
    id: 'x',
    protocol: 'anthropic',
    baseUrl: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    key: KEY,
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const { hostname, port } = new URL(attempt.url);
  const socket = net.connect(Number(port), hostname);
  socket.write(
    `POST /v1/messages HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${attempt.token}\r\ncontent-length: 100000\r\n\r\n{"model":"m","x":"`,
  );
  await arrived;
  socket.destroy();
  await vi.waitFor(() => expect(attempt.stats().openCalls).toBe(0));
  await attempt.close();
  expect(await recorded()).toMatchObject([{ end: 'client_gone', partial: true, response: { status: null } }]);
});

test('an undeclared model ends the attempt, in a way that clients do not send again', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const ends: AttemptEnd[] = [];
  const attempt = await (await proxyOf()).open(specOf(upstream, { onEnd: (e) => ends.push(e) }));
  const view = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: '{"model":"claude-opus"}' });
  expect(view.status).toBe(400);
  expect(view.headers['x-should-retry']).toBe('false');
  expect(ends).toMatchObject([{ outcome: 'limit_reached', reason: 'model_not_allowed' }]);
  expect(attempt.ended.aborted).toBe(true);
  const again = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(again.status).toBe(400);
  expect(fake.seen).toEqual([]);
  await attempt.close();
  expect((await recorded()).map((c) => [c.end, c.reason])).toEqual([
    ['limit', 'model_not_allowed'],
    ['limit', 'model_not_allowed'],
  ]);
});

test.each<[string, Partial<AttemptSpec['limits']>, number]>([
  ['calls', { calls: 2 }, 2],
  ['tokens', { tokens: 10 }, 2],
  ['cost', { cost: 0.00001 }, 1],
])('the limit of %s stops the next call and names itself', async (reason, limit, allowed) => {
  const { fake, upstream } = await upstreamOf(sse);
  const proxy = await proxyOf({ prices: { m: { input: 1, output: 2 }, s: { input: 1, output: 2 } } });
  const attempt = await proxy.open(specOf(upstream, { limits: { calls: null, tokens: null, cost: null, ...limit } }));
  const headers = { 'x-api-key': attempt.token };
  for (let i = 0; i < allowed; i++) expect((await call(attempt.url, { headers, body: BODY })).status).toBe(200);
  expect((await call(attempt.url, { headers, body: BODY })).status).toBe(400);
  expect(attempt.stats().end).toMatchObject({ outcome: 'limit_reached', reason });
  expect(fake.seen).toHaveLength(allowed);
  expect(proxy.cost()).toBeCloseTo((allowed * (3 + 10)) / 1e6, 10);
  await attempt.close();
  expect(proxy.cost()).toBeCloseTo((allowed * (3 + 10)) / 1e6, 10);
});

test('a cost limit without a price is refused at the start', async () => {
  const { upstream } = await upstreamOf(sse);
  const proxy = await proxyOf({ prices: { m: { input: 1, output: 2 } } });
  const limits = { calls: null, tokens: null, cost: 1 };
  await expect(proxy.open(specOf(upstream, { limits }))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('price of s'),
  });
  await expect(proxy.open(specOf({ ...upstream, free: true }, { limits }))).resolves.toBeDefined();
});

test('a recording of any agent takes every model, each under its own name', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const anyModel = { tier: 'main' as const, upstream };
  const attempt = await (await proxyOf()).open(specOf(upstream, { models: {}, aliases: {}, anyModel }));
  for (const body of ['{"model":"whatever"}', '{"messages":[]}']) {
    expect((await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body })).status).toBe(200);
  }
  expect(fake.seen.map((s) => s.body.toString())).toEqual(['{"model":"whatever"}', '{"messages":[]}']);
  expect(attempt.stats().end).toBeNull();
});

test('models, stubs and unknown endpoints are answered here', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const stubs = [{ method: 'GET', path: '/api/sessions/', status: 404, body: '{"detail":"none"}' }];
  const attempt = await (await proxyOf()).open(specOf(upstream, { stubs }));
  const headers = { 'x-api-key': attempt.token, 'anthropic-version': '2023-06-01' };
  const models = await call(attempt.url, { method: 'GET', path: '/v1/models', headers });
  expect(JSON.parse(models.body.toString())).toMatchObject({ data: [{ id: 'm' }, { id: 's' }] });
  expect(await call(attempt.url, { method: 'GET', path: '/api/sessions/7', headers })).toMatchObject({
    status: 404,
    body: Buffer.from('{"detail":"none"}'),
  });
  expect((await call(attempt.url, { path: '/v1/embeddings', headers, body: '{}' })).status).toBe(404);
  expect(fake.seen).toEqual([]);
  await attempt.close();
  expect((await recorded()).map((c) => [c.upstream, c.end])).toEqual([
    ['proxy', 'complete'],
    ['stub', 'refused'],
    ['proxy', 'refused'],
  ]);
});

const raw = (url: string, text: string, socketPath?: string): Promise<string> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = socketPath === undefined ? net.connect(Number(port), hostname) : net.connect(socketPath);
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(got));
    socket.end(text);
  });

test('smuggled, huge and misdirected requests are refused', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const head = (line: string, ...more: string[]): string =>
    `${[line, 'connection: close', `x-api-key: ${attempt.token}`, ...more].join('\r\n')}\r\n\r\n`;
  const post = 'POST /v1/messages HTTP/1.1';
  const host = 'host: 127.0.0.1';
  const bad: [string, RegExp][] = [
    [`${head(post, host, 'content-length: 4', 'transfer-encoding: chunked')}0\r\n\r\n`, /^HTTP\/1\.1 400/],
    [head(post, host, 'content-length: 1', 'content-length: 2'), /^HTTP\/1\.1 400/],
    [head(post, host, `x-big: ${'x'.repeat(40_000)}`), /^HTTP\/1\.1 431/],
    [head(post, host, 'x-evil: a\x01b'), /^HTTP\/1\.1 400/],
    [head('GET http://evil.test/v1/models HTTP/1.1', host), /^HTTP\/1\.1 400/],
    [head('GET //evil.test/v1/models HTTP/1.1', host), /^HTTP\/1\.1 400/],
    [head('GET /v1/../v1/models HTTP/1.1', host), /^HTTP\/1\.1 400/],
    [head('GET /v1/%2e%2e/models HTTP/1.1', host), /^HTTP\/1\.1 400/],
    [head('GET /v1%2fmodels HTTP/1.1', host), /^HTTP\/1\.1 400/],
    [head('GET /v1\\models HTTP/1.1', host), /^HTTP\/1\.1 400/],
    [head('GET /v1/models HTTP/1.1', 'host: evil.test'), /^HTTP\/1\.1 400/],
    ['CONNECT evil.test:443 HTTP/1.1\r\nhost: evil.test:443\r\n\r\n', /^$/],
  ];
  for (const [text, answer] of bad)
    expect([text.slice(0, 60), await raw(attempt.url, text)]).toEqual([
      text.slice(0, 60),
      expect.stringMatching(answer),
    ]);
  expect(fake.seen).toEqual([]);
  expect(await raw(attempt.url, head('GET /v1/models HTTP/1.1', host))).toMatch(/^HTTP\/1\.1 200/);
});

test('an attempt has its own socket, which serves no other attempt', async () => {
  const { upstream } = await upstreamOf(sse);
  const proxy = await proxyOf();
  const socket = join(folder, 's', 'a1.sock');
  const one = await proxy.open(specOf(upstream, { socket }));
  const two = await proxy.open(specOf(upstream, { attempt: 'a2', log: join(folder, 'two.jsonl') }));
  expect(statSync(join(folder, 's')).mode & 0o777).toBe(0o700);
  expect((await call(one.url, { socketPath: socket, headers: { 'x-api-key': one.token }, body: BODY })).status).toBe(
    200,
  );
  expect((await call(one.url, { socketPath: socket, headers: { 'x-api-key': two.token }, body: BODY })).status).toBe(
    401,
  );
  await one.close();
  expect(() => statSync(socket)).toThrow();
  expect((await call(two.url, { headers: { 'x-api-key': two.token }, body: BODY })).status).toBe(200);
});

test('attempts at once keep their calls apart, and calls are told as they pass', async () => {
  const { upstream } = await upstreamOf(sse);
  const events: CallEvent[] = [];
  const problems: Problem[] = [];
  const proxy = await proxyOf({ onCall: (e) => events.push(e), onProblem: (p) => problems.push(p) });
  const attempts = await Promise.all(
    Array.from({ length: 6 }, (_, i) =>
      proxy.open(specOf(upstream, { attempt: `a${i}`, log: join(folder, `${i}`, 'calls.jsonl') })),
    ),
  );
  await Promise.all(
    attempts.flatMap((a, i) =>
      Array.from({ length: 5 }, (_, k) =>
        call(a.url, { headers: { 'x-api-key': a.token }, body: JSON.stringify({ model: 'm', who: i, k }) }),
      ),
    ),
  );
  await Promise.all(attempts.map((a) => a.close()));
  for (const i of attempts.keys()) {
    const calls = await recorded(join(folder, `${i}`, 'calls.jsonl'));
    expect(calls.map((c) => [c.attempt, JSON.parse(Buffer.from(c.request.body.bytes()).toString()).who])).toEqual(
      Array(5).fill([`a${i}`, i]),
    );
  }
  expect(events).toHaveLength(30);
  expect(events[0]).toMatchObject({
    model: 'm',
    status: 200,
    end: 'complete',
    bytes: expect.any(Number),
    ms: expect.any(Number),
  });
  expect(problems).toEqual([]);
});

test('a port that is taken is said so', async () => {
  const proxy = await proxyOf();
  await expect(openProxy({ port: Number(new URL(proxy.url).port) })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('is taken'),
  });
});
