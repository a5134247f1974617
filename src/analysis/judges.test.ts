import { expect, test } from 'vitest';
import type { VerdictRow } from '../judge/schema.ts';
import { seeded } from '../stats/random.ts';
import { isrCeiling, judgeAnalysis } from './judges.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';
const options = { judges: ['a', 'b', 'c'], seed: 1, draws: 200 };

/** `rate(judge, model)` is the chance that a check passes by that judge; instances share their difficulty. */
const experiment = (
  seed: number,
  models: readonly string[],
  rate: (judge: string, model: string) => number,
  instances = 60,
  checks = 6,
) => {
  const random = seeded(seed);
  return models.map((name) => ({
    name,
    rows: Array.from({ length: instances }, (_, i) =>
      options.judges.flatMap((judge) =>
        Array.from(
          { length: checks },
          (_x, c): VerdictRow => ({
            instance: `i${i}`,
            environment: `e${i % 15}`,
            judge,
            repeat: 0,
            check: `c${c}`,
            category: 'SP',
            verdict: random() < rate(judge, name) ? 'success' : 'fail',
            by: 'llm',
          }),
        ),
      ),
    ).flat(),
  }));
};

test('each judge ranks by its own ISR; displacement is the largest difference of ranks', () => {
  const arms = experiment(
    1,
    ['x', 'y', 'z'],
    (judge, model) => ({ x: 0.99, y: judge === 'c' ? 0.7 : 0.95, z: judge === 'c' ? 0.95 : 0.7 })[model] ?? 0,
  );
  const found = judgeAnalysis(arms, options, { c: 'k', z: 'k', a: 'lonely' });
  expect(found?.rankings.map((r) => [r.judge, r.ranks.map((x) => x.rank)])).toEqual([
    ['a', [1, 2, 3]],
    ['b', [1, 2, 3]],
    ['c', [1, 3, 2]],
  ]);
  expect(found?.rankings.map((r) => r.ownFamilyRank)).toEqual([null, null, 2]);
  expect(found?.displacement.map((d) => d.ranks)).toEqual([0, 1, 1]);
  expect(found?.agreement.find((g) => g.judges.join() === 'a,b')?.tau).toBe(1);
  expect(found?.agreement.find((g) => g.judges.join() === 'a,c')?.tau).toBeCloseTo(1 / 3, 12);
});

test('interaction sums to nothing over judges and over models', () => {
  const found = judgeAnalysis(
    experiment(2, ['x', 'y'], (judge, model) => (judge === 'a' && model === 'x' ? 0.9 : 0.6)),
    options,
  );
  const of = (judge: string): number =>
    (found?.interaction ?? []).filter((i) => i.judge === judge).reduce((s, i) => s + (i.value ?? 0), 0);
  for (const judge of options.judges) expect(of(judge)).toBeCloseTo(0, 12);
  expect(found?.interaction.find((i) => i.judge === 'a' && i.model === 'x')?.value ?? 0).toBeGreaterThan(0.05);
});

test('programs and single judges give nothing to compare', () => {
  const arms = experiment(3, ['x', 'y'], () => 0.8);
  const programs = arms.map((a) => ({ ...a, rows: a.rows.map((r) => ({ ...r, by: 'program' as const })) }));
  expect(judgeAnalysis(programs, options)).toBeNull();
  expect(judgeAnalysis(arms, { ...options, judges: ['a'] })).toBeNull();
  expect(judgeAnalysis(arms.slice(0, 1), options)).toBeNull();
});

test('a judge that favours its family is found out, and the interval covers by how much', () => {
  const simulations = LONG ? 200 : 15;
  let covered = 0;
  let fair = 0;
  for (let s = 0; s < simulations; s++) {
    const arms = experiment(
      100 + s,
      ['x', 'y', 'z'],
      (judge, model) => 0.7 + (judge === 'a' && model === 'x' ? 0.1 : 0) + (judge === 'b' ? 0.05 : 0),
    );
    const found = judgeAnalysis(arms, { ...options, draws: LONG ? 400 : 100 }, { a: 'k', x: 'k', b: 'm', y: 'm' });
    const [own, other] = found?.selfPreference ?? [];
    if (own !== undefined && (own.low ?? 1) <= 0.1 && 0.1 <= (own.high ?? 0)) covered++;
    // Judge b is lenient to all, and y suffers when a favours x: what it prefers is 0 less the 0.05 that a gives x, over x and z.
    if (other !== undefined && (other.low ?? 1) <= 0.025 && 0.025 <= (other.high ?? 0)) fair++;
  }
  expect(covered / simulations).toBeGreaterThanOrEqual(LONG ? 0.9 : 0.7);
  expect(fair / simulations).toBeGreaterThanOrEqual(LONG ? 0.88 : 0.7);
}, 120_000);

test('what judge error does to ISR: 33 checks and 2% false fails', () => {
  expect(isrCeiling(33, 0.02)).toBeCloseTo(0.98 ** 33, 12);
  expect(Math.round(100 * isrCeiling(33, 0.02))).toBe(51);
  expect(Math.round(100 * isrCeiling(33, 0.02, 3))).toBe(96);
});
