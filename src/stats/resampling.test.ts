import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bootstrapMean, clusterBootstrap } from './bootstrap.ts';
import { mean } from './mean.ts';
import { signFlip } from './paired.ts';
import { seeded } from './random.ts';

test('the bootstrap draws whole clusters, and the same seed gives the same interval', () => {
  const clusters = ['a', 'a', 'b', 'b', 'b', 'c'];
  const seen: number[][] = [];
  const once = clusterBootstrap(
    clusters,
    (units) => {
      seen.push([...units]);
      return mean(units);
    },
    { draws: 200, seed: 5 },
  );
  for (const units of seen) {
    const times = (i: number): number => units.filter((u) => u === i).length;
    expect([times(0), times(2), times(2)]).toEqual([times(1), times(3), times(4)]);
  }
  const again = clusterBootstrap(clusters, (units) => mean(units), { draws: 200, seed: 5 });
  expect([again.low, again.high]).toEqual([once.low, once.high]);
});

test('its spread is the clustered standard error', () => {
  const random = seeded(11);
  const units = Array.from({ length: 300 }, (_, i) => ({ cluster: `g${i % 60}`, x: random() + ((i % 60) % 7) / 7 }));
  const xs = units.map((u) => u.x);
  const boot = clusterBootstrap(
    units.map((u) => u.cluster),
    (drawn) => mean(drawn.map((i) => xs[i] ?? 0)),
    { draws: 2000, seed: 1 },
  );
  const m = mean(xs) ?? 0;
  const byCluster = new Map<string, number>();
  for (const u of units) byCluster.set(u.cluster, (byCluster.get(u.cluster) ?? 0) + (u.x - m) / xs.length);
  const se = Math.sqrt([...byCluster.values()].reduce((s, u) => s + u * u, 0));
  expect(((boot.high ?? 0) - (boot.low ?? 0)) / (2 * 1.96 * se)).toBeCloseTo(1, 1);
});

test('without two clusters, or without values, there is no interval', () => {
  expect(clusterBootstrap(['a', 'a'], () => 1, { draws: 100, seed: 1 })).toMatchObject({ low: null, high: null });
  expect(clusterBootstrap(['a', 'b'], () => null, { draws: 100, seed: 1 })).toMatchObject({ low: null, used: 0 });
});

test('the sign-flip test equals the definition: every pattern of signs over clusters', () => {
  const units = fc.array(fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom('a', 'b', 'c', 'd', 'e')), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(units, (list) => {
      const names = [...new Set(list.map(([, c]) => c))];
      const observed = Math.abs(list.reduce((s, [d]) => s + d, 0));
      let extreme = 0;
      for (let pattern = 0; pattern < 2 ** names.length; pattern++) {
        const flipped = list.reduce((s, [d, c]) => s + ((pattern >> names.indexOf(c)) % 2 === 0 ? d : -d), 0);
        if (Math.abs(flipped) >= observed) extreme++;
      }
      const test = signFlip(
        list.map(([d]) => d),
        list.map(([, c]) => c),
        { draws: 10, seed: 1 },
      );
      expect(test).toEqual({ p: extreme / 2 ** names.length, exact: true, clusters: names.length });
    }),
    { numRuns: 100 },
  );
});

test('drawn patterns agree with all of them', () => {
  const random = seeded(3);
  const differences = Array.from({ length: 14 }, () => random() - 0.35);
  const names = differences.map((_, i) => `g${i}`);
  const all = signFlip(differences, names, { draws: 0, seed: 1 });
  const padded = signFlip([...differences, 0], [...names, 'null'], { draws: 20_000, seed: 1 });
  expect(all?.exact).toBe(true);
  expect(padded?.exact).toBe(false);
  expect(padded?.p ?? 0).toBeCloseTo(all?.p ?? 1, 1.5);
});

test('under the null hypothesis the test rejects at its level', () => {
  const random = seeded(21);
  let rejected = 0;
  const times = process.env.OCTOBENCH_LONG === '1' ? 4000 : 400;
  for (let t = 0; t < times; t++) {
    const differences = Array.from({ length: 24 }, () => Math.sign(random() - 0.5) * (random() < 0.5 ? 1 : 0));
    const p =
      signFlip(
        differences,
        differences.map((_, i) => `g${i % 8}`),
        { draws: 1, seed: 1 },
      )?.p ?? 1;
    if (p <= 0.05) rejected++;
  }
  expect(rejected / times).toBeLessThan(0.08);
});

test('the mean has a short cut that gives the same interval', () => {
  const values = [0.2, 0.9, 0.4, 0.1, 0.7, 0.3];
  const clusters = ['a', 'a', 'b', 'c', 'c', 'c'];
  const slow = clusterBootstrap(clusters, (units) => mean(units.map((i) => values[i] ?? 0)), { draws: 300, seed: 9 });
  const fast = bootstrapMean(values, clusters, { draws: 300, seed: 9 });
  expect(fast.low).toBeCloseTo(slow.low ?? 1, 12);
  expect(fast.high).toBeCloseTo(slow.high ?? 1, 12);
});
