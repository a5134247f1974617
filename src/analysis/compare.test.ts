import { expect, test } from 'vitest';
import { clusterRate } from '../../test/fixtures/metrics/simulate.ts';
import type { VerdictRow } from '../judge/schema.ts';
import { type Random, seeded } from '../stats/random.ts';
import { compareArms, compareSlices } from './compare.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';
const options = { judges: ['j'], seed: 1, draws: 500 };
const row = (instance: string, environment: string, passes: boolean, category = 'SP'): VerdictRow => ({
  instance,
  environment,
  judge: 'j',
  repeat: 0,
  check: `c-${category}`,
  category,
  verdict: passes ? 'success' : 'fail',
});
const arm = (name: string, passes: readonly boolean[], each = 1) => ({
  name,
  rows: passes.map((p, i) => row(`i${i}`, `e${Math.floor(i / each)}`, p)),
});

test('the difference is taken on shared instances only', () => {
  const a = { name: 'a', rows: [row('x', 'e', true), row('y', 'e', true), row('only-a', 'f', false)] };
  const b = { name: 'b', rows: [row('x', 'e', false), row('y', 'e', true), row('only-b', 'f', false)] };
  const [c] = compareArms([a, b], options);
  expect(c?.isr).toMatchObject({ difference: 0.5, instances: 2, clusters: 1 });
});

test('a plain lead of one arm on every environment is more than noise; the p-value is exact', () => {
  const [c] = compareArms([arm('a', Array(10).fill(true)), arm('b', Array(10).fill(false))], options);
  expect(c?.isr).toMatchObject({ difference: 1, p: 2 / 1024, low: 1, high: 1 });
  const [d] = compareArms([arm('a', [true, true]), arm('b', [false, false])], options);
  expect(d?.isr.p).toBe(0.5);
});

test('many instances of one environment are no evidence against chance between environments', () => {
  const [c] = compareArms([arm('a', Array(40).fill(true), 20), arm('b', Array(40).fill(false), 20)], options);
  expect(c?.isr.p).toBe(0.5);
});

test('Holm is applied over pairs, and the same seed gives the same figures', () => {
  const arms = [
    arm('a', Array(8).fill(true)),
    arm('b', Array(8).fill(false)),
    arm('c', [true, false, true, false, true, false, true, false]),
  ];
  const once = compareArms(arms, options);
  expect(once.map((c) => [c.first, c.second])).toEqual([
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'c'],
  ]);
  expect(once[0]?.isr.adjusted).toBeCloseTo(3 * (2 / 256), 12);
  expect(compareArms(arms, options)).toEqual(once);
});

test('where unscored checks could turn the order, the bounds cross', () => {
  const open = (rows: VerdictRow[]): VerdictRow[] =>
    rows.map((r, i) => (i < 3 ? { ...r, verdict: 'unscored' as const } : r));
  const a = arm('a', [true, true, true, true]);
  const b = arm('b', [false, false, false, false]);
  expect(compareArms([a, b], options)[0]?.boundsCross).toBe(false);
  expect(
    compareArms(
      [
        { name: 'a', rows: open(a.rows) },
        { name: 'b', rows: open(b.rows) },
      ],
      options,
    )[0]?.boundsCross,
  ).toBe(true);
});

test('without shared instances there is no figure, and no crash', () => {
  const [c] = compareArms([{ name: 'a', rows: [] }, arm('b', [true])], options);
  expect(c?.isr).toEqual({
    difference: null,
    low: null,
    high: null,
    p: null,
    adjusted: null,
    instances: 0,
    clusters: 0,
    detectable: null,
  });
});

test('slices are compared each on its own, adjusted together', () => {
  const both = (name: string, sp: boolean, memory: boolean) => ({
    name,
    rows: Array.from({ length: 8 }, (_, i) => [
      row(`i${i}`, `e${i}`, sp),
      row(`i${i}`, `e${i}`, memory, 'Memory'),
    ]).flat(),
  });
  const cells = compareSlices([both('a', true, true), both('b', false, true)], (r) => r.category, options);
  expect(cells.map((c) => [c.slice, c.csr.difference])).toEqual([
    ['SP', 1],
    ['Memory', 0],
  ]);
  expect(cells[0]?.csr.adjusted).toBeCloseTo(2 * (2 / 256), 12);
});

/** Two models on the same tasks: environments differ, and the first passes more often by `lead`. */
const experiment = (random: Random, lead: number, clusters = 34, each = 6) => {
  const a: boolean[] = [];
  const b: boolean[] = [];
  for (let g = 0; g < clusters; g++) {
    const rate = 0.1 + 0.6 * clusterRate(random, 0.5, 0.2);
    for (let i = 0; i < each; i++) {
      a.push(random() < rate + lead);
      b.push(random() < rate);
    }
  }
  return [arm('a', a, each), arm('b', b, each)];
};

test('the interval of a difference covers what was built in', () => {
  const random = seeded(17);
  const simulations = LONG ? 400 : 40;
  let covered = 0;
  for (let s = 0; s < simulations; s++) {
    const [c] = compareArms(experiment(random, 0.2), { ...options, draws: LONG ? 1000 : 300 });
    if (c !== undefined && (c.isr.low ?? 1) <= 0.2 && 0.2 <= (c.isr.high ?? 0)) covered++;
  }
  expect(covered / simulations).toBeGreaterThanOrEqual(LONG ? 0.9 : 0.82);
}, 120_000);

test('a difference of the stated smallest size is seen about four times in five, none one time in twenty', () => {
  const random = seeded(23);
  const simulations = LONG ? 400 : 40;
  const detectable = compareArms(experiment(random, 0.15), { ...options, draws: 1 })[0]?.isr.detectable ?? 0;
  const seen = (lead: number): number => {
    let hits = 0;
    for (let s = 0; s < simulations; s++) {
      const [c] = compareArms(experiment(random, lead), { ...options, draws: LONG ? 1000 : 200 });
      if ((c?.isr.p ?? 1) <= 0.05) hits++;
    }
    return hits / simulations;
  };
  expect(detectable).toBeGreaterThan(0.05);
  expect(seen(detectable)).toBeGreaterThan(LONG ? 0.7 : 0.6);
  expect(seen(0)).toBeLessThan(LONG ? 0.08 : 0.16);
}, 120_000);
