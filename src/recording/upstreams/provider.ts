import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import PQueue from 'p-queue';
import type { Protocol } from '../../wire/schema.ts';
import { headerPairs } from '../headers.ts';
import type { IncomingReply, OutgoingRequest, Upstream } from '../schema.ts';
import { UpstreamError } from './error.ts';
import { joinUrl } from './join-url.ts';

/** Limits on an upstream's silence, in ms; null = none. Each is named in the record as `<name>_timeout`. */
export interface UpstreamTimeouts {
  /** To the reply's first byte. */
  firstByte: number | null;
  /** Between two pieces of a reply. */
  idle: number | null;
  /** A whole exchange: endless streams end here. */
  total: number | null;
}

const DEFAULT_TIMEOUTS: UpstreamTimeouts = { firstByte: 600_000, idle: 300_000, total: 3_600_000 };

export interface ProviderOptions {
  id: string;
  protocol: Protocol;
  baseUrl: string;
  /** Null or absent = the provider needs none. */
  key?: string | null | undefined;
  /** Where the key goes; default: the protocol's own place. */
  auth?: 'bearer' | 'x-api-key' | 'x-goog-api-key' | undefined;
  /** Calls at once; more wait. */
  concurrency?: number | null | undefined;
  /** Calls begun in any minute; more wait. */
  rpm?: number | null | undefined;
  timeouts?: Partial<UpstreamTimeouts> | undefined;
  /** Headers added to each request. */
  headers?: Readonly<Record<string, string>> | undefined;
}

const PLACE: Readonly<Record<Protocol, 'bearer' | 'x-api-key' | 'x-goog-api-key'>> = {
  anthropic: 'x-api-key',
  'openai-chat': 'bearer',
  'openai-responses': 'bearer',
  gemini: 'x-goog-api-key',
};

const keyHeader = (options: ProviderOptions): [string, string][] => {
  if (options.key === null || options.key === undefined) return [];
  const place = options.auth ?? PLACE[options.protocol];
  return place === 'bearer' ? [['authorization', `Bearer ${options.key}`]] : [[place, options.key]];
};

/** A slot of the provider's queue: taken before the request goes out, given back when its reply is over. */
interface Slots {
  take(signal: AbortSignal): Promise<() => void>;
}

const slotsOf = (options: ProviderOptions): Slots | null => {
  const { concurrency = null, rpm = null } = options;
  if (concurrency === null && rpm === null) return null;
  const queue = new PQueue({
    ...(concurrency === null ? {} : { concurrency }),
    ...(rpm === null ? {} : { intervalCap: rpm, interval: 60_000, strict: true }),
  });
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        const held = (): Promise<void> => new Promise((free) => resolve(free));
        queue.add(held, { signal }).catch(reject);
      }),
  };
};

/**
 * A provider that speaks the client's own protocol: bytes pass both ways untouched, the key is put in here. Connections are kept and
 * shared; `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and `NODE_EXTRA_CA_CERTS` are honoured. A failure is told, never retried.
 */
export const providerUpstream = (options: ProviderOptions): Upstream => {
  const secure = new URL(options.baseUrl).protocol === 'https:';
  const settings = { keepAlive: true, maxFreeSockets: 256, scheduling: 'lifo', proxyEnv: process.env } as const;
  const agent = secure ? new https.Agent(settings) : new http.Agent(settings);
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const added = [...keyHeader(options), ...Object.entries(options.headers ?? {})];
  const slots = slotsOf(options);
  const start = secure ? https.request : http.request;
  return {
    id: options.id,
    send: async (request, signal) => {
      const free = slots === null ? null : await slots.take(signal);
      const url = joinUrl(options.baseUrl, request.path);
      const replaced = new Set(added.map(([name]) => name));
      const headers = [...request.headers.filter(([name]) => !replaced.has(name)), ...added, ['host', url.host]].flat();
      const sent = start(url, { method: request.method, headers, agent, noDelay: true } as https.RequestOptions);
      return exchange(sent, request, signal, timeouts, free ?? (() => {}));
    },
    close: async () => agent.destroy(),
  };
};

const exchange = (
  sent: ClientRequest,
  request: OutgoingRequest,
  signal: AbortSignal,
  timeouts: UpstreamTimeouts,
  free: () => void,
): Promise<IncomingReply> =>
  new Promise((resolve, reject) => {
    let reply: IncomingMessage | null = null;
    const stop = (e: Error): void => {
      // The reply first: its reader gets this reason, not the plain reset that follows from it.
      reply?.destroy(e);
      sent.destroy(e);
    };
    const late = (name: string): void => stop(new UpstreamError('timeout', `${name}_timeout`));
    const total = timeouts.total === null ? null : setTimeout(() => late('total'), timeouts.total);
    const gone = (): void => stop(new UpstreamError('reset', 'client_gone'));
    signal.addEventListener('abort', gone, { once: true });
    sent.on('close', () => {
      if (total !== null) clearTimeout(total);
      signal.removeEventListener('abort', gone);
      free();
      if (reply === null) reject(new UpstreamError('reset', 'closed'));
    });
    sent.on('error', reject);
    sent.setTimeout(timeouts.firstByte ?? 0, () => late(reply === null ? 'first_byte' : 'idle'));
    sent.on('response', (message) => {
      reply = message;
      sent.setTimeout(timeouts.idle ?? 0);
      resolve({
        status: message.statusCode ?? 502,
        ...(message.statusMessage === undefined ? {} : { statusText: message.statusMessage }),
        headers: headerPairs(message.rawHeaders),
        body: message,
      });
    });
    if (signal.aborted) gone();
    else if (request.body.pushTo === undefined) void pull(request, sent);
    else request.body.pushTo(sent);
  });

const pull = async (request: OutgoingRequest, sent: ClientRequest): Promise<void> => {
  try {
    for await (const chunk of request.body) sent.write(chunk);
    sent.end();
  } catch (e) {
    sent.destroy(e instanceof Error ? e : new Error(String(e)));
  }
};
