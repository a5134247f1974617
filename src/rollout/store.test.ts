import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { needsAttempt, type RolloutHeader, rolloutOf } from './commit.ts';
import type { Attempt, Outcome } from './schema.ts';
import {
  attemptPaths,
  beginAttempt,
  callLog,
  findRollout,
  findRollouts,
  readAttempts,
  readRollout,
  reopenRollout,
  rolloutKey,
  writeAttempt,
  writeRollout,
} from './store.ts';

const attempt = (n: number, outcome: Outcome, more: Partial<Attempt> = {}): Attempt => ({
  version: 1,
  attempt: n,
  outcome,
  reason: null,
  message: null,
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  durationMs: 1000,
  scaffoldMs: 900,
  sandbox: 'local',
  steps: [],
  calls: 1,
  tokens: { input: 1, output: 1 },
  cost: null,
  ...more,
});
const header: RolloutHeader = {
  key: 'k',
  instance: 'i',
  instanceDigest: 'd',
  environment: 'e',
  model: 'm',
  variant: 'base',
  repeat: 0,
  workspace: '/w',
  origin: 'run',
  scaffold: { id: 'claude-code', version: '2.0.69', substitutedFor: null, binaryDigest: 'abc' },
};

describe('the files of a rollout', () => {
  let root = '';
  let dir = '';
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'octobench-rollout-'));
    dir = join(root, 'rollouts', 'k-0123456789');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));
  const run = async (outcome: Outcome): Promise<Attempt> => {
    const { attempt: n, paths } = await beginAttempt(dir);
    const done = attempt(n, outcome);
    await writeAttempt(paths, done, { patch: new Uint8Array([0, 255]), log: 'said' });
    return done;
  };

  it('are written attempt by attempt, the rollout last', async () => {
    const first = await run('infra_failed');
    const second = await run('finished');
    expect(await readRollout(dir)).toBeNull();
    expect(await readAttempts(dir)).toEqual([first, second]);
    const rollout = rolloutOf(header, await readAttempts(dir));
    await writeRollout(dir, rollout);
    expect(await readRollout(dir)).toEqual(rollout);
    expect(rollout).toMatchObject({ counted: 1, outcome: 'finished', attempts: [first, second] });
    expect((await readdir(attemptPaths(dir, 1).dir)).sort()).toEqual([
      'attempt.json',
      'scaffold.log',
      'workspace.patch',
    ]);
  });

  it('set aside what a crash left: its number is not used again, its calls are in no attempt', async () => {
    await run('infra_failed');
    const { paths } = await beginAttempt(dir);
    await writeFile(paths.calls, 'torn');
    const next = await beginAttempt(dir);
    expect(next.attempt).toBe(2);
    expect((await readdir(dir)).sort()).toEqual(['attempt-0', 'attempt-1.crashed', 'attempt-2']);
    expect(await callLog(dir, 1)).toBeNull();
    expect((await beginAttempt(dir)).attempt).toBe(3);
  });

  it('find the log sealed or open', async () => {
    const { paths } = await beginAttempt(dir);
    expect(await callLog(dir, 0)).toBeNull();
    await writeFile(paths.calls, '');
    expect(await callLog(dir, 0)).toBe(paths.calls);
    await writeFile(`${paths.calls}.zst`, '');
    expect(await callLog(dir, 0)).toBe(`${paths.calls}.zst`);
  });

  it('open a failed rollout again, never one that counts', async () => {
    for (let i = 0; i < 3; i++) await run('infra_failed');
    expect(needsAttempt(await readAttempts(dir))).toBe(false);
    await writeRollout(dir, rolloutOf(header, await readAttempts(dir)));
    await reopenRollout(dir);
    expect(await readRollout(dir)).toBeNull();
    expect(needsAttempt(await readAttempts(dir))).toBe(true);
    await run('finished');
    await writeRollout(dir, rolloutOf(header, await readAttempts(dir)));
    expect(await readRollout(dir)).toMatchObject({ counted: 3, attempts: [{}, {}, {}, {}] });
    await expect(reopenRollout(dir)).rejects.toThrow(/finished/);
  });

  it('refuse other versions and broken files', async () => {
    await mkdir(dir, { recursive: true });
    for (const text of ['{"version":2}', '{"version":1', '[]']) {
      await writeFile(join(dir, 'rollout.json'), text);
      await expect(readRollout(dir)).rejects.toMatchObject({ code: 'input' });
    }
  });

  it('are found by key or a unique part of it', async () => {
    expect(await findRollouts(join(root, 'none'))).toEqual([]);
    for (const key of ['cart-a-0000000000', 'cart-b-0000000001', 'cart-b-00000000010']) {
      await mkdir(join(root, 'rollouts', key), { recursive: true });
    }
    expect((await findRollouts(root)).map((r) => r.key)).toHaveLength(3);
    expect((await findRollout(root, 'cart-a')).key).toBe('cart-a-0000000000');
    expect((await findRollout(root, 'cart-b-0000000001')).key).toBe('cart-b-0000000001');
    await expect(findRollout(root, 'cart')).rejects.toThrow(/fits 3 rollouts/);
    await expect(findRollout(root, 'dog')).rejects.toThrow(/no rollout/);
  });
});

describe('rolloutKey', () => {
  it('is always hashed, safe as a file name, and another one for other parts', () => {
    const a = rolloutKey(['cart', 'claude-code@2.0.69', 'script/careful', 'base', '0']);
    expect(a).toMatch(/^[a-z0-9][a-z0-9_.-]*-[0-9a-f]{10}$/);
    expect(a.length).toBeLessThanOrEqual(63);
    expect(rolloutKey(['cart', 'claude-code@2.0.69', 'script/careful', 'base', '1'])).not.toBe(a);
    expect(rolloutKey(['a'])).toMatch(/^a-[0-9a-f]{10}$/);
  });
});

describe('attempts', () => {
  it.each<[Outcome[], boolean]>([
    [[], true],
    [['infra_failed'], true],
    [['infra_failed', 'infra_failed'], true],
    [['infra_failed', 'infra_failed', 'infra_failed'], false],
    [['cancelled', 'cancelled', 'cancelled', 'cancelled'], true],
    [['infra_failed', 'cancelled'], true],
    [['finished'], false],
    [['timed_out'], false],
    [['scaffold_failed'], false],
    [['infra_failed', 'limit_reached'], false],
    [['finished', 'cancelled'], false],
  ])('after %j another is due: %s', (outcomes, due) => {
    expect(needsAttempt(outcomes.map((o, i) => attempt(i, o)))).toBe(due);
  });

  it('a rollout is told by the attempt that counts, else by its last', () => {
    const told = (...outcomes: Outcome[]) => {
      const { counted, outcome } = rolloutOf(
        header,
        outcomes.map((o, i) => attempt(i, o)),
      );
      return [counted, outcome];
    };
    expect(told('infra_failed', 'timed_out')).toEqual([1, 'timed_out']);
    expect(told('infra_failed', 'scaffold_failed')).toEqual([null, 'scaffold_failed']);
    expect(told('finished', 'cancelled')).toEqual([0, 'finished']);
    expect(told()).toEqual([null, null]);
  });
});
