import fc from 'fast-check';
import { expect, test } from 'vitest';
import { betaCdf, logGamma } from './beta.ts';
import { clusterStandardError } from './cluster.ts';
import { mean, sampleStd } from './mean.ts';
import { benjaminiHochberg, holm } from './multiple.ts';
import { exact, wilson } from './proportion.ts';
import { normalQuantile, sampleQuantile, tQuantile } from './quantile.ts';
import { pick, seeded } from './random.ts';

const runs = (few: number): { numRuns: number } => ({ numRuns: process.env.OCTOBENCH_LONG === '1' ? few * 20 : few });

test("Student's t at published table values (0.95, 0.975, 0.995)", () => {
  const table: [number, number, number, number][] = [
    [1, 6.314, 12.706, 63.657],
    [2, 2.92, 4.303, 9.925],
    [5, 2.015, 2.571, 4.032],
    [9, 1.833, 2.262, 3.25],
    [10, 1.812, 2.228, 3.169],
    [30, 1.697, 2.042, 2.75],
    [33, 1.692, 2.035, 2.733],
    [120, 1.658, 1.98, 2.617],
  ];
  for (const [df, a, b, c] of table) {
    expect([0.95, 0.975, 0.995].map((p) => Number(tQuantile(p, df).toFixed(3)))).toEqual([a, b, c]);
    expect(tQuantile(0.025, df)).toBeCloseTo(-tQuantile(0.975, df), 10);
  }
  expect(tQuantile(0.5, 7)).toBe(0);
});

test('normal quantiles at table values; t tends to them', () => {
  expect(normalQuantile(0.975)).toBeCloseTo(1.959963985, 8);
  expect(normalQuantile(0.995)).toBeCloseTo(2.575829304, 8);
  expect(normalQuantile(0.01)).toBeCloseTo(-2.326347874, 8);
  expect(normalQuantile(0.5)).toBe(0);
  expect(tQuantile(0.975, 1e6)).toBeCloseTo(1.95996, 4);
});

test('gamma and beta functions against factorials and binomial sums', () => {
  for (let n = 1, f = 1; n < 20; f *= n++) expect(logGamma(n)).toBeCloseTo(Math.log(f), 10);
  expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12);
  const choose = (n: number, k: number): number => Math.exp(logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 29 }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      (n, at, p) => {
        const k = Math.min(at, n - 1);
        let tail = 0;
        for (let i = k + 1; i <= n; i++) tail += choose(n, i) * p ** i * (1 - p) ** (n - i);
        expect(betaCdf(p, k + 1, n - k)).toBeCloseTo(tail, 9);
      },
    ),
    runs(100),
  );
});

test('Wilson and exact intervals at published values', () => {
  const w = wilson(0.1, 100);
  expect([w.low, w.high].map((x) => Number(x.toFixed(4)))).toEqual([0.0552, 0.1744]);
  const zero = wilson(0, 10);
  expect([zero.low, Number(zero.high.toFixed(4))]).toEqual([0, 0.2775]);
  const e = exact(1, 10);
  expect([e.low, e.high].map((x) => Number(x.toFixed(4)))).toEqual([0.0025, 0.445]);
  expect(exact(0, 10).low).toBe(0);
  expect(exact(0, 10).high).toBeCloseTo(1 - 0.025 ** (1 / 10), 10);
  expect(exact(10, 10).high).toBe(1);
  const paper = wilson(0.281, 217);
  expect([paper.low, paper.high].map((x) => Number((100 * x).toFixed(1)))).toEqual([22.5, 34.4]);
});

test('the ends of an exact interval are where the tails are 2.5%', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 59 }), (n, at) => {
      const k = Math.min(at, n - 1);
      const { low, high } = exact(k, n);
      expect(betaCdf(low, k, n - k + 1)).toBeCloseTo(0.025, 9);
      expect(1 - betaCdf(high, k + 1, n - k)).toBeCloseTo(0.025, 9);
    }),
    runs(50),
  );
});

test('mean and sample standard deviation; null without data', () => {
  expect([mean([]), sampleStd([]), sampleStd([3])]).toEqual([null, null, null]);
  expect(sampleStd([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
});

test('the clustered standard error is its defining double sum', () => {
  const units = fc.array(fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom('a', 'b', 'c', 'd')), {
    minLength: 2,
    maxLength: 20,
  });
  fc.assert(
    fc.property(units, (list) => {
      const groups = new Set(list.map(([, c]) => c)).size;
      let double = 0;
      for (const [u, c] of list) for (const [v, d] of list) if (c === d) double += u * v;
      const se = clusterStandardError(
        list.map(([u]) => u),
        list.map(([, c]) => c),
      );
      if (groups < 2) expect(se).toBeNull();
      else expect((se ?? Number.NaN) ** 2).toBeCloseTo((double * groups) / (groups - 1), 10);
    }),
    runs(200),
  );
});

test('with one unit a cluster it is the ordinary standard error of a mean', () => {
  const x = [1, 0, 0, 1, 1, 0, 1, 1];
  const m = mean(x) ?? 0;
  const se = clusterStandardError(
    x.map((v) => (v - m) / x.length),
    x.map((_, i) => String(i)),
  );
  expect(se).toBeCloseTo((sampleStd(x) ?? 0) / Math.sqrt(x.length), 12);
});

test('Holm and Benjamini-Hochberg on a worked example, and by their definitions', () => {
  expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(3)))).toEqual([0.03, 0.06, 0.06, 0.02]);
  expect(benjaminiHochberg([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(3)))).toEqual([
    0.02, 0.04, 0.04, 0.02,
  ]);
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }), (ps) => {
      const rank = (p: number): number => ps.filter((q) => q < p).length;
      const upTo = (p: number): number => ps.filter((q) => q <= p).length;
      for (const [i, p] of ps.entries()) {
        const below = ps.filter((q) => q <= p).map((q) => Math.min(1, q * (ps.length - rank(q))));
        expect(holm(ps)[i]).toBeCloseTo(Math.max(...below), 10);
        const above = ps.filter((q) => q >= p).map((q) => Math.min(1, (q * ps.length) / upTo(q)));
        expect(benjaminiHochberg(ps)[i]).toBeCloseTo(Math.min(...above), 10);
      }
    }),
    runs(100),
  );
});

test('seeded numbers repeat, differ by seed and are even', () => {
  const take = (seed: number | string): number[] => Array.from({ length: 5 }, seeded(seed));
  expect(take(1)).toEqual(take(1));
  expect(take(1)).not.toEqual(take(2));
  expect(take('a')).not.toEqual(take('b'));
  const random = seeded(7);
  const bins = new Array<number>(10).fill(0);
  for (let i = 0; i < 20_000; i++) {
    const bin = pick(random, 10);
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const chiSquare = bins.reduce((s, n) => s + (n - 2000) ** 2 / 2000, 0);
  expect(chiSquare).toBeLessThan(27.9); // 0.1% point at nine degrees of freedom
  expect(take(3).every((x) => x >= 0 && x < 1)).toBe(true);
});

test('sample quantiles interpolate', () => {
  expect([0, 0.25, 0.5, 1].map((p) => sampleQuantile([1, 2, 3, 4, 5], p))).toEqual([1, 2, 3, 5]);
  expect(sampleQuantile([1, 2], 0.25)).toBe(1.25);
  expect(sampleQuantile([], 0.5)).toBeNull();
});
