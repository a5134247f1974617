import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cohenKappa, fleissKappa, gwetAc1, krippendorffAlpha, type Ratings, rawAgreement } from './agreement.ts';
import { kendallTau, ranks } from './rank.ts';
import { kaplanMeier, type Lifetime } from './survival.ts';

/* Krippendorff's own example (2011): four observers, twelve units, missing values. */
const OBSERVERS = [
  '1 2 3 3 2 1 4 1 2 . . .',
  '1 2 3 3 2 2 4 1 2 5 . 3',
  '. 3 3 3 2 3 4 2 2 5 1 .',
  '1 2 3 3 2 4 4 1 2 5 1 .',
].map((line) => line.split(' ').map((v) => (v === '.' ? null : v)));
const UNITS: Ratings = Array.from({ length: 12 }, (_, u) => OBSERVERS.map((o) => o[u] ?? null));

test("Krippendorff's published example", () => {
  expect(krippendorffAlpha(UNITS)).toBeCloseTo(0.743, 3);
});

const ratings = fc.array(
  fc.array(fc.constantFrom<string | null>('a', 'b', 'c', null), { minLength: 3, maxLength: 3 }),
  { maxLength: 10 },
);

test('alpha by its definition: observed and expected disagreement over all ordered pairs of values', () => {
  fc.assert(
    fc.property(ratings, (units) => {
      const pairable = units.map((u) => u.filter((v) => v !== null)).filter((u) => u.length >= 2);
      const all = pairable.flat();
      let observed = 0;
      for (const u of pairable)
        for (const [i, a] of u.entries())
          for (const [k, b] of u.entries()) if (i !== k && a !== b) observed += 1 / (u.length - 1) / all.length;
      let expected = 0;
      for (const [i, a] of all.entries())
        for (const [k, b] of all.entries()) if (i !== k && a !== b) expected += 1 / (all.length * (all.length - 1));
      const alpha = krippendorffAlpha(units);
      if (expected === 0) expect(alpha).toBeNull();
      else expect(alpha).toBeCloseTo(1 - observed / expected, 10);
    }),
  );
});

test('at 99% passes raw agreement and AC1 stay high while kappa falls', () => {
  const units: Ratings = [
    ...Array.from({ length: 97 }, () => ['pass', 'pass', 'pass']),
    ['fail', 'pass', 'pass'],
    ['pass', 'fail', 'pass'],
    ['pass', 'pass', 'fail'],
  ];
  expect(rawAgreement(units)).toBeCloseTo(0.98, 6);
  expect(gwetAc1(units, ['pass', 'fail']) ?? 0).toBeGreaterThan(0.97);
  expect(fleissKappa(units) ?? 1).toBeLessThan(0.05);
});

test("Fleiss' published example", () => {
  const table = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
  ];
  const units = table.map((row) => row.flatMap((n, k) => Array<string>(n).fill(String(k))));
  expect(fleissKappa(units)).toBeCloseTo(0.21, 3);
});

test('two raters: Cohen on a worked table, AC1 by its formula', () => {
  const pairs = [
    ...Array(20).fill(['y', 'y']),
    ...Array(5).fill(['y', 'n']),
    ...Array(10).fill(['n', 'y']),
    ...Array(15).fill(['n', 'n']),
  ] as [string, string][];
  expect(cohenKappa(pairs)).toBeCloseTo(0.4, 10);
  const yes = (25 + 30) / 100;
  const chance = 2 * yes * (1 - yes);
  expect(gwetAc1(pairs, ['y', 'n'])).toBeCloseTo((0.7 - chance) / (1 - chance), 10);
});

test('nothing to compare gives null, not a number', () => {
  expect([
    krippendorffAlpha([]),
    gwetAc1([], ['a', 'b']),
    fleissKappa([]),
    cohenKappa([]),
    rawAgreement([['a', null]]),
  ]).toEqual([null, null, null, null, null]);
  expect(fleissKappa([['a', 'a']])).toBeNull();
  expect(cohenKappa([['a', 'a']])).toBeNull();
});

test('ranks share ties, the highest first', () => {
  expect(ranks([0.3, 0.9, 0.3, 0.1])).toEqual([2.5, 1, 2.5, 4]);
});

test("Kendall's tau-b: perfect, reversed, tied by hand", () => {
  expect(kendallTau([1, 2, 3], [10, 20, 30])).toBe(1);
  expect(kendallTau([1, 2, 3], [3, 2, 1])).toBe(-1);
  expect(kendallTau([1, 1, 2], [1, 2, 3])).toBeCloseTo(2 / Math.sqrt(6), 12);
  expect(kendallTau([1, 1], [1, 2])).toBeNull();
});

test('the product-limit curve of a worked example', () => {
  const lives: Lifetime[] = [6, 6, 6, 7, 10, 13, 16, 22, 23].map((time) => ({ time, event: true }));
  const censored: Lifetime[] = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35].map((time) => ({ time, event: false }));
  const curve = kaplanMeier([...lives, ...censored]);
  expect(curve.map((s) => [s.time, s.atRisk, s.events, Number(s.survival.toFixed(3))])).toEqual([
    [6, 21, 3, 0.857],
    [7, 17, 1, 0.807],
    [10, 15, 1, 0.753],
    [13, 12, 1, 0.69],
    [16, 11, 1, 0.627],
    [22, 7, 1, 0.538],
    [23, 6, 1, 0.448],
  ]);
  for (const s of curve) expect(s.low).toBeLessThan(s.survival);
  for (const s of curve) expect(s.high).toBeGreaterThan(s.survival);
});

test('without censoring survival is the share still alive', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 }), (times) => {
      for (const step of kaplanMeier(times.map((time) => ({ time, event: true })))) {
        expect(step.survival).toBeCloseTo(times.filter((t) => t > step.time).length / times.length, 10);
        expect(step.hazard).toBeCloseTo(
          times.filter((t) => t === step.time).length / times.filter((t) => t >= step.time).length,
          10,
        );
      }
    }),
  );
});
