// Child processes of the bench: the mock provider, the bare pipe, and the recording proxy. `node bench/peers.ts <role> [upstream]`
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openProxy } from '../src/recording/server.ts';
import { providerUpstream } from '../src/recording/upstreams/provider.ts';

const [role = '', upstream = '', folder = ''] = process.argv.slice(2);
const SHAPE = /mock-e(\d+)-d(\d+)/;

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const delta = (text: string): string => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });

/** Streams as many events as the model's name says. */
const mock = (): http.Server =>
  http.createServer((req, res) => {
    let first: Buffer | null = null;
    req.on('data', (chunk: Buffer) => {
      first ??= chunk;
    });
    req.on('end', () => {
      const [, events = '200', delay = '0'] = SHAPE.exec(first?.toString('latin1', 0, 4096) ?? '') ?? [];
      res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      const usage = { input_tokens: 1000, output_tokens: 1 };
      res.write(event('message_start', { message: { id: 'm', role: 'assistant', content: [], usage } }));
      let sent = 0;
      const later = Number(delay) > 0 ? (f: () => void) => setTimeout(f, Number(delay)) : setImmediate;
      const step = (): void => {
        if (sent === Number(events)) {
          const stop = event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: sent } });
          res.end(stop + event('message_stop', {}));
          return;
        }
        res.write(delta(`tok${sent++} t=${process.hrtime.bigint()} `));
        later(step);
      };
      later(step);
    });
  });

const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host']);
const kept = (raw: string[]): string[] =>
  raw.flatMap((name, i) => (i % 2 === 0 && !HOP.has(name.toLowerCase()) ? [name, raw[i + 1] as string] : []));

/** The floor: node:http in, node:http out, streams piped both ways. */
const pipe = (): http.Server => {
  const target = new URL(upstream);
  const agent = new http.Agent({ keepAlive: true, maxFreeSockets: 256, scheduling: 'lifo' });
  return http.createServer((req, res) => {
    const headers = [...kept(req.rawHeaders), 'host', target.host];
    const { hostname, port } = target;
    const out = http.request({ hostname, port, path: req.url, method: req.method, headers, agent }, (reply) => {
      res.writeHead(reply.statusCode ?? 502, kept(reply.rawHeaders));
      res.flushHeaders();
      reply.pipe(res);
    });
    out.on('error', () => res.destroy());
    res.on('close', () => !res.writableEnded && out.destroy());
    req.pipe(out);
  });
};

const report = (message: object): void => void process.send?.(message);

const listen = (server: http.Server): void => {
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () =>
    report({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'none' }),
  );
};

if (role === 'mock') listen(mock());
if (role === 'pipe') listen(pipe());
if (role === 'proxy') {
  const proxy = await openProxy({});
  const provider = providerUpstream({
    id: 'mock',
    protocol: 'anthropic',
    baseUrl: upstream,
    key: 'sk-bench-0123456789abcdef',
  });
  const names = ['mock-e200-d0', 'mock-e200-d5'];
  const attempt = await proxy.open({
    attempt: 'bench',
    log: join(folder, 'calls.jsonl'),
    socket: null,
    models: Object.fromEntries(names.map((name) => [name, { tier: 'main' as const, upstream: provider }])),
    aliases: {},
    stubs: [],
    limits: { calls: null, tokens: null, cost: null },
    secrets: ['sk-bench-0123456789abcdef'],
  });
  report({ url: attempt.url, token: attempt.token });
  process.on('message', async (message) => {
    if (message !== 'seal') return;
    await attempt.close();
    report({ sealed: true });
  });
}
process.on('message', (message) => {
  if (message === 'usage') report({ cpu: process.cpuUsage(), rss: process.resourceUsage().maxRSS });
  if (message === 'end') process.exit(0);
});
process.on('disconnect', () => process.exit(0));
