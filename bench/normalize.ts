import { execFileSync } from 'node:child_process';
import type { CallRecord } from '../src/recording/schema.ts';
import { normalizeCallStream } from '../src/trajectory/normalize.ts';
import { fromReferenceLog } from '../src/trajectory/reference-log.ts';
import type { Normalized } from '../src/trajectory/schema.ts';

/*
 * How time and memory of normalization grow with the number of calls: sessions of 100 to 800 calls, 4 KB a turn, 20 KB of system prompt
 * and tools; from our own log (bodies with deltas) and from the reference's (every request whole). Prints ratios and slopes only;
 * exits with 1 when a limit is broken. `npm run bench:normalize`
 */

const SIZES = [100, 200, 400, 800];
const TURN_BYTES = 4_000;
const REFERENCE_CALLS = 400;
const LIMITS = { slope: 1.15, parse: 3, megabytes: 300 };

const filler = (seed: number, length: number): string => {
  const words: string[] = [];
  for (let i = 0; words.length * 9 < length; i++)
    words.push(((seed * 7919 + i * 104_729) % 89_999_999).toString(36).padStart(8, 'x'));
  return words.join(' ').slice(0, length);
};

const TOOLS = Array.from({ length: 10 }, (_, i) => ({
  name: `tool${i}`,
  description: filler(i, 900),
  input_schema: {
    type: 'object',
    properties: { path: { type: 'string', description: filler(i, 100) } },
    additionalProperties: false,
  },
}));
const SYSTEM = filler(1, 10_000);

/** Messages of turn `i` as JSON text: what the model said and what the tool answered. */
const turnText = (i: number): string =>
  [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: `Step ${i}. ${filler(i, 500)}` },
        { type: 'tool_use', id: `t${i}`, name: 'tool1', input: { path: `f${i}.ts` } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: filler(i + 1_000_000, TURN_BYTES - 600) }],
    },
  ]
    .map((message) => JSON.stringify(message))
    .join(',');

const replyText = (i: number): string =>
  JSON.stringify({
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text: `Step ${i}. ${filler(i, 500)}` },
      { type: 'tool_use', id: `t${i}`, name: 'tool1', input: { path: `f${i}.ts` } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 1, output_tokens: 1 },
  });

const HEAD = '{"model":"m","messages":[{"role":"user","content":"Do it"}';
const tailText = (i: number, changing: boolean): string =>
  `],"system":[{"type":"text","text":${JSON.stringify(changing ? `${SYSTEM} ${i}` : SYSTEM)}}],"tools":${JSON.stringify(TOOLS)},"max_tokens":9}`;

const record = (id: number, body: CallRecord['request']['body'], reply: Uint8Array): CallRecord => ({
  id,
  attempt: 'a',
  session: null,
  origin: 'wire',
  protocol: 'anthropic',
  request: { at: id, method: 'POST', path: '/v1/messages', headers: [], body },
  response: {
    at: id,
    status: 200,
    headers: [],
    body: { length: reply.length, bytes: () => reply, delta: null },
    chunks: [],
  },
  end: 'complete',
  upstream: null,
  redactions: 0,
});

/** Calls as our own log gives them: what is new, and how much of the call before stays. */
async function* ownLog(calls: number, changing: boolean): AsyncGenerator<CallRecord> {
  let shared = Buffer.byteLength(HEAD);
  const tail = (i: number): Buffer => Buffer.from(tailText(i, changing));
  const whole = Buffer.concat([Buffer.from(HEAD), tail(0)]);
  yield record(0, { length: whole.length, bytes: () => whole, delta: null }, Buffer.from(replyText(0)));
  for (let i = 1; i < calls; i++) {
    const suffix = changing
      ? Buffer.byteLength(tailText(i, true)) -
        Buffer.byteLength('],"system":[{"type":"text","text":"') -
        SYSTEM.length -
        String(i).length -
        1
      : tail(i).length;
    const middle = Buffer.concat([
      Buffer.from(`,${turnText(i - 1)}`),
      changing ? tail(i).subarray(0, tail(i).length - suffix) : Buffer.alloc(0),
    ]);
    const length = shared + middle.length + suffix;
    const bytes = (): never => {
      throw new Error('a body that says what is new was read whole');
    };
    yield record(i, { length, bytes, delta: { of: i - 1, prefix: shared, suffix, middle } }, Buffer.from(replyText(i)));
    shared += Buffer.byteLength(`,${turnText(i - 1)}`);
  }
}

/** Lines as the reference toolkit logs them; the time they take to make is not counted. */
class ReferenceLines {
  ms = 0;
  readonly #calls: number;
  constructor(calls: number) {
    this.#calls = calls;
  }
  *[Symbol.iterator](): Generator<string> {
    let messages = HEAD;
    const tail = tailText(0, false);
    for (let i = 0; i < this.#calls; i++) {
      const start = cpu();
      if (i > 0) messages += `,${turnText(i - 1)}`;
      const line = Buffer.from(
        `{"session_id":"s","biz_id":"","request_time":${i},"request_body":${messages}${tail},"response_body":${replyText(i)}}`,
      ).toString('utf8');
      this.ms += cpu() - start;
      yield line;
    }
  }
}

const turnsIn = (normalized: Normalized): number =>
  normalized.trajectories.flatMap((t) =>
    t.threads.flatMap((x) => x.segments.flatMap((s) => s.messages.filter((m) => m.turn !== null))),
  ).length;

/** Slope of y over x on logarithmic scales, by least squares. */
const slope = (points: readonly (readonly [number, number])[]): number => {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const mean = (k: 0 | 1): number => logs.reduce((sum, p) => sum + p[k], 0) / logs.length;
  const [mx, my] = [mean(0), mean(1)];
  return logs.reduce((s, [x, y]) => s + (x - mx) * (y - my), 0) / logs.reduce((s, [x]) => s + (x - mx) ** 2, 0);
};

/** Processor time of this process in ms: the machine may be busy with other things. */
const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Memory in use once all garbage is gone (needs --expose-gc). */
const held = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((done) => setTimeout(done, 20));
  }
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
};

const normalize = (records: readonly CallRecord[]): Promise<Normalized> =>
  normalizeCallStream(
    (async function* () {
      yield* records;
    })(),
  );

const timeOf = async (records: readonly CallRecord[]): Promise<number> => {
  const start = cpu();
  const normalized = await normalize(records);
  const ms = cpu() - start;
  if (turnsIn(normalized) !== records.length)
    throw new Error(`${turnsIn(normalized)} turns of ${records.length} calls`);
  return ms;
};

const memoryOf = async (records: readonly CallRecord[]): Promise<number> => {
  const before = await held();
  const normalized = await normalize(records);
  const bytes = (await held()) - before;
  return turnsIn(normalized) === records.length ? bytes : Number.NaN;
};

/** Best time of some runs in ms, and the memory that the result holds in bytes. */
const measure = async (calls: number, changing: boolean): Promise<{ ms: number; bytes: number }> => {
  const records = await Array.fromAsync(ownLog(calls, changing));
  const times = [];
  for (let run = 0; run < 5; run++) times.push(await timeOf(records));
  return { ms: Math.min(...times), bytes: await memoryOf(records) };
};

const growth = async (changing: boolean): Promise<{ time: number; memory: number }> => {
  await measure(200, changing);
  const points = [];
  for (const calls of SIZES) points.push({ calls, ...(await measure(calls, changing)) });
  return {
    time: slope(points.map((p) => [p.calls, p.ms])),
    memory: slope(points.map((p) => [p.calls, p.bytes])),
  };
};

/** Time of the reference log against JSON.parse of the same lines; making the lines is not counted. */
const againstParse = async (calls: number): Promise<number> => {
  const lines = new ReferenceLines(calls);
  const start = cpu();
  let keys = 0;
  for (const line of lines) keys += Object.keys(JSON.parse(line) as object).length;
  const parse = cpu() - start - lines.ms;
  const again = new ReferenceLines(calls);
  const second = cpu();
  const normalized = await normalizeCallStream(fromReferenceLog(again));
  const ms = cpu() - second - again.ms;
  if (turnsIn(normalized) !== calls || keys !== calls * 5) throw new Error('not what was logged');
  return ms / parse;
};

/** Largest resident memory of a process that normalizes the reference log of a session, in MB. */
const residentMegabytes = (calls: number): number =>
  Number(execFileSync(process.execPath, [import.meta.filename, 'memory', String(calls)], { encoding: 'utf8' }));

const [mode, argument] = process.argv.slice(2);
if (mode === 'memory') {
  const normalized = await normalizeCallStream(fromReferenceLog(new ReferenceLines(Number(argument))));
  if (turnsIn(normalized) !== Number(argument)) throw new Error('not what was logged');
  console.log(process.resourceUsage().maxRSS / 1024);
} else {
  const own = await growth(false);
  const changing = await growth(true);
  const parse = await againstParse(REFERENCE_CALLS);
  const memory = residentMegabytes(REFERENCE_CALLS);
  const rows: [string, number, number][] = [
    ['own log, slope of time', own.time, LIMITS.slope],
    ['own log, slope of memory', own.memory, LIMITS.slope],
    ['system prompt that changes, slope of time', changing.time, LIMITS.slope],
    ['system prompt that changes, slope of memory', changing.memory, LIMITS.slope],
    [`reference log of ${REFERENCE_CALLS} calls, time against JSON.parse`, parse, LIMITS.parse],
    [`reference log of ${REFERENCE_CALLS} calls, memory against ${LIMITS.megabytes} MB`, memory / LIMITS.megabytes, 1],
  ];
  for (const [name, value, limit] of rows)
    console.log(`${value <= limit ? 'ok  ' : 'OVER'} ${name}: ${value.toFixed(2)} (limit ${limit})`);
  process.exitCode = rows.every(([, value, limit]) => value <= limit) ? 0 : 1;
}
