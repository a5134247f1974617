import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RELAY } from './launch.ts';
import { createSessionReader } from './session.ts';

const SLEEP = { argv: ['sleep', '60'], env: {}, stdin: null };
/** The project's Node, and the machine's when it is another one: images bring an older one. */
const others = ['/usr/bin/node', '/usr/local/bin/node'].filter((path) => existsSync(path));
const nodes = [process.execPath, ...others.slice(0, 1)].map((path): [string, string] => [
  execFileSync(path, ['--version'], { encoding: 'utf8' }).trim(),
  path,
]);

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe.each(nodes)('the relay on Node %s', { timeout: 20_000 }, (_, node) => {
  let folder: string;
  let port: number;
  let relay: ChildProcess;
  let proxy: Server;
  /** What the proxy does with a connection that is not the relay's own first question. */
  let serve: (c: Socket) => void = (c) => c.destroy();
  const reader = createSessionReader({ outputBytes: 1000 });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ob-relay-'));
    proxy = createServer({ allowHalfOpen: true }, (c) => {
      c.on('error', () => undefined);
      c.once('data', (first) => {
        if (first.toString().startsWith('GET /healthz')) return void c.end('HTTP/1.1 200 OK\r\n\r\n');
        c.unshift(first);
        serve(c);
      });
    });
    const socket = join(folder, 'p.sock');
    await new Promise<void>((resolve) => proxy.listen(socket, resolve));
    port = await freePort();
    const env = { PATH: '/usr/bin:/bin', HOME: folder };
    const child = spawn(node, [RELAY], { stdio: ['pipe', 'pipe', 'inherit'], env });
    relay = child;
    const started = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        reader.push(chunk);
        if (chunk.includes('"t":"start"')) resolve();
      });
    });
    const job = { port, upstream: { path: socket }, user: null, cwd: folder, steps: [SLEEP] };
    child.stdin.write(`${JSON.stringify(job)}\n`);
    await started;
  });
  afterAll(async () => {
    relay.kill('SIGKILL');
    await new Promise<void>((resolve) => proxy.close(() => resolve()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Says something, reads to the end, tells how it ended. */
  const talk = (say: string, half = false): Promise<{ text: string; end: string }> =>
    new Promise((resolve) => {
      const c = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      let text = '';
      let end = 'closed';
      c.on('data', (d) => {
        text += d.toString('latin1');
      });
      c.on('end', () => {
        end = 'ended';
        c.end();
      });
      c.on('error', (e: NodeJS.ErrnoException) => {
        end = e.code ?? 'error';
      });
      c.on('close', () => resolve({ text, end }));
      if (half) c.end(say);
      else c.write(say);
    });

  it('carries bytes both ways, under back pressure, and each half-close by itself', async () => {
    serve = (c) => {
      let size = 0;
      c.on('data', (d) => {
        size += d.length;
      });
      c.on('end', () => c.end(`got ${size} ${'y'.repeat(3_000_000)}`));
    };
    const { text, end } = await talk('x'.repeat(2_000_000), true);
    expect({ head: text.slice(0, 12), length: text.length, end }).toEqual({
      head: 'got 2000000 ',
      length: 3_000_012,
      end: 'ended',
    });
  });

  it.each([
    ['in the head', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['in a body with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhalf'],
    ['between chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'],
    ['before the last line', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n'],
    [
      'in the second reply',
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nno',
    ],
    ['after a 100', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('resets the client when the proxy breaks off %s', async (_where, reply) => {
    serve = (c) => {
      c.write(reply);
      setTimeout(() => c.destroy(), 30);
    };
    expect(await talk('POST / HTTP/1.1\r\n\r\n')).toEqual({ text: reply, end: 'ECONNRESET' });
  });

  it('resets the client when the proxy destroys the connection without an answer', async () => {
    serve = (c) => c.destroy();
    expect(await talk('POST / HTTP/1.1\r\n\r\n')).toEqual({ text: '', end: 'ECONNRESET' });
  });

  it.each([
    ['a length', 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhalf'],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n\r\n'],
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nhalf'],
  ])('ends cleanly after a whole reply marked by %s', async (_mark, reply) => {
    serve = (c) => {
      for (const byte of reply) c.write(byte);
      c.end(() => c.destroy());
    };
    expect(await talk('GET / HTTP/1.1\r\n\r\n')).toEqual({ text: reply, end: 'ended' });
  });

  it('tells the proxy when the client is gone', async () => {
    const gone = Promise.withResolvers<string>();
    serve = (c) => {
      c.resume();
      c.on('close', () => gone.resolve('closed'));
      c.write('HTTP/1.1 200 OK\r\n\r\nsome');
      setInterval(() => c.write('more'), 10).unref();
    };
    const c = connect(port, '127.0.0.1', () => c.write('x'));
    c.once('data', () => c.destroy());
    expect(await gone.promise).toBe('closed');
  });

  it('serves an HTTP proxy over kept-alive connections', async () => {
    const handler: RequestListener = (req, res) => {
      let size = 0;
      req.on('data', (d: Buffer) => {
        size += d.length;
      });
      req.on('end', () => res.end(`${req.method} ${req.url} ${size}`));
    };
    const server = createHttp(handler);
    serve = (c) => void server.emit('connection', c);
    const base = `http://127.0.0.1:${port}`;
    for (let i = 0; i < 3; i++) {
      const body = 'z'.repeat(100_000 * i);
      const got = await fetch(`${base}/${i}`, { method: 'POST', body });
      expect(await got.text()).toBe(`POST /${i} ${body.length}`);
    }
    server.closeAllConnections();
  });

  it('kills its steps and goes when octobench goes', async () => {
    const ended = new Promise<number | null>((resolve) => relay.on('close', resolve));
    relay.stdin?.end();
    expect(await ended).toBe(1);
    const end = reader.end({ code: 1, signal: null, aborted: false, at: 1 });
    expect(end).toMatchObject({ end: 'lost', lost: 'sandbox_died' });
  });
});
