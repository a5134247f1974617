import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VerdictRow, VerdictValue } from '../judge/schema.ts';
import { score } from './score.ts';

type Word = 'pass' | 'fail' | 'na' | 'unjudged';
const VERDICT: Record<Word, VerdictValue> = {
  pass: 'success',
  fail: 'fail',
  na: 'not_applicable',
  unjudged: 'unscored',
};
const rowsOf = (instances: Record<string, Word[]>, judge = 'j', repeat = 0): VerdictRow[] =>
  Object.entries(instances).flatMap(([instance, words]) =>
    words.map((w, i) => ({ instance, judge, repeat, check: `c${i}`, category: 'SP', verdict: VERDICT[w] })),
  );

const SEVEN: Record<string, Word[]> = {
  I1: ['pass', 'pass', 'pass'],
  I2: ['pass', 'pass', 'fail'],
  I3: ['pass', 'na', 'na'],
  I4: ['na', 'na'],
  I5: [],
  I6: ['pass', 'unjudged'],
  I7: ['unjudged', 'unjudged'],
};

test('N/A and unscored leave both sides; empty sets are no successes', () => {
  const s = score(rowsOf(SEVEN), { instances: Object.keys(SEVEN) });
  expect(s.csrPooled).toBe(7 / 8);
  expect(s.csr).toBeCloseTo(11 / 12, 12);
  expect(s.isr).toBeCloseTo(2 / 3, 12);
  expect(s.counts).toEqual({
    instances: 7,
    excluded: 4,
    checks: 15,
    success: 7,
    fail: 1,
    notApplicable: 4,
    unscored: 3,
  });
  expect(s.coverage).toBeCloseTo(3 / 7, 12);
  expect(s.bounds.isr).toEqual([2 / 5, 4 / 5]);
  expect(s.bounds.csrPooled).toEqual([7 / 11, 10 / 11]);
});

test('without data every figure is null, and JSON holds neither NaN nor a made-up zero', () => {
  for (const s of [
    score([]),
    score(rowsOf({ I4: ['na', 'na'] })),
    score([], { instances: ['a'], judges: ['x', 'y'] }),
  ]) {
    expect([s.isr, s.csr, s.csrPooled, s.isrMajority, s.isrUnanimous, s.std.isr]).toEqual(Array(6).fill(null));
    expect(s.interval.isr).toMatchObject({ value: null, low: null, high: null, method: 'none' });
    const numbers: number[] = [];
    JSON.stringify(s, (_, v) => (typeof v === 'number' ? numbers.push(v) : v));
    expect(numbers.every(Number.isFinite)).toBe(true);
  }
  expect(score([]).coverage).toBeNull();
});

test('a judge that returned one check of three passes nothing', () => {
  const rows = [...rowsOf({ a: ['pass', 'pass', 'pass'] }, 'x'), ...rowsOf({ a: ['pass'] }, 'y')];
  const s = score(rows);
  expect(s.byJudge.x?.isr).toBe(1);
  expect(s.byJudge.y).toMatchObject({ isr: null, csr: 1, coverage: 0 });
  expect(s.counts.unscored).toBe(2);
  expect(s.isrUnanimous).toBeNull();
});

test('majority counts the configured judges, not those who answered', () => {
  const rows = [...rowsOf({ a: ['pass'] }, 'x'), ...rowsOf({ a: ['fail'] }, 'y')];
  expect(score(rows, { judges: ['x', 'y', 'z'] }).isrMajority).toBeNull();
  expect(score([...rows, ...rowsOf({ a: ['pass'] }, 'z')]).isrMajority).toBe(1);
  expect(score([...rows, ...rowsOf({ a: ['na'] }, 'z')]).isrMajority).toBeNull();
});

test("a person's column is shown and enters no mean", () => {
  const person = rowsOf({ a: ['fail'] }, 'ann').map((r) => ({ ...r, by: 'human' as const }));
  const s = score([...rowsOf({ a: ['pass'] }, 'x'), ...person]);
  expect(s.isr).toBe(1);
  expect(s.byJudge.ann?.isr).toBe(0);
  expect(s.counts.checks).toBe(1);
});

test('a cell given twice counts once, and is unscored when the two disagree', () => {
  const row = rowsOf({ a: ['pass'] });
  expect(score([...row, ...row]).counts).toMatchObject({ checks: 1, success: 1 });
  expect(score([...row, ...rowsOf({ a: ['fail'] })]).counts).toMatchObject({ checks: 1, unscored: 1 });
});

test('the same id in two categories is two checks', () => {
  const [row] = rowsOf({ a: ['pass'] });
  const s = score([row as VerdictRow, { ...(row as VerdictRow), category: 'Memory', verdict: 'fail' }]);
  expect(s.counts).toMatchObject({ checks: 2, success: 1, fail: 1, unscored: 0 });
});

test('rollouts that do not count are failing in the lower bound and absent in the upper', () => {
  const s = score(rowsOf({ a: ['pass'], b: ['pass'] }), { notCounted: [{ instance: 'c', repeat: 0 }] });
  expect(s.isr).toBe(1);
  expect(s.bounds.isr).toEqual([2 / 3, 1]);
  expect(s.counts).toMatchObject({ instances: 3, excluded: 1 });
});

test('below ten clusters, and where every instance agrees, the interval is Wilson on instances', () => {
  const few = score(rowsOf({ a: ['pass'], b: ['fail'], c: ['pass'] }));
  expect(few.interval.isr).toMatchObject({ method: 'wilson', n: 3, clusters: 3 });
  const same = score(rowsOf(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`i${i}`, ['pass']]))));
  expect(same.interval.isr.method).toBe('wilson');
  expect(same.interval.isr.low).toBeLessThan(0.8);
});

test('from ten clusters on the interval is cluster-robust, with t of clusters - 1', () => {
  const rows = Array.from({ length: 36 }, (_, i) => ({
    ...(rowsOf({ [`i${i}`]: [i % 3 === 0 || i < 9 ? 'pass' : 'fail'] })[0] as VerdictRow),
    environment: `e${Math.floor(i / 3)}`,
  }));
  const x: number[] = rows.map((r) => (r.verdict === 'success' ? 1 : 0));
  const p = x.reduce((a, b) => a + b, 0) / 36;
  let double = 0;
  for (const [i, a] of rows.entries())
    for (const [k, b] of rows.entries())
      if (a.environment === b.environment) double += ((x[i] ?? 0) - p) * ((x[k] ?? 0) - p);
  const se = Math.sqrt(((12 / 11) * double) / 36 ** 2);
  const t = 2.2009851600916397; // 97.5% point of Student's t with eleven degrees of freedom
  const { low, high, method, clusters } = score(rows).interval.isr;
  expect({ method, clusters }).toEqual({ method: 'cluster_t', clusters: 12 });
  // An end of the interval is the share p0 at which |p - p0| is t standard errors, the error scaled from p to p0.
  for (const end of [low, high]) {
    const p0 = end ?? Number.NaN;
    expect(Math.abs(p - p0)).toBeCloseTo(t * se * Math.sqrt((p0 * (1 - p0)) / (p * (1 - p))), 8);
  }
  expect(low).toBeLessThan(p);
  expect(high).toBeGreaterThan(p);
});

/* The definitions once more, written as loops over sets. */
const words: (VerdictValue | null)[] = ['success', 'fail', 'not_applicable', 'unscored', null];
type Cube = (VerdictValue | null)[][][][]; // [instance][repeat][check][judge]
const avg = (xs: (number | null)[]): number | null => {
  const there = xs.filter((x) => x !== null);
  return there.length === 0 ? null : there.reduce((a, b) => a + b, 0) / there.length;
};
const passes = (votes: (string | null)[]): number | null => {
  const applicable = votes.filter((v) => v !== 'not_applicable');
  if (applicable.length === 0 || applicable.some((v) => v === 'unscored' || v === null)) return null;
  return applicable.every((v) => v === 'success') ? 1 : 0;
};
const shares = (votes: (string | null)[]): number | null =>
  avg(votes.map((v) => (v === 'success' ? 1 : v === 'fail' ? 0 : null)));
const known = (checks: (string | null)[][]): (string | null)[][] =>
  checks.filter((votes) => votes.some((v) => v !== null));
const perJudge = (cube: Cube, figure: (votes: (string | null)[]) => number | null): (number | null)[] =>
  [0, 1, 2].map((j) =>
    avg(cube.map((repeats) => avg(repeats.map((checks) => figure(known(checks).map((v) => v[j] ?? null)))))),
  );

test('every figure equals its definition on random experiments with missing judges and N/A', () => {
  const cube: fc.Arbitrary<Cube> = fc.array(
    fc.array(
      fc.array(fc.array(fc.constantFrom<VerdictValue | null>(...words), { minLength: 3, maxLength: 3 }), {
        maxLength: 3,
      }),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(cube, (c) => {
      const rows = c.flatMap((repeats, i) =>
        repeats.flatMap((checks, repeat) =>
          checks.flatMap((votes, k) =>
            votes.flatMap((verdict, j): VerdictRow[] =>
              verdict === null
                ? []
                : [{ instance: `i${i}`, judge: `j${j}`, repeat, check: `c${k}`, category: 'SP', verdict }],
            ),
          ),
        ),
      );
      const s = score(rows, { judges: ['j0', 'j1', 'j2'] });
      const close = (a: number | null, b: number | null): void =>
        a === null || b === null ? expect(a).toBe(b) : expect(a).toBeCloseTo(b, 10);
      close(s.isr, avg(perJudge(c, passes)));
      close(s.csr, avg(perJudge(c, shares)));
      const majority = (checks: (string | null)[][]): (string | null)[] =>
        checks.map(
          (v) => ['success', 'fail', 'not_applicable'].find((w) => v.filter((x) => x === w).length >= 2) ?? 'unscored',
        );
      close(s.isrMajority, avg(c.map((reps) => avg(reps.map((checks) => passes(majority(known(checks))))))));
      const everyone = (checks: (string | null)[][]): number | null => {
        const each = [0, 1, 2].map((j) => passes(known(checks).map((v) => v[j] ?? null)));
        return each.includes(null) ? null : each.every((x) => x === 1) ? 1 : 0;
      };
      close(s.isrUnanimous, avg(c.map((reps) => avg(reps.map(everyone)))));
      const [low, high] = s.bounds.isr;
      if (s.isr !== null && low !== null && high !== null) expect(low).toBeLessThanOrEqual(high);
    }),
    { numRuns: process.env.OCTOBENCH_LONG === '1' ? 5000 : 200 },
  );
});
