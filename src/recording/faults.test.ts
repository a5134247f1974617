import { randomInt } from 'node:crypto';
import http from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { cleanup, folder, KEY, proxyOf, recorded, specOf } from '../../test/fixtures/recording/harness.ts';
import { anthropicEvents, type ClientView, call, fakeUpstream } from '../../test/fixtures/recording/upstream.ts';
import type { CallEnd } from './schema.ts';
import { providerUpstream } from './upstreams/provider.ts';

// A small generator with a seed, so that a failing run can be had again: OCTOBENCH_SEED=<n>.
const generator = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    let x = state;
    x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
    x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
    return ((x ^ (x >>> 15)) >>> 0) % below;
  };
};

const KINDS = [
  'whole',
  'json',
  'status',
  'reset',
  'early_reset',
  'stall',
  'silent',
  'cut',
  'leave',
  'gzip',
  'br',
] as const;

interface Plan {
  id: number;
  kind: (typeof KINDS)[number];
  status: number;
  headers: Record<string, string>;
  /** What the upstream sends, in these pieces. */
  pieces: Buffer[];
  request: string;
  leaveAfter: number | null;
  end: CallEnd;
}

const split = (bytes: Buffer, random: (n: number) => number): Buffer[] => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + random(random(3) === 0 ? 5 : 400);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
};

const planOf = (id: number, random: (n: number) => number): Plan => {
  const kind = KINDS[random(KINDS.length)] as Plan['kind'];
  const stream = Buffer.from(anthropicEvents(`reply ${id} ${'é€ '.repeat(random(200))}`).join(''));
  const plan: Plan = {
    id,
    kind,
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-reply': String(id) },
    pieces: [],
    request: JSON.stringify({ model: 'm', id, history: 'h'.repeat(random(3000)), more: random(1e6) }),
    leaveAfter: null,
    end: 'complete',
  };
  let body = stream;
  if (kind === 'json' || kind === 'status') {
    body = Buffer.from(JSON.stringify({ id, text: 'x'.repeat(random(2000)) }));
    plan.headers['content-type'] = 'application/json';
    if (random(2) === 0) plan.headers['content-length'] = String(body.length);
    if (kind === 'status') plan.status = [400, 401, 404, 413, 429, 500, 502, 503, 529][random(9)] as number;
    if (plan.status === 429 || plan.status === 529) plan.headers['retry-after'] = String(random(60));
  }
  if (kind === 'gzip' || kind === 'br') {
    body = kind === 'gzip' ? gzipSync(stream) : brotliCompressSync(stream);
    plan.headers['content-encoding'] = kind;
  }
  // A cut at any byte before the last event is whole.
  if (kind === 'cut' || kind === 'reset' || kind === 'stall') body = body.subarray(0, 1 + random(body.length - 2));
  if (kind === 'reset' || kind === 'early_reset' || kind === 'cut') plan.end = 'upstream_reset';
  if (kind === 'stall' || kind === 'silent') plan.end = 'upstream_timeout';
  if (kind === 'leave') {
    // Short of the last event, which the proxy would hold back for its end.
    body = body.subarray(0, body.length - 100);
    plan.end = 'client_gone';
    plan.leaveAfter = 1 + random(body.length);
  }
  plan.pieces = kind === 'early_reset' || kind === 'silent' ? [] : split(body, random);
  return plan;
};

const play = async (plan: Plan, res: http.ServerResponse): Promise<void> => {
  if (plan.kind === 'silent') return;
  if (plan.kind === 'early_reset') {
    res.socket?.resetAndDestroy();
    return;
  }
  res.writeHead(plan.status, plan.headers);
  for (const [i, piece] of plan.pieces.entries()) {
    if (res.destroyed) return;
    res.write(piece);
    if (i % 7 === 6) await new Promise((resolve) => setImmediate(resolve));
  }
  if (plan.kind === 'stall' || plan.kind === 'leave') return;
  // What was written must have left before the connection breaks.
  if (plan.kind === 'reset') setTimeout(() => res.destroy(), 5);
  else res.end();
};

const COUNT = process.env.OCTOBENCH_LONG === '1' ? 2000 : 150;
const AT_ONCE = 32;

test(`${COUNT} random exchanges, ${AT_ONCE} at a time: each is in the record once, with its end and the bytes its client saw`, async () => {
  const seed = Number(process.env.OCTOBENCH_SEED ?? randomInt(2 ** 31));
  console.log(`random exchanges: OCTOBENCH_SEED=${seed}`);
  const random = generator(seed);
  const plans = Array.from({ length: COUNT }, (_, id) => planOf(id, random));
  const fake = await fakeUpstream((seen, res) => play(plans[Number(seen.headers['x-id'])] as Plan, res));
  const timeouts = { firstByte: 400, idle: 400, total: 60_000 };
  const upstream = providerUpstream({ id: 'p', protocol: 'anthropic', baseUrl: fake.url, key: KEY, timeouts });
  cleanup.push(fake.close, async () => upstream.close?.());
  const proxy = await proxyOf();
  const attempts = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      proxy.open(specOf(upstream, { attempt: `a${i}`, log: join(folder, `${i}`, 'calls.jsonl') })),
    ),
  );
  const agent = new http.Agent({ keepAlive: true });
  cleanup.push(async () => agent.destroy());
  const views = new Map<number, ClientView>();
  let next = 0;
  const client = async (): Promise<void> => {
    for (let plan = plans[next++]; plan !== undefined; plan = plans[next++]) {
      const attempt = attempts[plan.id % attempts.length];
      const view = await call(attempt?.url ?? '', {
        headers: { 'x-api-key': attempt?.token ?? '', 'x-id': String(plan.id) },
        body: plan.request,
        agent,
        ...(plan.leaveAfter === null ? {} : { leaveAfter: plan.leaveAfter }),
      });
      views.set(plan.id, view);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  await Promise.all(attempts.map((a) => a.close()));
  const found = new Map<number, number>();
  for (const [i] of attempts.entries()) {
    for (const record of await recorded(join(folder, `${i}`, 'calls.jsonl'))) {
      const request = Buffer.from(record.request.body.bytes()).toString();
      const { id } = JSON.parse(request) as { id: number };
      const plan = plans[id] as Plan;
      const view = views.get(id) as ClientView;
      const sent = Buffer.concat(plan.pieces);
      const kept = Buffer.from(record.response?.body.bytes() ?? []);
      const what = `exchange ${id} (${plan.kind}) of seed ${seed}`;
      found.set(id, (found.get(id) ?? 0) + 1);
      expect(id % attempts.length, what).toBe(i);
      expect(request, what).toBe(plan.request);
      expect(record.end, what).toBe(plan.end);
      expect(sent.subarray(0, kept.length).equals(kept), what).toBe(true);
      expect(kept.subarray(0, view.body.length).equals(view.body), what).toBe(true);
      expect(view.clean, what).toBe(plan.end === 'complete');
      if (plan.kind === 'leave') continue;
      expect(view.body.equals(kept), `${what}: ${view.body.length} of ${kept.length}`).toBe(true);
      if (plan.kind !== 'reset') expect(kept.equals(sent), what).toBe(true);
      const status = plan.kind === 'early_reset' || plan.kind === 'silent' ? null : plan.status;
      expect([view.status, record.response?.status], what).toEqual([status, status]);
      if (status === null) continue;
      expect(view.headers['x-reply'], what).toBe(String(id));
      expect(view.headers['retry-after'], what).toBe(plan.headers['retry-after']);
      expect(
        record.response?.chunks.reduce((n, [, length]) => n + length, 0),
        what,
      ).toBe(kept.length);
    }
  }
  expect([...found.entries()].filter(([, times]) => times !== 1)).toEqual([]);
  expect(found.size).toBe(COUNT);
}, 300_000);
