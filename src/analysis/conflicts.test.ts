import { expect, test } from 'vitest';
import { exact } from '../stats/proportion.ts';
import { seeded } from '../stats/random.ts';
import { type ConflictOutcome, conflictRates, type Followed, followedOf } from './conflicts.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';
const outcome = (instance: string, followed: Followed, more: Partial<ConflictOutcome> = {}): ConflictOutcome => ({
  instance,
  model: 'm',
  type: 'UQ vs SP',
  scenario: 'emoji',
  repeat: 0,
  followed,
  ...more,
});

test('A of A and B, with both, neither and unscored beside it', () => {
  const { types } = conflictRates([
    outcome('1', 'a'),
    outcome('2', 'a'),
    outcome('3', 'b'),
    outcome('4', 'both'),
    outcome('5', 'neither'),
    outcome('6', 'unscored'),
  ]);
  expect(types).toEqual([
    {
      model: 'm',
      group: 'UQ vs SP',
      rate: 2 / 3,
      interval: exact(2, 3),
      counts: { a: 2, b: 1, both: 1, neither: 1, unscored: 1 },
    },
  ]);
});

test('nobody took a side: no rate', () => {
  expect(conflictRates([outcome('1', 'neither')]).types[0]).toMatchObject({ rate: null, interval: null });
});

test('identity is a baseline: by scenario, never in the rate of its type', () => {
  const { types, scenarios } = conflictRates([outcome('1', 'a'), outcome('2', 'b', { scenario: 'identity' })]);
  expect(types.map((t) => [t.group, t.rate])).toEqual([['UQ vs SP', 1]]);
  expect(scenarios.map((s) => [s.group, s.rate])).toEqual([
    ['UQ vs SP: emoji', 1],
    ['UQ vs SP: identity', 0],
  ]);
});

test('repeats are no new cases: an instance goes with its majority, a tie is both', () => {
  const repeats = (instance: string, list: Followed[]) => list.map((f, repeat) => outcome(instance, f, { repeat }));
  const { types } = conflictRates([
    ...repeats('1', ['a', 'a', 'b']),
    ...repeats('2', ['a', 'b']),
    ...repeats('3', ['unscored', 'b']),
  ]);
  expect(types[0]?.counts).toEqual({ a: 1, b: 1, both: 1, neither: 0, unscored: 0 });
});

test('the interval covers a built-in rate at least as often as it says', () => {
  const simulations = LONG ? 2000 : 200;
  const random = seeded(5);
  let covered = 0;
  for (let s = 0; s < simulations; s++) {
    const { types } = conflictRates(
      Array.from({ length: 24 }, (_, i) => outcome(String(i), random() < 0.3 ? 'a' : 'b')),
    );
    const interval = types[0]?.interval ?? null;
    if (interval !== null && interval.low <= 0.3 && 0.3 <= interval.high) covered++;
  }
  expect(covered / simulations).toBeGreaterThanOrEqual(LONG ? 0.95 : 0.91);
});

test('whom a rollout followed, from the verdicts on both sides', () => {
  expect(followedOf('success', 'fail')).toBe('a');
  expect(followedOf('not_applicable', 'success')).toBe('b');
  expect(followedOf('success', 'success')).toBe('both');
  expect(followedOf('fail', 'not_applicable')).toBe('neither');
  expect(followedOf('success', 'unscored')).toBe('unscored');
});
