import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliResult, cli } from '../cli.ts';
import { installFake } from '../fakes/claude-code/install.ts';

const CONFIG = fileURLToPath(new URL('../fixtures/pipeline/experiment.yaml', import.meta.url));
const PRELOAD = new URL('../fakes/kill-at.mjs', import.meta.url).href;
const LONG = process.env.OCTOBENCH_LONG === '1';
// Half of the matrix is enough to be killed in: the long run kills the whole.
const FEWER = LONG ? [] : ['-i', 'notes-greet'];
const POINTS = ['append:7', 'rename:4'];
const MORE_POINTS = [
  'append:0',
  'append:3',
  'append:12',
  'rename:1',
  'rename:2',
  'rename:6',
  'rename:9',
  'rename:14',
  'rename:20',
];
const SEED = Number(process.env.OCTOBENCH_SEED ?? Math.floor(Math.random() * 1e6));

let root = '';
let expected: unknown;
const env = (): Record<string, string> => ({ OCTOBENCH_CACHE: join(root, 'cache') });

/** Everything of a result that must not depend on how often the experiment was killed. */
const outcome = async (dir: string): Promise<unknown> => {
  const result = JSON.parse(await readFile(join(dir, 'result.json'), 'utf8'));
  return {
    models: result.results.models,
    categories: result.results.categories,
    outcomes: result.results.outcomes,
    rollouts: result.rollouts.map((r: Record<string, unknown>) => [r.key, r.outcome, r.reason, r.solved, r.verdicts]),
  };
};

const run = (dir: string, more: { kill?: string; onStart?: (kill: () => void) => void } = {}): Promise<CliResult> =>
  cli(['run', '-c', CONFIG, '-k', '1', '-o', dir, '-q', ...FEWER], options(more));
const resume = (dir: string, more: { kill?: string; onStart?: (kill: () => void) => void } = {}): Promise<CliResult> =>
  cli(['resume', dir, '-q'], options(more));
const options = (more: { kill?: string; onStart?: (kill: () => void) => void }) => ({
  env: {
    ...env(),
    ...(more.kill === undefined ? {} : { OCTOBENCH_TEST_KILL: more.kill, NODE_OPTIONS: `--import ${PRELOAD}` }),
  },
  onStart: (_pid: number, kill: (signal: NodeJS.Signals) => void) => more.onStart?.(() => kill('SIGKILL')),
});

/** No call belongs to two counted attempts: every finished rollout has exactly one, with a sealed log of its own. */
const countedOnce = async (dir: string): Promise<void> => {
  for (const key of await readdir(join(dir, 'rollouts'))) {
    const rollout = JSON.parse(await readFile(join(dir, 'rollouts', key, 'rollout.json'), 'utf8'));
    const counted = rollout.attempts.filter((a: { outcome: string }) => a.outcome === 'finished');
    expect(counted).toHaveLength(1);
    expect(counted[0].attempt).toBe(rollout.counted);
    const files = await readdir(join(dir, 'rollouts', key, `attempt-${rollout.counted}`));
    expect(files).toContain('calls.jsonl.zst');
    const parts = (await readdir(join(dir, 'rollouts', key))).filter((f) => f.endsWith('.part'));
    expect(parts).toEqual([]);
  }
};

const toTheEnd = async (dir: string): Promise<void> => {
  const done = await resume(dir);
  expect(done.stderr).not.toMatch(/fault of octobench/);
  expect(done.code).toBe(0);
  expect(await outcome(dir)).toEqual(expected);
  await countedOnce(dir);
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'octobench-resume-'));
  await installFake(join(root, 'cache'));
  const dir = join(root, 'whole');
  const done = await run(dir);
  expect(done.stderr).toBe('');
  expect(done.code).toBe(0);
  expected = await outcome(dir);
}, 240_000);
afterAll(() => rm(root, { recursive: true, force: true }));

test('uninterrupted: careful follows, careless breaks exactly what its scripts say', () => {
  type Row = [string, string, null, boolean, { check: string; verdict: string }[]];
  const { rollouts } = expected as { rollouts: Row[] };
  const broken = rollouts.map(([, , , , v]) =>
    v
      .filter((x) => x.verdict === 'fail')
      .map((x) => x.check)
      .toSorted(),
  );
  const greet = [[], ['Agents_checked_last', 'Agents_no_shell_read']];
  const both = [...greet, [], ['Agents_no_shell_read', 'UserQuery_no_emoji']];
  const sorted = (lists: string[][]): string[] => lists.map(String).toSorted();
  expect(sorted(broken)).toEqual(sorted(LONG ? both : greet));
  expect(rollouts.every((r) => r[1] === 'finished' && r[3])).toBe(true);
});

describe(`killed with -9 and resumed (seed ${SEED})`, () => {
  test('at random moments', async () => {
    let state = SEED;
    const random = (): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31;
    };
    const dir = join(root, 'random');
    for (let i = 0; i < (LONG ? 20 : 1); i++) {
      const at = 300 + random() * (LONG ? 6000 : 2500);
      const onStart = (kill: () => void): void => void setTimeout(kill, at).unref();
      await (i === 0 ? run(dir, { onStart }) : resume(dir, { onStart }));
    }
    // A kill so early that nothing had been written leaves no experiment to go on with.
    if (!(await readdir(dir).catch((): string[] => [])).includes('experiment.json')) await run(dir);
    else await toTheEnd(dir);
    expect(await outcome(dir)).toEqual(expected);
  }, 600_000);

  test.each(LONG ? [...POINTS, ...MORE_POINTS] : POINTS)(
    'at %s',
    async (kill) => {
      const dir = join(root, kill.replace(':', '-'));
      const killed = await run(dir, { kill });
      expect(killed.code).toBe(null);
      await toTheEnd(dir);
    },
    240_000,
  );
});

test('an experiment in use is not written by a second process', async () => {
  const dir = join(root, 'locked');
  let second: Promise<CliResult> | undefined;
  // The whole matrix, one at a time: it is still at work when the second process comes.
  await cli(['run', '-c', CONFIG, '-k', '3', '-n', '1', '-o', dir, '-q'], {
    env: env(),
    onStart: (_pid, kill) => {
      const look = setInterval(async () => {
        if (second !== undefined || !(await readdir(dir).catch((): string[] => [])).includes('experiment.json')) return;
        clearInterval(look);
        second = resume(dir);
        await second;
        kill('SIGKILL');
      }, 20);
    },
  });
  const refused = await second;
  expect(refused?.stderr).toMatch(/is in use by process \d+/);
  expect(refused?.code).toBe(2);
}, 240_000);
