import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { BenchError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import type { Protocol } from '../wire/schema.ts';
import { BaseBudget, Bases } from './bases.ts';
import { encodingsOf } from './encoding.ts';
import { decodeLine, encodeLine, type LogLine } from './lines.ts';
import { LogReader, linesOf } from './reader.ts';
import { prepareSecrets, redactHeaders, redactText } from './redact.ts';
import { Rope } from './rope.ts';
import type { CallEnd, CallRecord } from './schema.ts';
import { storeRequest, storeWhole } from './stored.ts';

const SEALED = '.zst';
/** Recent requests of all open logs of this process, in bytes. */
const budget = new BaseBudget(64 * 1024 * 1024);

/** Options of `openLog`. `onProblem` hears of repairs and of writes that failed. */
export interface LogOptions {
  attempt: string;
  secrets: readonly string[];
  onProblem?: ((problem: Problem) => void) | undefined;
}

/** What the log is told of a request. `sha` = its sha256, if it was taken as the bytes passed. */
export interface LoggedRequest {
  method: string;
  path: string;
  protocol: Protocol | 'other';
  headers: readonly [string, string][];
  /** In the pieces in which it came. */
  body: readonly Buffer[];
  sha?: string;
  /** `Date.now()` of its first byte. */
  startedAt: number;
  partial: boolean;
}

/** What the log is told of a response; `startedAt` and the times of `chunks` are `Date.now()`. */
export interface LoggedResponse {
  status: number | null;
  headers: readonly [string, string][];
  body: Buffer;
  chunks: readonly [at: number, length: number][];
  upstream: string | null;
  startedAt: number;
  end: CallEnd;
  reason?: string;
  renamed?: string;
}

/** The writer of one attempt's log. When a method returns, its line has been handed to the operating system: a killed process loses nothing of it. */
export interface CallLog {
  /** Writes a request; returns the call's id. @throws when the disk refuses */
  request(request: LoggedRequest): number;
  response(call: number, response: LoggedResponse): void;
  /** Everything written so far is on the disk; waits are shared. */
  sync(): Promise<void>;
  /** Syncs, compresses to `calls.jsonl.zst`, removes the open log and the lock. Requests without a response stay `lost`. */
  seal(): Promise<void>;
}

// A process is told from a later one with the same number by when it started.
const processMark = (pid: number): string | null => {
  try {
    process.kill(pid, 0);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === 'ESRCH') return null;
  }
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? ''}`;
  } catch {
    return String(pid);
  }
};

const takeLock = async (path: string): Promise<void> => {
  for (let tries = 0; tries < 3; tries++) {
    try {
      const fd = openSync(path, 'wx');
      writeSync(fd, processMark(process.pid) ?? String(process.pid));
      closeSync(fd);
      return;
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== 'EEXIST') throw e;
    }
    const holder = readFileSync(path, 'utf8');
    const alive = processMark(Number.parseInt(holder, 10));
    if (alive !== null && (alive === holder || holder === '')) {
      throw new BenchError('failed', 'recording', `${path.slice(0, -5)} is being written by process ${holder}`);
    }
    await rm(path, { force: true });
  }
  throw new BenchError('failed', 'recording', `could not lock ${path}`);
};

/** What an existing log says: the next call id, when it was opened, and whether its last line lacks a newline. */
const survey = async (path: string): Promise<{ next: number; wall: number | null; torn: number | null }> => {
  let next = 0;
  let wall: number | null = null;
  let torn: number | null = null;
  for await (const { bytes, offset, ended } of linesOf(createReadStream(path))) {
    const read = decodeLine(bytes);
    if ('line' in read) {
      if (read.line.t === 'open') wall ??= Date.parse(read.line.wall);
      else next = Math.max(next, read.line.c + 1);
    }
    if (!ended) torn = offset;
  }
  return { next, wall, torn };
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/**
 * Opens the call log of an attempt for appending (docs/formats/calls.md). A log that a crash left behind goes on: its torn tail is
 * ended with a newline, so that nothing fuses with it, and ids are continued.
 * @throws BenchError when another writer holds it, or when it is sealed
 */
export const openLog = async (path: string, options: LogOptions): Promise<CallLog> => {
  mkdirSync(dirname(path), { recursive: true });
  if (await exists(path + SEALED)) {
    throw new BenchError('failed', 'recording', `${path}${SEALED} is sealed: an attempt is recorded once`);
  }
  await takeLock(`${path}.lock`);
  const before = (await exists(path)) ? await survey(path) : { next: 0, wall: null, torn: null };
  const fd = openSync(path, 'a', 0o600);
  if (before.torn !== null) {
    writeSync(fd, '\n');
    options.onProblem?.({
      kind: 'torn_tail',
      severity: 'warning',
      message: 'the last line was cut by a crash; it is left as it is and recording goes on after it',
      file: path,
      offset: before.torn,
    });
  }
  const opened = before.wall ?? Date.now();
  const log = new Writer(path, fd, before.next, opened, options);
  if (before.wall === null) {
    log.write({ t: 'open', v: 1, attempt: options.attempt, wall: new Date(opened).toISOString() });
  }
  return log;
};

class Writer implements CallLog {
  readonly #path: string;
  readonly #fd: number;
  readonly #opened: number;
  readonly #secrets: ReturnType<typeof prepareSecrets>;
  readonly #bases = new Bases(budget);
  readonly #redactions = new Map<number, number>();
  #next: number;
  #lastHeaders: { call: number; text: string } | null = null;
  #syncing: Promise<void> | null = null;
  #queued: Promise<void> | null = null;
  #sealed: Promise<void> | null = null;

  constructor(path: string, fd: number, next: number, opened: number, options: LogOptions) {
    this.#path = path;
    this.#fd = fd;
    this.#next = next;
    this.#opened = opened;
    this.#secrets = prepareSecrets(options.secrets);
  }

  #at(time: number): number {
    return Math.max(0, time - this.#opened);
  }

  /** One write a record, the newline included. */
  write(line: LogLine): void {
    const bytes = encodeLine(line);
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#fd, bytes, done);
  }

  request(request: LoggedRequest): number {
    const call = this.#next++;
    const headers = redactHeaders(request.headers, this.#secrets);
    const text = JSON.stringify(headers);
    const shared = this.#lastHeaders?.text === text ? this.#lastHeaders.call : null;
    const facts = {
      encodings: encodingsOf(request.headers),
      pieces: 'whole' as const,
      ...(request.sha === undefined ? {} : { sha: request.sha }),
    };
    const { line, redactions } = storeRequest(call, new Rope(request.body), this.#secrets, facts, this.#bases);
    this.write({
      t: 'req',
      c: call,
      at: this.#at(request.startedAt),
      m: request.method,
      p: redactText(request.path, this.#secrets),
      proto: request.protocol,
      h: shared ?? headers,
      b: line,
      ...(request.partial ? { part: true as const } : {}),
    });
    if (shared === null) this.#lastHeaders = { call, text };
    if (redactions > 0) this.#redactions.set(call, redactions);
    return call;
  }

  response(call: number, response: LoggedResponse): void {
    const type = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const pieces = type.includes('event-stream') ? 'stream' : type.includes('json') ? 'lists' : 'whole';
    const facts = { encodings: encodingsOf(response.headers), pieces } as const;
    const { line, redactions } = storeWhole(response.body, this.#secrets, facts);
    this.write({
      t: 'res',
      c: call,
      at: this.#at(response.startedAt),
      st: response.status,
      h: redactHeaders(response.headers, this.#secrets),
      up: response.upstream,
      b: line,
      cuts: response.chunks.map(([at, length]) => [this.#at(at), length]),
      end: response.end,
      ...(response.reason === undefined ? {} : { why: redactText(response.reason, this.#secrets) }),
      ...(response.renamed === undefined ? {} : { as: response.renamed }),
      redactions: redactions + (this.#redactions.get(call) ?? 0),
    });
    this.#redactions.delete(call);
  }

  #fsync(): Promise<void> {
    return new Promise((resolve, reject) => fsync(this.#fd, (e) => (e === null ? resolve() : reject(e))));
  }

  sync(): Promise<void> {
    // Whoever asks while a sync is under way shares the next one.
    if (this.#queued !== null) return this.#queued;
    const run = (): Promise<void> => {
      this.#queued = null;
      this.#syncing = this.#fsync().finally(() => {
        this.#syncing = null;
      });
      return this.#syncing;
    };
    if (this.#syncing === null) return run();
    this.#queued = this.#syncing.then(run, run);
    return this.#queued;
  }

  seal(): Promise<void> {
    this.#sealed ??= this.#seal();
    return this.#sealed;
  }

  async #seal(): Promise<void> {
    this.#bases.clear();
    await this.sync();
    closeSync(this.#fd);
    await sealLog(this.#path);
    await rm(`${this.#path}.lock`, { force: true });
  }
}

/** Compresses a log to `<path>.zst` and removes it: whole or not at all, at any moment of a crash. */
const sealLog = async (path: string): Promise<void> => {
  const part = `${path}${SEALED}.part`;
  const zstd = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: 9 },
  });
  await pipeline(createReadStream(path), zstd, createWriteStream(part, { mode: 0o600, flush: true }));
  await rename(part, path + SEALED);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  await rm(path);
};

/**
 * Reads a call log, open (`calls.jsonl`) or sealed (`calls.jsonl.zst`); a path without its suffix finds whichever exists. Calls come in
 * the order of their ids. Torn, fused and bad lines, NUL runs and calls that build on them go to `onProblem` with their byte offset
 * (in the text, unpacked); a request without its response is a call with the end `lost`.
 * @throws BenchError('input') when there is no such log
 */
export async function* readCalls(
  path: string,
  options: { onProblem?: (problem: Problem) => void } = {},
): AsyncGenerator<CallRecord> {
  const file = await findLog(path);
  const reader = new LogReader(file, options.onProblem ?? (() => {}));
  for await (const { bytes, offset, ended } of linesOf(openText(file))) {
    reader.add(bytes, offset, ended);
    yield* reader.ready();
  }
  yield* reader.finish();
}

const findLog = async (path: string): Promise<string> => {
  const bare = path.replace(/\.zst$/, '').replace(/\.jsonl$/, '');
  // The open log first: while both exist, a crash came between sealing and removing, and both say the same.
  for (const name of [path, `${bare}.jsonl`, `${bare}.jsonl${SEALED}`]) if (await exists(name)) return name;
  throw new BenchError('input', 'recording', `no call log at ${path} (nor ${bare}.jsonl${SEALED})`);
};

async function* openText(file: string): AsyncGenerator<Uint8Array> {
  const raw = createReadStream(file, { highWaterMark: 1 << 18 });
  if (!file.endsWith(SEALED)) {
    yield* raw;
    return;
  }
  const text = createZstdDecompress();
  raw.on('error', (e) => text.destroy(e)).pipe(text);
  yield* text;
}

/** A running sha256, for bodies that are hashed as they pass. */
export const startHash = (): Hash => createHash('sha256');
