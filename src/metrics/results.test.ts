import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { VerdictRow, VerdictValue } from '../judge/schema.ts';
import { passPower } from './pass-k.ts';
import { experimentResults } from './results.ts';
import { settle } from './rollouts.ts';
import type { ScoredRollout } from './schema.ts';
import { score } from './score.ts';
import { slices } from './slices.ts';
import { solvedFollowed } from './solved.ts';

const LETTERS: Record<string, VerdictValue> = { s: 'success', f: 'fail', n: 'not_applicable', u: 'unscored' };

/** `verdicts`: one word a judge (j0, j1, ...), one letter a check (c0, c1, ...); a dot = no row. */
const run = (more: Partial<ScoredRollout> & { instance: string }, ...verdicts: string[]): ScoredRollout => {
  const base = {
    environment: 'e',
    primaryCategory: 'SP',
    scaffold: 'a',
    model: 'm',
    variant: 'base',
    repeat: 0,
    ...more,
  };
  return {
    key: `${base.instance}~${base.scaffold}~${base.model}~${base.variant}~${base.repeat}`,
    outcome: 'finished',
    counted: true,
    solved: null,
    ...base,
    rows: verdicts.flatMap((word, j) =>
      [...word].flatMap((letter, c): VerdictRow[] =>
        letter === '.'
          ? []
          : [
              {
                instance: base.instance,
                judge: `j${j}`,
                repeat: base.repeat,
                check: `c${c}`,
                category: c % 2 === 0 ? 'SP' : 'Memory',
                checkType: c === 0 ? 'implementation' : 'compliance',
                verdict: LETTERS[letter] ?? 'unscored',
              },
            ],
      ),
    ),
  };
};

test('category figures: instances with an applicable check there; a category nobody has is blank', () => {
  const results = experimentResults([
    run({ instance: 'a' }, 'sf'),
    run({ instance: 'b' }, 'sn'),
    run({ instance: 'c' }, 'fs'),
  ]);
  const of = (category: string) => results.categories.find((s) => s.by.category === category)?.score;
  expect(of('SP')).toMatchObject({ isr: 2 / 3, csr: 2 / 3 });
  expect(of('Memory')).toMatchObject({ isr: 1 / 2, csr: 1 / 2 });
  expect(of('Skill.md')).toBeUndefined();
  expect(experimentResults([run({ instance: 'a' }, 'nn')]).categories.map((s) => s.score.isr)).toEqual([null, null]);
});

test('a rollout that was written twice counts once', () => {
  const a = run({ instance: 'a' }, 's');
  const results = experimentResults([a, a, run({ instance: 'b' }, 'f')]);
  expect(results.models[0]?.score.counts).toMatchObject({ instances: 2, checks: 2 });
  expect(results.outcomes.planned).toBe(2);
});

test('the same instance under two scaffolds is averaged within the instance, never mixed into one rollout', () => {
  const rollouts = [
    run({ instance: 'a', scaffold: 'x' }, 'ss'),
    run({ instance: 'a', scaffold: 'y' }, 'fs'),
    run({ instance: 'b', scaffold: 'x' }, 'ss'),
  ];
  const results = experimentResults(rollouts);
  expect(results.models[0]?.score.isr).toBe(0.75);
  expect(results.scaffolds.map((s) => [s.by.scaffold, s.score.isr])).toEqual([
    ['x', 1],
    ['y', 0],
  ]);
});

test('failed rollouts are counted beside the score and enter the bounds alone', () => {
  const failed: ScoredRollout = { ...run({ instance: 'b' }), outcome: 'infra_failed', counted: false };
  const never: ScoredRollout = { ...run({ instance: 'c' }), outcome: null, counted: false };
  const imported: ScoredRollout = { ...run({ instance: 'd' }, 's'), outcome: null };
  const [model] = experimentResults([run({ instance: 'a' }, 's'), failed, never, imported]).models;
  expect(model?.outcomes).toEqual({
    planned: 4,
    counted: 2,
    imported: 1,
    notRun: 1,
    byOutcome: { finished: 1, infra_failed: 1 },
  });
  expect(model?.score.isr).toBe(1);
  expect(model?.score.bounds.isr).toEqual([0.5, 1]);
  expect(model?.score.coverage).toBe(0.5);
});

test('any cut equals scoring the rows of that cut alone', () => {
  const word = fc.stringMatching(/^[sfnu.]{4}$/);
  const rollout = fc.record({
    instance: fc.constantFrom('a', 'b', 'c'),
    model: fc.constantFrom('m', 'n'),
    scaffold: fc.constantFrom('x', 'y'),
    repeat: fc.nat(1),
    words: fc.tuple(word, word),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(rollout, {
        selector: (r) => JSON.stringify([r.instance, r.model, r.scaffold, r.repeat]),
        maxLength: 10,
      }),
      (list) => {
        const rollouts = list.map(({ words, ...r }) => run(r, ...words));
        for (const slice of slices(settle(rollouts), ['model', 'scaffold', 'category'], ['j0', 'j1'])) {
          const rows = rollouts
            .filter((r) => r.model === slice.by.model && r.scaffold === slice.by.scaffold)
            .flatMap((r) => r.rows.filter((row) => row.category === slice.by.category));
          const alone = score(rows, { judges: ['j0', 'j1'] });
          expect([slice.score.isr, slice.score.csr, slice.score.isrMajority]).toEqual([
            alone.isr,
            alone.csr,
            alone.isrMajority,
          ]);
        }
      },
    ),
    { numRuns: process.env.OCTOBENCH_LONG === '1' ? 2000 : 60 },
  );
});

test('pass^k is the share of sets of k repeats that all pass', () => {
  const repeats = (instance: string, letters: string): ScoredRollout[] =>
    [...letters].map((l, repeat) => run({ instance, repeat }, l));
  const rollouts = [...repeats('a', 'sssf'), ...repeats('b', 'ssss'), ...repeats('c', 'su')];
  const subsets = (n: number, k: number): number[][] =>
    Array.from({ length: 2 ** n }, (_, bits) =>
      Array.from({ length: n }, (_x, i) => i).filter((i) => (bits >> i) & 1),
    ).filter((s) => s.length === k);
  const expected = [1, 2, 3, 4].map((k) => {
    const shares = ['sssf', 'ssss', 's']
      .filter((l) => l.length >= k)
      .map((l) => {
        const sets = subsets(l.length, k);
        return sets.filter((s) => s.every((i) => l[i] === 's')).length / sets.length;
      });
    return { k, value: shares.reduce((a, b) => a + b, 0) / shares.length, instances: shares.length };
  });
  const got = passPower(rollouts, ['j0']);
  expect(got.map((p) => [p.k, p.instances])).toEqual(expected.map((p) => [p.k, p.instances]));
  for (const [i, p] of got.entries()) expect(p.value).toBeCloseTo(expected[i]?.value ?? Number.NaN, 12);
});

test('solved and followed: the command where there is one, else task checks; unknown on one side is left out', () => {
  const rollouts = [
    run({ instance: 'a', solved: true }, 'ff'),
    run({ instance: 'b', solved: false }, 'ss'),
    run({ instance: 'c' }, 'sf'),
    run({ instance: 'd' }, 'ss'),
    run({ instance: 'e' }, 'us'),
    run({ instance: 'f' }, '.s'),
  ];
  expect(solvedFollowed(rollouts, ['j0'])).toEqual({
    rollouts: 4,
    byCommand: 2,
    solved: 0.75,
    followed: 0.5,
    solvedFollowed: 0.25,
    solvedBroken: 0.5,
    unsolvedFollowed: 0.25,
    unsolvedBroken: 0,
  });
});

test('avoiding what triggers a rule does not pay: CSR on the checks that apply to every model', () => {
  const results = experimentResults([
    run({ instance: 'a', model: 'm' }, 'sns'),
    run({ instance: 'a', model: 'n' }, 'fss'),
  ]);
  const [m, n] = results.models;
  expect([m?.score.csr, n?.score.csr]).toEqual([1, 2 / 3]);
  expect([m?.csrCommon, n?.csrCommon]).toEqual([1, 1 / 2]);
  expect([m?.applicability, n?.applicability]).toEqual([2 / 3, 1]);
});

test('agreement looks at what judges decided themselves, over all and by category', () => {
  const rollouts = [run({ instance: 'a' }, 'ssff', 'sfff', 's.fu'), run({ instance: 'b' }, 'ss', 'ss', 'ss')];
  const first = rollouts[0] as ScoredRollout;
  const withProgram = {
    ...first,
    rows: first.rows.map((r) => (r.check === 'c0' ? { ...r, by: 'program' as const } : r)),
  };
  const [all, ...categories] = experimentResults([withProgram, rollouts[1] as ScoredRollout]).agreement;
  expect(all).toMatchObject({ category: null, checks: 5, judges: ['j0', 'j1', 'j2'] });
  expect(all?.raw).toBeCloseTo((0 + 1 + 1 + 1 + 1) / 5, 12);
  expect(categories.map((c) => c.category)).toEqual(['Memory', 'SP']);
  expect(experimentResults([run({ instance: 'a' }, 's')]).agreement).toEqual([]);
});

test('beside a hybrid panel stand the figures of what the judges decided themselves', () => {
  const hybrid = run({ instance: 'a' }, 'sf', 'ss');
  const rows = hybrid.rows.map((r) => ({ ...r, by: r.check === 'c0' ? ('program' as const) : ('llm' as const) }));
  const [model] = experimentResults([{ ...hybrid, rows }]).models;
  expect(model?.score.std.csr).toBeCloseTo(Math.SQRT1_2 / 2, 12);
  expect(model?.judged).toEqual({ isr: 0.5, csr: 0.5, std: { isr: Math.SQRT1_2, csr: Math.SQRT1_2 } });
});
