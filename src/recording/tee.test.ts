import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import {
  type Answer,
  BODY,
  folder,
  proxyOf,
  recorded,
  specOf,
  sse,
  upstreamOf,
} from '../../test/fixtures/recording/harness.ts';
import { anthropicEvents, call } from '../../test/fixtures/recording/upstream.ts';

test('statuses, retry-after and bodies of errors pass as they are, and nothing is tried twice', async () => {
  const { fake, upstream } = await upstreamOf((_, res) => {
    res.writeHead(529, 'Overloaded Here', { 'content-type': 'application/json', 'retry-after': '7' });
    res.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const view = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(view).toMatchObject({ status: 529, clean: true, headers: { 'retry-after': '7' } });
  expect(fake.seen).toHaveLength(1);
  await attempt.close();
  expect(await recorded()).toMatchObject([{ end: 'complete', response: { status: 529 } }]);
});

test('a refused connection is a reset, not an answer', async () => {
  const { fake, upstream } = await upstreamOf(sse);
  await fake.close();
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const view = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(view).toMatchObject({ status: null, clean: false });
  await attempt.close();
  expect(await recorded()).toMatchObject([
    { end: 'upstream_reset', reason: 'ECONNREFUSED', response: { status: null } },
  ]);
});

test('a client that leaves stops the upstream within a second', async () => {
  const { fake, upstream } = await upstreamOf((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(anthropicEvents('x')[0]);
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY, leaveAfter: 1 });
  const left = Date.now();
  await vi.waitFor(() => expect(fake.seen[0]?.closedAt).not.toBeNull(), { timeout: 2000 });
  expect((fake.seen[0]?.closedAt as number) - left).toBeLessThan(1000);
  await attempt.close();
  expect(await recorded()).toMatchObject([{ end: 'client_gone' }]);
});

test('the record has a reply before the client sees its last event', async () => {
  const { upstream } = await upstreamOf(async (seen, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const e of anthropicEvents(seen.body.toString().slice(0, 5))) {
      res.write(e.slice(0, 25));
      await new Promise((resolve) => setTimeout(resolve, 2));
      res.write(e.slice(25));
    }
    setTimeout(() => res.end(), 40);
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  let inLog: boolean | null = null;
  let seen = '';
  const view = await call(attempt.url, {
    headers: { 'x-api-key': attempt.token },
    body: BODY,
    onData: (chunk) => {
      seen += chunk.toString();
      if (inLog === null && seen.includes('"type":"message_stop"}\n\n'))
        inLog = readFileSync(join(folder, 'calls.jsonl'), 'utf8').includes('"t":"res"');
    },
  });
  expect(view.clean).toBe(true);
  expect(inLog).toBe(true);
});

test('an upstream that keeps its stream open after the last event does not hold it back', async () => {
  const { upstream } = await upstreamOf((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(anthropicEvents('x').join(''));
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const whole = anthropicEvents('x').join('');
  const view = await call(attempt.url, {
    headers: { 'x-api-key': attempt.token },
    body: BODY,
    leaveAfter: whole.length,
  });
  expect(view.body.toString()).toBe(whole);
  await attempt.close();
  expect(await recorded()).toMatchObject([{ end: 'complete' }]);
});

test('gzip passes as gzip, is understood for limits, and can be read from the record', async () => {
  const stream = anthropicEvents('packed').join('');
  const { upstream } = await upstreamOf((_, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
    res.end(gzipSync(stream));
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const view = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(view.body).toEqual(gzipSync(stream));
  expect((await attempt.close()).tokens).toEqual({ input: 3, output: 5 });
  const [record] = await recorded();
  expect(Buffer.from(record?.response?.body.bytes() ?? [])).toEqual(gzipSync(stream));
  expect(Buffer.from(record?.response?.body.decoded?.() ?? []).toString()).toBe(stream);
});

test('calls over a provider’s concurrency wait, and none fails', async () => {
  let open = 0;
  let most = 0;
  const { upstream } = await upstreamOf(
    async (seen, res) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open--;
      sse(seen, res);
    },
    { concurrency: 2 },
  );
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const views = await Promise.all(
    Array.from({ length: 8 }, () => call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY })),
  );
  expect(views.map((v) => v.status)).toEqual(Array(8).fill(200));
  expect(most).toBe(2);
});

test.each<[string, Answer, string, string]>([
  ['dies before its headers', (_, res) => res.destroy(), 'upstream_reset', 'ECONNRESET'],
  [
    'dies inside a body of known length',
    (_, res) => {
      res.writeHead(200, { 'content-length': '100' });
      res.write('half');
      setTimeout(() => res.destroy(), 20);
    },
    'upstream_reset',
    'ECONNRESET',
  ],
  [
    'ends a stream without its last event',
    (_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.end(anthropicEvents('cut short').slice(0, -1).join(''));
    },
    'upstream_reset',
    'missing_last_event',
  ],
  ['is silent', () => {}, 'upstream_timeout', 'first_byte_timeout'],
  [
    'falls silent',
    (_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(anthropicEvents('x')[0]);
    },
    'upstream_timeout',
    'idle_timeout',
  ],
  [
    'never ends',
    (_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => res.write(': ping\n\n'), 20);
      res.on('close', () => clearInterval(timer));
    },
    'upstream_timeout',
    'total_timeout',
  ],
])('an upstream that %s: the client never sees a clean end', async (_, answer, end, reason) => {
  const { upstream } = await upstreamOf(answer, { timeouts: { firstByte: 250, idle: 250, total: 1500 } });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const view = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body: BODY });
  expect(view.clean).toBe(false);
  await attempt.close();
  const [record] = await recorded();
  expect(record).toMatchObject({ end, reason });
  expect(Buffer.from(record?.response?.body.bytes() ?? [])).toEqual(view.body);
});

// Comments, keep-alives, CRLF, a byte order mark, data without a space, empty data, characters of two to four bytes, a byte that is no UTF-8.
const ODD = Buffer.concat([
  Buffer.from(
    '\ufeff: KEEPALIVE PROCESSING\n\n:\n\nid: 7\nretry: 100\n\ndata:\n\nevent: ping\r\ndata:{"type":"ping"}\r\n\r\n',
  ),
  Buffer.from(
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"价格 3€ 👩‍💻 a',
  ),
  Buffer.from([0xff]),
  Buffer.from('b"}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'),
]);

test('an odd stream passes untouched wherever it is cut, byte by byte included, and is recorded as it was', async () => {
  const { upstream } = await upstreamOf(async (seen, res) => {
    const at = Number(seen.headers['x-cut']);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const pieces =
      at === 0 ? Array.from(ODD, (_, i) => ODD.subarray(i, i + 1)) : [ODD.subarray(0, at), ODD.subarray(at)];
    for (const piece of pieces) {
      res.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    res.end();
  });
  const attempt = await (await proxyOf()).open(specOf(upstream));
  const step = process.env.OCTOBENCH_LONG === '1' ? 1 : 4;
  const cuts = [0, ...Array.from({ length: Math.floor((ODD.length - 1) / step) }, (_, i) => 1 + i * step)];
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const views = await Promise.all(
    cuts.map((cut) =>
      call(attempt.url, { headers: { 'x-api-key': attempt.token, 'x-cut': String(cut) }, body: BODY, agent }),
    ),
  );
  agent.destroy();
  await attempt.close();
  expect(views.filter((v) => !v.clean || !v.body.equals(ODD))).toEqual([]);
  const calls = await recorded();
  expect(calls).toHaveLength(cuts.length);
  for (const c of calls) expect(ODD.equals(c.response?.body.bytes() ?? Buffer.alloc(0))).toBe(true);
});
