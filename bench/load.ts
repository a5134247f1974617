// The load: bodies as agents send them, and a client on bare sockets, so that the target is what is measured.
import net from 'node:net';

export interface Shape {
  bytes: number;
  events: number;
  /** Between two events, in ms. */
  delay: number;
}

/** A request body of about `bytes`: a long history that is the same each time, and a last message that is not. */
export const body = (shape: Shape, round: number): Buffer => {
  const model = `mock-e${shape.events}-d${shape.delay}`;
  const tools = Array.from({ length: 16 }, (_, i) => ({
    name: `tool_${i}`,
    description: `Does thing ${i}. `.repeat(20),
    input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  }));
  const messages: unknown[] = [];
  for (let size = 0, i = 0; size < shape.bytes - 16_000; i++) {
    const text = `step ${i}: ${'the quick brown fox "jumps" over a lazy dog\n'.repeat(30 + (i % 40))}`;
    messages.push({ role: i % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] });
    size += text.length + 60;
  }
  messages.push({ role: 'user', content: `now ${round} ${'x'.repeat(round % 700)}` });
  return Buffer.from(JSON.stringify({ model, max_tokens: 1000, stream: true, tools, messages }));
};

/** One HTTP request as bytes. */
export const requestBytes = (url: string, token: string, payload: Buffer): Buffer => {
  const head = [
    'POST /v1/messages?beta=true HTTP/1.1',
    `host: ${new URL(url).host}`,
    'content-type: application/json',
    'anthropic-version: 2023-06-01',
    'user-agent: octobench-bench',
    `x-api-key: ${token}`,
    `content-length: ${payload.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), payload]);
};

export interface Sample {
  ok: boolean;
  /** ms to the first byte of the body, and to its end. */
  firstByte: number;
  total: number;
  /** Events' ms from the upstream's stamp to their arrival. */
  events: number[];
}

const END = Buffer.from('0\r\n\r\n');
const HEAD = Buffer.from('\r\n\r\n');
const STAMP = /t=(\d+)/g;
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** A connection that is kept; one request at a time. Replies must be chunked. */
class Connection {
  readonly #url: URL;
  #socket: net.Socket | null = null;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  send(bytes: Buffer, stamps: boolean): Promise<Sample> {
    const sample: Sample = { ok: false, firstByte: Number.NaN, total: Number.NaN, events: [] };
    return new Promise((resolve) => {
      const socket =
        this.#socket ?? net.connect({ host: this.#url.hostname, port: Number(this.#url.port), noDelay: true });
      this.#socket = socket;
      const started = now();
      let head = Buffer.alloc(0);
      let inBody = false;
      let tail = Buffer.alloc(0);
      const done = (ok: boolean): void => {
        socket.removeAllListeners();
        socket.on('error', () => {});
        if (!ok) {
          socket.destroy();
          this.#socket = null;
        }
        resolve({ ...sample, ok, total: now() - started });
      };
      const take = (chunk: Buffer): void => {
        if (chunk.length === 0) return;
        if (Number.isNaN(sample.firstByte)) sample.firstByte = now() - started;
        if (stamps)
          for (const m of chunk.toString('latin1').matchAll(STAMP)) sample.events.push(now() - Number(m[1]) / 1e6);
        tail = Buffer.concat([tail, chunk.subarray(-5)]).subarray(-5);
        if (tail.equals(END)) done(true);
      };
      socket.on('data', (chunk) => {
        if (inBody) {
          take(chunk);
          return;
        }
        head = Buffer.concat([head, chunk]);
        const at = head.indexOf(HEAD);
        if (at < 0) return;
        inBody = true;
        if (!head.toString('latin1', 0, 12).endsWith('200')) done(false);
        else take(head.subarray(at + 4));
      });
      socket.on('error', () => done(false));
      socket.on('close', () => done(false));
      socket.write(bytes);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }
}

/** `count` requests over `concurrency` connections; seconds it took and what each saw. */
export const load = async (
  url: string,
  bytes: readonly Buffer[],
  options: { concurrency: number; stamps?: boolean },
): Promise<{ seconds: number; samples: Sample[] }> => {
  const started = now();
  const samples: Sample[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: options.concurrency }, async () => {
      const connection = new Connection(url);
      while (next < bytes.length) samples.push(await connection.send(bytes[next++] as Buffer, options.stamps === true));
      connection.close();
    }),
  );
  return { seconds: (now() - started) / 1000, samples };
};
