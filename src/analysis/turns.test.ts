import { expect, test } from 'vitest';
import { sampleTrajectory } from '../../test/fixtures/report/sample.ts';
import type { VerdictValue } from '../judge/schema.ts';
import { seeded } from '../stats/random.ts';
import type { AnalysedRollout } from './schema.ts';
import { lengthOf, turnAnalysis } from './turns.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';

interface Said {
  verdict: VerdictValue;
  turn?: number;
  thread?: string;
  category?: string;
}

const rollout = (
  i: number,
  turns: number | null,
  verdicts: Said[],
  more: Partial<AnalysedRollout> = {},
): AnalysedRollout => ({
  key: `k${i}`,
  instance: `i${i}`,
  environment: `e${i % 12}`,
  primaryCategory: 'SP',
  scaffold: 's',
  model: 'm',
  variant: 'base',
  repeat: 0,
  outcome: 'finished',
  counted: true,
  solved: null,
  turns,
  rows: verdicts.map(({ verdict, turn, thread = 'main', category = 'SP' }, c) => ({
    instance: `i${i}`,
    judge: 'j',
    repeat: 0,
    check: `c${c}`,
    category,
    verdict,
    evidence:
      turn === undefined
        ? []
        : [
            { thread, turn: turn + 3 },
            { thread, turn },
          ],
  })),
  ...more,
});

test('the length of a session is that of its main thread, over its compactions', () => {
  const whole = sampleTrajectory('x', 'Done.', true);
  expect(lengthOf(whole)).toEqual({ turns: 5, compactions: [3] });
  expect(lengthOf({ ...whole, threads: whole.threads.filter((t) => t.role !== 'main') })).toEqual({
    turns: 0,
    compactions: [],
  });
});

test('bins hold their ends, and every counted rollout with a trajectory is in one', () => {
  const rollouts = [
    rollout(0, 0, [{ verdict: 'success' }]),
    rollout(1, 10, [{ verdict: 'success' }]),
    rollout(2, 11, [{ verdict: 'fail', turn: 4 }]),
    rollout(3, 51, [{ verdict: 'fail', turn: 4 }]),
    rollout(4, null, [{ verdict: 'success' }]),
    rollout(5, 3, [{ verdict: 'success' }], { counted: false }),
  ];
  const { bins, rollouts: n } = turnAnalysis('m', rollouts, ['j']);
  expect(n).toBe(4);
  expect(bins.map((b) => [b.from, b.to, b.rollouts, b.isr.value])).toEqual([
    [0, 10, 2, 1],
    [11, 20, 1, 0],
    [21, 30, 0, null],
    [31, 40, 0, null],
    [41, 50, 0, null],
    [51, null, 1, 0],
  ]);
  expect(turnAnalysis('m', rollouts, ['j'], [5]).bins.map((b) => b.rollouts)).toEqual([1, 3]);
});

test('the first violation of the main thread ends survival; things never done, and subagents, do not', () => {
  const { survival, unplaced } = turnAnalysis(
    'm',
    [
      rollout(0, 10, [
        { verdict: 'fail', turn: 6 },
        { verdict: 'fail', turn: 2 },
      ]),
      rollout(1, 10, [{ verdict: 'fail' }]),
      rollout(2, 10, [{ verdict: 'fail', turn: 1, thread: 'sub-0' }]),
      rollout(3, 4, [{ verdict: 'success' }]),
    ],
    ['j'],
  );
  expect(survival.map((s) => [s.time, s.atRisk, s.events, s.survival])).toEqual([[2, 4, 1, 0.75]]);
  expect(unplaced).toBe(2);
});

test('a check counts as broken when more than half of the panel says so', () => {
  const base = rollout(0, 10, [{ verdict: 'fail', turn: 2 }]);
  const others = (second: VerdictValue): AnalysedRollout => ({
    ...base,
    rows: [...base.rows, { ...(base.rows[0] as (typeof base.rows)[number]), judge: 'k', verdict: second }],
  });
  expect(turnAnalysis('m', [others('success')], ['j', 'k']).survival).toEqual([]);
  expect(turnAnalysis('m', [others('fail')], ['j', 'k']).survival).toHaveLength(1);
});

test('violations per turn by source, and before and after a compaction', () => {
  const { bySource, compaction } = turnAnalysis(
    'm',
    [
      rollout(
        0,
        10,
        [
          { verdict: 'fail', turn: 1 },
          { verdict: 'fail', turn: 8, category: 'Memory' },
        ],
        { compactions: [6] },
      ),
      rollout(1, 20, [{ verdict: 'success' }]),
    ],
    ['j'],
  );
  expect(bySource).toEqual([
    { category: 'SP', exposure: { violations: 1, turns: 30, rate: 1 / 30 } },
    { category: 'Memory', exposure: { violations: 1, turns: 10, rate: 1 / 10 } },
  ]);
  expect(compaction).toEqual({
    before: { violations: 1, turns: 6, rate: 1 / 6 },
    after: { violations: 1, turns: 4, rate: 1 / 4 },
  });
  expect(turnAnalysis('m', [rollout(1, 20, [])], ['j']).compaction).toBeNull();
});

test('a built-in hazard comes back: the curve covers it', () => {
  const hazard = 0.05;
  const simulations = LONG ? 200 : 20;
  let covered = 0;
  let asked = 0;
  for (let s = 0; s < simulations; s++) {
    const random = seeded(s);
    const rollouts = Array.from({ length: 120 }, (_, i) => {
      const turns = 5 + Math.floor(random() * 30);
      let first: number | undefined;
      for (let t = 0; t < turns && first === undefined; t++) if (random() < hazard) first = t;
      return rollout(i, turns, [first === undefined ? { verdict: 'success' } : { verdict: 'fail', turn: first }]);
    });
    const { survival } = turnAnalysis('m', rollouts, ['j']);
    const at = survival.filter((x) => x.time <= 10).at(-1);
    if (at === undefined) continue;
    asked++;
    const truth = (1 - hazard) ** (at.time + 1);
    if (at.low <= truth && truth <= at.high) covered++;
  }
  expect(asked).toBe(simulations);
  expect(covered / asked).toBeGreaterThanOrEqual(LONG ? 0.9 : 0.8);
});
