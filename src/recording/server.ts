import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import { costOf, type PriceTable } from '../wire/cost.ts';
import { Attempt } from './attempt.ts';
import { Exchange, type ExchangeHooks, unauthorized } from './exchange.ts';
import { badTarget, credentialsOf, headerPairs } from './headers.ts';
import { isOwnHost, newToken } from './route.ts';
import type { AttemptSpec, CallEvent, Proxy as OpenProxy, RecordedAttempt } from './schema.ts';
import { openLog } from './store.ts';

/** The longest request head: a scaffold's is about 1 KB. */
const HEADER_BYTES = 32 * 1024;
/** The longest path a Unix socket can have (Linux; macOS has four less). */
const SOCKET_PATH = 103;

export interface ProxyOptions {
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** Default: any free one. */
  port?: number | undefined;
  /** Prices by model name, for cost limits and totals. */
  prices?: PriceTable | undefined;
  /** Hears of each call when it is in the record. */
  onCall?: ((event: CallEvent) => void) | undefined;
  onProblem?: ((problem: Problem) => void) | undefined;
}

/**
 * Starts the recording proxy (docs/formats/calls.md, CONTRIBUTING). Every request must carry the token of an open attempt; what
 * passes is written to that attempt's log. The proxy relays, and never retries.
 * @throws BenchError('unavailable') when the port is taken
 */
export const openProxy = async (options: ProxyOptions = {}): Promise<OpenProxy> => {
  const proxy = new RecordingProxy(options);
  await proxy.listen();
  return proxy;
};

class RecordingProxy implements OpenProxy {
  readonly #options: ProxyOptions;
  readonly #attempts = new Map<string, Attempt>();
  readonly #sockets = new Map<Attempt, Server>();
  readonly #closing = new WeakMap<Attempt, Promise<void>>();
  readonly #hooks: ExchangeHooks;
  readonly #server: Server;
  #unknown = 0;
  #closedCost = 0;
  url = '';

  constructor(options: ProxyOptions) {
    this.#options = options;
    const prices = options.prices ?? {};
    this.#hooks = {
      costOf: (model, protocol, usage) => costOf(usage, prices[model], protocol),
      onCall: options.onCall,
      onProblem: options.onProblem,
    };
    this.#server = this.#serve(null);
  }

  async listen(): Promise<void> {
    const host = this.#options.host ?? '127.0.0.1';
    await listening(this.#server, { host, port: this.#options.port ?? 0 });
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  }

  unknownTokens(): number {
    return this.#unknown;
  }

  cost(): number {
    return [...this.#attempts.values()].reduce((sum, a) => sum + (a.meter.cost ?? 0), this.#closedCost);
  }

  /** A server for one attempt's Unix socket, or for all attempts. */
  #serve(only: Attempt | null): Server {
    const server = createServer({ maxHeaderSize: HEADER_BYTES, keepAliveTimeout: 120_000 }, (req, res) =>
      this.#handle(req, res, only),
    );
    server.on('clientError', (e: NodeJS.ErrnoException, socket: Socket) => refuseRaw(e, socket));
    server.on('connect', (_, socket) => socket.destroy());
    server.on('upgrade', (_, socket) => socket.destroy());
    return server;
  }

  #handle(req: IncomingMessage, res: ServerResponse, only: Attempt | null): void {
    res.on('error', () => {});
    // The relay's question, before a session, whether the proxy can be reached from inside.
    if (req.method === 'GET' && req.url === '/healthz') {
      res.writeHead(200, { connection: 'close' }).end();
      return;
    }
    const { token, path } = credentialsOf(req, (t) => this.#attempts.has(t));
    const attempt = token === null ? undefined : this.#attempts.get(token);
    if (attempt === undefined || (only !== null && attempt !== only)) {
      this.#turnAway(req, res);
      return;
    }
    const loopback = (this.#options.host ?? '127.0.0.1') === '127.0.0.1';
    const foreign = only === null && loopback && !isOwnHost(req.headers.host);
    const refused = foreign ? `this proxy is not ${req.headers.host}` : (badTarget(req.url ?? '') ?? badTarget(path));
    const exchange = new Exchange(attempt, { req, res }, path, this.#hooks);
    attempt.track(exchange, exchange.run(refused));
  }

  #turnAway(req: IncomingMessage, res: ServerResponse): void {
    this.#unknown++;
    const reply = unauthorized(req.method ?? 'GET', req.url ?? '/', headerPairs(req.rawHeaders));
    res.writeHead(reply.status, [...reply.headers, ['connection', 'close']].flat());
    res.end(Buffer.concat(reply.chunks));
    req.resume();
  }

  async open(spec: AttemptSpec): Promise<RecordedAttempt> {
    this.#checkPrices(spec);
    const token = newToken();
    const { onProblem } = this.#options;
    const log = await openLog(spec.log, { attempt: spec.attempt, secrets: [token, ...spec.secrets], onProblem });
    const attempt = new Attempt(spec, log, token);
    const server = spec.socket === null ? null : this.#serve(attempt);
    try {
      if (server !== null) await listenOnSocket(server, spec.socket as string);
    } catch (e) {
      await log.seal();
      throw e;
    }
    this.#attempts.set(token, attempt);
    if (server !== null) this.#sockets.set(attempt, server);
    return {
      token,
      url: this.url,
      ended: attempt.ended.signal,
      stats: () => attempt.stats(),
      close: async () => {
        await this.#close(attempt);
        return attempt.stats();
      },
    };
  }

  #checkPrices(spec: AttemptSpec): void {
    if (spec.limits.cost === null) return;
    const { prices = {} } = this.#options;
    const unpriced = Object.entries(spec.models)
      .filter(([name, route]) => route.upstream.free !== true && !Object.hasOwn(prices, name))
      .map(([name]) => name);
    if (unpriced.length === 0) return;
    throw new BenchError('usage', 'recording', `a cost limit needs a price of ${unpriced.join(', ')}`);
  }

  /** Closes an attempt once, whoever asks. */
  #close(attempt: Attempt): Promise<void> {
    const closing = this.#closing.get(attempt) ?? this.#shut(attempt);
    this.#closing.set(attempt, closing);
    return closing;
  }

  async #shut(attempt: Attempt): Promise<void> {
    this.#attempts.delete(attempt.token);
    await attempt.stop();
    this.#closedCost += attempt.meter.cost ?? 0;
    const server = this.#sockets.get(attempt);
    this.#sockets.delete(attempt);
    if (server !== undefined) {
      await closeServer(server);
      await rm(attempt.spec.socket as string, { force: true });
    }
    await attempt.log.seal();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#attempts.values()].map((attempt) => this.#close(attempt)));
    await closeServer(this.#server);
  }
}

const listening = (server: Server, where: { host: string; port: number } | { path: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (e: NodeJS.ErrnoException) => {
      const place = 'path' in where ? where.path : `${where.host}:${where.port}`;
      const message =
        e.code === 'EADDRINUSE' ? `${place} is taken: choose another port` : `cannot listen on ${place}: ${e.message}`;
      reject(new BenchError('unavailable', 'recording', message, { cause: e }));
    });
    server.listen(where, resolve);
  });

const listenOnSocket = async (server: Server, path: string): Promise<void> => {
  if (Buffer.byteLength(path) > SOCKET_PATH) {
    throw new BenchError('unavailable', 'recording', `the socket's path is longer than ${SOCKET_PATH} bytes: ${path}`);
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  await listening(server, { path });
  // The folder (0700, of the sandbox's user) is what keeps others out.
  await chmod(path, 0o666);
};

const closeServer = async (server: Server): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
};

/** What the parser refuses: smuggled lengths, huge heads, broken requests. */
const refuseRaw = (e: NodeJS.ErrnoException, socket: Socket): void => {
  if (e.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = e.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
};
