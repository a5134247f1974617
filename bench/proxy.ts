// The recording proxy against a bare pipe, both in the same run, interleaved: `npm run bench:proxy [-- --ci] [--rounds N]`.
// Gates: bench/README.md. With --ci, fewer rounds and twice the slack; the exit code says whether a gate was missed.
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { body, load, requestBytes, type Shape } from './load.ts';

const ci = process.argv.includes('--ci');
const flag = process.argv.indexOf('--rounds');
const rounds = flag < 0 ? (ci ? 4 : 8) : Number(process.argv[flag + 1]);
const folder = mkdtempSync(join(tmpdir(), 'octobench-bench-'));
const KB = 1024;

interface Peer {
  name: string;
  child: ChildProcess;
  url: string;
  token: string;
}

const children: ChildProcess[] = [];
const ask = <T>(child: ChildProcess, message?: string): Promise<T> =>
  new Promise((resolve, reject) => {
    const answered = (answer: unknown): void => {
      child.off('exit', ended);
      resolve(answer as T);
    };
    const ended = (): void => {
      child.off('message', answered);
      reject(new Error('a process of the bench ended early'));
    };
    child.once('message', answered);
    child.once('exit', ended);
    if (message !== undefined) child.send(message);
  });

const PIN = 'taskset';
/** Load and mock share one core, the target has the other, where there is a way to say so. */
const pin = (pid: number, core: number): void => {
  if (cpus().length < 2) return;
  try {
    execFileSync(PIN, ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
  } catch {
    // Not Linux, or not allowed: the figures are noisier.
  }
};

const start = async (name: string, role: string, core: number, ...args: string[]): Promise<Peer> => {
  const child = fork(new URL('peers.ts', import.meta.url), [role, ...args]);
  children.push(child);
  pin(child.pid as number, core);
  return { name, child, ...(await ask<{ url: string; token: string }>(child)) };
};

const quantile = (values: readonly number[], q: number): number => {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
};
const median = (values: readonly number[]): number => quantile(values, 0.5);

interface Figures {
  firstByte: number[];
  perSecond: number[];
  cpu: number[];
  events: number[];
  bad: number;
}

const cpuOf = async (peer: Peer): Promise<number> => {
  const { cpu } = await ask<{ cpu: NodeJS.CpuUsage }>(peer.child, 'usage');
  return (cpu.user + cpu.system) / 1000;
};
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let round = 0;
const measure = async (
  peers: readonly Peer[],
  shape: Shape,
  options: { concurrency: number; count: number; stamps?: boolean },
): Promise<Map<Peer, Figures>> => {
  // The target's JIT and its kept connections settle first.
  for (const peer of peers) {
    const warm = Array.from({ length: 60 }, () => requestBytes(peer.url, peer.token, body(shapeOf(60), round++)));
    await load(peer.url, warm, { concurrency: 8 });
  }
  const all = new Map(
    peers.map((p): [Peer, Figures] => [p, { firstByte: [], perSecond: [], cpu: [], events: [], bad: 0 }]),
  );
  for (let k = -1; k < rounds; k++) {
    for (const [peer, figures] of all) {
      const bodies = Array.from({ length: options.count }, () =>
        requestBytes(peer.url, peer.token, body(shape, round++)),
      );
      const before = await cpuOf(peer);
      const { seconds, samples } = await load(peer.url, bodies, options);
      await pause(30);
      const cpu = (await cpuOf(peer)) - before;
      if (k < 0) continue; // warm up
      const good = samples.filter((s) => s.ok);
      figures.bad += samples.length - good.length;
      figures.firstByte.push(median(good.map((s) => s.firstByte)));
      figures.perSecond.push(good.length / seconds);
      figures.cpu.push(cpu / good.length);
      figures.events.push(median(good.flatMap((s) => s.events)));
    }
  }
  return all;
};

interface Row {
  what: string;
  pipe: string;
  proxy: string;
  figure: number;
  noise: number;
  gate: number;
  unit: string;
  /** The figure must be at least the gate. */
  atLeast?: true;
}
const rows: Row[] = [];

/** Compares round by round, so that what else the machine did falls on both; the second pipe shows the noise. */
const compare = (
  [pipe, proxy, again]: readonly [Figures, Figures, Figures],
  row: { what: string; gate: number; unit: string; atLeast?: true },
  pick: (f: Figures) => number[],
  relate: (a: number, b: number) => number,
): void => {
  const related = (f: Figures): number => median(pick(f).map((x, i) => relate(x, pick(pipe)[i] as number)));
  const show = (f: Figures): string => median(pick(f)).toFixed(2);
  rows.push({ ...row, pipe: show(pipe), proxy: show(proxy), figure: related(proxy), noise: related(again) });
};

const scenario = async (
  peers: readonly [Peer, Peer, Peer],
  shape: Shape,
  options: { concurrency: number; count: number; stamps?: boolean },
): Promise<readonly [Figures, Figures, Figures]> => {
  const all = await measure(peers, shape, options);
  const figures = peers.map((p) => all.get(p) as Figures);
  for (const [i, f] of figures.entries()) if (f.bad > 0) throw new Error(`${f.bad} calls failed at ${peers[i]?.name}`);
  return figures as unknown as readonly [Figures, Figures, Figures];
};

const times = (a: number, b: number): number => a / b;
const more = (a: number, b: number): number => a - b;
const shapeOf = (kb: number, delay = 0): Shape => ({ bytes: kb * KB, events: 200, delay });

const speed = async (peers: readonly [Peer, Peer, Peer]): Promise<void> => {
  for (const [kb, name, gate, cpuGate] of [
    [200, '200 KB', 0.5, 1.2],
    [1024, '1 MB', 1, 1.5],
  ] as const) {
    const alone = await scenario(peers, shapeOf(kb), { concurrency: 1, count: kb === 200 ? 16 : 8 });
    compare(alone, { what: `first byte, ${name}, 1 at a time`, gate, unit: 'ms more' }, (f) => f.firstByte, more);
    const busy = await scenario(peers, shapeOf(kb), { concurrency: 8, count: kb === 200 ? 48 : 24 });
    compare(busy, { what: `CPU a call, ${name}, 8 at a time`, gate: cpuGate, unit: 'times' }, (f) => f.cpu, times);
    const rate = { what: `calls a second, ${name}, 8 at a time`, gate: 0.85, unit: 'times', atLeast: true } as const;
    compare(busy, rate, (f) => f.perSecond, times);
  }
  const events = await scenario(peers, shapeOf(200, 5), { concurrency: 1, count: 1, stamps: true });
  compare(events, { what: 'a streamed event, p50', gate: 0.05, unit: 'ms more' }, (f) => f.events, more);
};

/** Peak memory of a fresh proxy with 32 bodies of 1 MB in flight. */
const memory = async (mock: Peer): Promise<void> => {
  const proxy = await start('proxy', 'proxy', 1, mock.url, join(folder, 'memory'));
  const shape = shapeOf(1024, 5);
  await load(
    proxy.url,
    Array.from({ length: 64 }, () => requestBytes(proxy.url, proxy.token, body(shape, round++))),
    { concurrency: 32 },
  );
  const { rss } = await ask<{ rss: number }>(proxy.child, 'usage');
  const figure = rss / 1024;
  rows.push({
    what: 'memory, 32 bodies of 1 MB in flight',
    pipe: '-',
    proxy: '-',
    figure,
    noise: 0,
    gate: 200,
    unit: 'MB',
  });
  proxy.child.send('end');
};

/** A session that grows from 60 KB to 860 KB a request: what is left of it on disk. */
const disk = async (mock: Peer): Promise<void> => {
  const log = join(folder, 'disk', 'calls.jsonl');
  const proxy = await start('proxy', 'proxy', 1, mock.url, join(folder, 'disk'));
  const bodies = Array.from({ length: 100 }, (_, i) => body(shapeOf(60 + i * 8), i));
  const wire = bodies.reduce((n, b) => n + b.length, 0) + 100 * 26 * KB;
  await load(
    proxy.url,
    bodies.map((b) => requestBytes(proxy.url, proxy.token, b)),
    { concurrency: 1 },
  );
  const row = { pipe: (wire / 1e6).toFixed(1), proxy: '-', noise: 0, unit: 'of the wire' };
  const open = statSync(log).size / wire;
  rows.push({ ...row, what: 'disk, open log of 100 growing calls (MB)', figure: open, gate: 1 / 10 });
  await ask(proxy.child, 'seal');
  const sealed = statSync(`${log}.zst`).size / wire;
  rows.push({ ...row, what: 'disk, sealed log (MB)', figure: sealed, gate: 1 / 30 });
  proxy.child.send('end');
};

const missed = (row: Row): boolean => {
  // What the second pipe differs from the first is noise; in CI a gate has twice its slack.
  const one = row.unit === 'times' ? 1 : 0;
  const slack = ci && row.unit !== 'of the wire' ? 2 : 1;
  const noise = Math.abs(row.noise - one);
  const gate = row.unit === 'times' ? 1 + (row.gate - 1) * slack : row.gate * slack;
  const allowed = row.noise === 0 ? 0 : noise;
  return row.atLeast === true ? row.figure < gate - allowed : row.figure > gate + allowed;
};

const print = (): void => {
  const table = rows.map((r) => [
    r.what,
    r.pipe,
    r.proxy,
    `${r.figure.toFixed(r.unit === 'of the wire' ? 4 : 3)} ${r.unit}`,
    r.noise === 0 ? '-' : r.noise.toFixed(3),
    `${r.atLeast ? '≥' : '≤'} ${r.gate.toFixed(3)}`,
    missed(r) ? 'MISSED' : 'holds',
  ]);
  const all = [['', 'pipe', 'proxy', 'difference', 'pipe again', 'gate', ''], ...table];
  const widths = all[0]?.map((_, i) => Math.max(...all.map((r) => r[i]?.length ?? 0))) ?? [];
  for (const r of all)
    console.log(
      r
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    );
};

try {
  pin(process.pid, 0);
  const mock = await start('mock', 'mock', 0);
  const pipe = await start('pipe', 'pipe', 1, mock.url);
  const proxy = await start('proxy', 'proxy', 1, mock.url, join(folder, 'speed'));
  const again = await start('pipe again', 'pipe', 1, mock.url);
  await speed([pipe, proxy, again]);
  await memory(mock);
  await disk(mock);
  print();
  process.exitCode = rows.some(missed) ? 1 : 0;
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
}
