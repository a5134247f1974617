import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Problem } from '../core/problem.ts';
import type { CallRecord } from './schema.ts';
import { type CallLog, type LoggedRequest, type LoggedResponse, openLog, readCalls } from './store.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'octobench-log-'));
  path = join(folder, 'calls.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = (body: string | Buffer, more: Partial<LoggedRequest> = {}): LoggedRequest => ({
  method: 'POST',
  path: '/v1/messages',
  protocol: 'anthropic',
  headers: [['content-type', 'application/json']],
  body: [Buffer.from(body)],
  startedAt: Date.now(),
  partial: false,
  ...more,
});
const response = (body: string | Buffer, more: Partial<LoggedResponse> = {}): LoggedResponse => ({
  status: 200,
  headers: [['content-type', 'application/json']],
  body: Buffer.from(body),
  chunks: [[Date.now(), body.length]],
  upstream: 'x/main',
  startedAt: Date.now(),
  end: 'complete',
  ...more,
});
const read = async (from = path): Promise<{ calls: CallRecord[]; problems: Problem[] }> => {
  const problems: Problem[] = [];
  const calls: CallRecord[] = [];
  for await (const call of readCalls(from, { onProblem: (p) => problems.push(p) })) calls.push(call);
  return { calls, problems };
};
const text = (call: CallRecord | undefined): string => Buffer.from(call?.request.body.bytes() ?? []).toString();
const open = (secrets: string[] = []): Promise<CallLog> => openLog(path, { attempt: 'a1', secrets });
const exchange = (log: CallLog, body: string, reply = '{}'): void =>
  log.response(log.request(request(body)), response(reply));

test('what was written is read, open and sealed, with and without a suffix', async () => {
  const log = await open();
  exchange(log, '{"model":"m","n":1}', 'é€👩‍💻');
  exchange(log, '{"model":"m","n":2}');
  const before = await read();
  await log.seal();
  expect(existsSync(path)).toBe(false);
  for (const name of [path, `${path}.zst`, join(folder, 'calls')]) {
    const { calls, problems } = await read(name);
    expect(problems).toEqual([]);
    expect(JSON.stringify(calls)).toBe(JSON.stringify(before.calls));
    expect(calls.map((c) => [c.id, c.attempt, text(c), c.end])).toEqual([
      [0, 'a1', '{"model":"m","n":1}', 'complete'],
      [1, 'a1', '{"model":"m","n":2}', 'complete'],
    ]);
    expect(Buffer.from(calls[0]?.response?.body.bytes() ?? []).toString()).toBe('é€👩‍💻');
  }
});

test('a long session keeps only what is new, and every body has its sha256', async () => {
  const log = await open();
  const bodies: string[] = [];
  for (let turn = 0; turn < 60; turn++) {
    for (const thread of ['main', 'agent']) {
      const messages = Array.from({ length: turn + 1 }, (_, i) => ({
        role: i % 2 ? 'assistant' : 'user',
        content: `${thread} ${i} ${createHash('sha256').update(`${thread}${i}`).digest('hex').repeat(4)}`,
        ...(i >= turn - 1 ? { cache_control: { type: 'ephemeral' } } : {}),
      }));
      bodies.push(JSON.stringify({ model: 'm', messages, tools: ['t'.repeat(4000)] }));
      exchange(log, bodies.at(-1) as string);
    }
  }
  const wire = bodies.reduce((n, b) => n + b.length, 0);
  expect(statSync(path).size).toBeLessThan(wire / 6);
  const { calls } = await read();
  const shas = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"t":"req"'))
    .map((line) => (JSON.parse(line) as { b: { sha: string } }).b.sha);
  expect(calls).toHaveLength(120);
  for (const [i, call] of calls.entries()) {
    expect(text(call)).toBe(bodies[i]);
    expect(createHash('sha256').update(call.request.body.bytes()).digest('hex')).toBe(shas[i]);
    expect(call.request.body.delta === null).toBe(i < 2 && i === 0);
  }
  // Out of order and far back, too.
  expect(text(calls[3])).toBe(bodies[3]);
  await log.seal();
});

test('headers are written once while they stay the same', async () => {
  const log = await open();
  for (let i = 0; i < 3; i++) exchange(log, `{"n":${i}}`);
  log.request(request('{}', { headers: [['user-agent', 'other']] }));
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((l) => JSON.parse(l) as { t: string; h: unknown });
  expect(lines.filter((l) => l.t === 'req').map((l) => l.h)).toEqual([
    [['content-type', 'application/json']],
    0,
    0,
    [['user-agent', 'other']],
  ]);
  expect((await read()).calls.map((c) => c.request.headers.length)).toEqual([1, 1, 1, 1]);
  await log.seal();
});

test('secrets are masked before the delta; neither a later request nor the reply lets one through', async () => {
  const secret = 'sk-secret-0123456789';
  const log = await open([secret]);
  const long = 'z'.repeat(500);
  const calls = [
    `{"a":"${long}"}`,
    `{"a":"${long}","k":"${secret}"}`,
    `{"a":"${long}","k":"${secret}","more":1}`,
    `{"a":"${long}","k":"sk-secret-0","more":2}`,
  ];
  for (const body of calls) exchange(log, body, `{"echo":"${secret}"}`);
  // A secret that becomes whole at the seam of old and new bytes.
  exchange(log, `{"a":"${long}","k":"sk-secret-0123456789","more":2}`);
  const raw = readFileSync(path, 'utf8');
  expect(raw).not.toContain(secret);
  const { calls: found } = await read();
  expect(found.map((c) => c.redactions)).toEqual([1, 2, 2, 1, 1]);
  expect(found.map(text)).toEqual(
    [...calls, `{"a":"${long}","k":"${secret}","more":2}`].map((b) => b.replaceAll(secret, '[redacted]**********')),
  );
  for (const call of found) expect(() => JSON.parse(text(call))).not.toThrow();
  await log.seal();
});

test('a compressed reply is kept as it came, and its content can be had', async () => {
  const secret = 'sk-secret-0123456789';
  const log = await open([secret]);
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['content-encoding', 'gzip'],
  ];
  log.response(log.request(request('{}')), response(gzipSync('{"ok":1}'), { headers }));
  log.response(log.request(request('{}')), response(gzipSync(`{"k":"${secret}"}`), { headers }));
  log.response(log.request(request('{}')), response(gzipSync('x'.repeat(5000)).subarray(0, 20), { headers }));
  const { calls } = await read();
  expect(Buffer.from(calls[0]?.response?.body.bytes() ?? [])).toEqual(gzipSync('{"ok":1}'));
  expect(Buffer.from(calls[0]?.response?.body.decoded?.() ?? []).toString()).toBe('{"ok":1}');
  expect(Buffer.from(calls[1]?.response?.body.bytes() ?? []).toString()).toBe('{"k":"[redacted]**********"}');
  expect(calls[1]?.response?.body.decoded).toBeUndefined();
  expect(Buffer.from(calls[2]?.response?.body.decoded?.() ?? []).toString()).toMatch(/^x*$/);
  await log.seal();
});

test('bytes that are no text come back as they were', async () => {
  const log = await open();
  const bodies = [
    Buffer.from([1, 2, 0xff, 0, 10, 13]),
    Buffer.concat([Buffer.from('{"a":"'.padEnd(100, 'q')), Buffer.from([0xc3])]),
  ];
  for (const body of bodies) log.response(log.request(request(body)), response(body));
  const { calls } = await read();
  expect(calls.map((c) => Buffer.from(c.request.body.bytes()))).toEqual(bodies);
  expect(calls.map((c) => Buffer.from(c.response?.body.bytes() ?? []))).toEqual(bodies);
  await log.seal();
});

test('a request without a response is lost; later calls wait for nobody but it', async () => {
  const log = await open();
  log.request(request('{"n":0}'));
  exchange(log, '{"n":1}');
  expect((await read()).calls.map((c) => [c.id, c.end])).toEqual([
    [0, 'lost'],
    [1, 'complete'],
  ]);
  await log.seal();
});

test('one writer a log: a second one is told who holds it, a dead one is no obstacle', async () => {
  const log = await open();
  await expect(open()).rejects.toThrow(/is being written by process/);
  exchange(log, '{}');
  // What a killed process leaves behind: its lock.
  await log.sync();
  writeFileSync(`${path}.lock`, '999999999 12345');
  const next = await open();
  exchange(next, '{"n":1}');
  expect((await read()).calls.map((c) => c.id)).toEqual([0, 1]);
  await next.seal();
  expect(existsSync(`${path}.lock`)).toBe(false);
  await expect(open()).rejects.toThrow(/is sealed/);
});

test('a torn tail costs its own line, is reported with its offset, and appends go on after it', async () => {
  const log = await open();
  for (let i = 0; i < 3; i++) exchange(log, `{"n":${i},"t":"caf\u00e9${'x'.repeat(100)}"}`);
  const size = statSync(path).size;
  const raw = readFileSync(path);
  const lastLine = raw.lastIndexOf(10, raw.length - 2) + 1;
  for (const cut of [1, 2, 30, size - lastLine - 1]) {
    writeFileSync(path, raw);
    truncateSync(path, size - cut);
    const torn = await read();
    expect(torn.calls.map((c) => c.end)).toEqual(['complete', 'complete', cut === 1 ? 'complete' : 'lost']);
    if (cut > 1) expect(torn.problems.map((p) => [p.kind, p.offset])).toEqual([['torn_tail', lastLine]]);
    writeFileSync(`${path}.lock`, '999999999 1');
    const told: Problem[] = [];
    const again = await openLog(path, { attempt: 'a1', secrets: [], onProblem: (p) => told.push(p) });
    exchange(again, '{"after":true}');
    const after = await read();
    expect(after.calls.map((c) => c.id)).toEqual([0, 1, 2, 3]);
    expect(text(after.calls[3])).toBe('{"after":true}');
    expect(after.problems.length).toBeLessThanOrEqual(1);
    expect(told.map((p) => [p.kind, p.offset])).toEqual([['torn_tail', lastLine]]);
  }
});

test('bad lines in the middle cost themselves and what is built on them', async () => {
  const log = await open();
  const body = (i: number): string => `{"n":${i},"t":"${'x'.repeat(200)}"}`;
  for (let i = 0; i < 4; i++) exchange(log, body(i));
  const good = readFileSync(path, 'utf8').split('\n');
  const withLine = async (at: number, line: string): Promise<{ calls: CallRecord[]; problems: Problem[] }> => {
    writeFileSync(path, good.map((l, i) => (i === at ? line : l)).join('\n'));
    return read();
  };
  const req1 = good[3] as string;
  // A fused line: the head of one record and the whole of the next.
  const fused = await withLine(3, req1.slice(0, 40) + req1);
  expect(fused.problems.map((p) => p.kind)).toEqual([
    'bad_line',
    'orphan_response',
    'missing_base',
    'orphan_response',
    'missing_base',
    'orphan_response',
  ]);
  expect(fused.calls.map((c) => c.id)).toEqual([0]);
  const nul = await withLine(4, '\0'.repeat(300));
  expect(nul.problems).toMatchObject([{ kind: 'bad_line', offset: good.slice(0, 4).join('\n').length + 1 }]);
  expect(nul.calls.map((c) => [c.id, c.end])).toEqual([
    [0, 'complete'],
    [1, 'lost'],
    [2, 'complete'],
    [3, 'complete'],
  ]);
  const flipped = await withLine(2, (good[2] as string).replace('"st":200', '"st":500'));
  expect(flipped.problems[0]?.message).toMatch(/check sum/);
  const blank = await withLine(3, `\n\n${req1}\r`);
  expect(blank.problems.every((p) => p.message.includes('check sum') || p.kind !== 'bad_line')).toBe(true);
});

test('a log that is not there is unusable input', async () => {
  await expect(read(join(folder, 'none.jsonl'))).rejects.toMatchObject({ code: 'input' });
});

const CASE = new URL('../../../shared/cases/field/C31-jsonl-torn-tail/', import.meta.url);
test.skipIf(!existsSync(CASE))(
  'the shared torn files: as many bad lines as they have (skipped where ../shared is absent)',
  async () => {
    for (const kind of ['torn', 'fused', 'nul', 'blank-after-torn']) {
      const lines = readFileSync(new URL(`input.${kind}.jsonl`, CASE));
      const log = await open();
      exchange(log, '{"first":1}');
      await log.sync();
      appendFileSync(path, lines);
      const { calls, problems } = await read();
      expect(calls.map((c) => c.end)).toEqual(['complete']);
      // Their records are of another format: each is a problem of its own, and none hides another.
      expect(problems.length).toBeGreaterThan(1);
      for (const problem of problems) expect(problem.offset).toBeGreaterThan(0);
      writeFileSync(`${path}.lock`, '999999999 1');
      rmSync(path);
    }
  },
);
