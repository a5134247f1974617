import { expect, test } from 'vitest';
import type { InstanceScore } from '../metrics/score.ts';
import { seeded } from '../stats/random.ts';
import { changedChecks, checkChanges, differenceOfDifferences, majorityVerdicts, refinementArm } from './refine.ts';

const LONG = process.env.OCTOBENCH_LONG === '1';
const at = (instance: string, isr: number | null, csr: number | null, environment = instance): InstanceScore => ({
  instance,
  environment,
  isr,
  csr,
});

/** An arm of instances with one rollout each: those not run again are carried over. */
const armOf = (arm: string, before: InstanceScore[], again: InstanceScore[]) => {
  const after = new Map(again.map((a) => [a.instance, a]));
  const selected = { before: before.filter((b) => after.has(b.instance)), after: again };
  return refinementArm(
    { model: 'm', arm },
    { selected, whole: { before, after: before.map((b) => after.get(b.instance) ?? b) } },
  );
};

test('on the whole set untouched instances are carried over; on the selected ones only those run again count', () => {
  const arm = armOf('feedback', [at('a', 1, 1), at('b', 0, 0.5), at('c', 0, 0.8)], [at('b', 1, 1), at('c', 0, 0.6)]);
  expect(arm.selected.isr).toEqual({ before: 0, after: 0.5, gain: 0.5, instances: 2 });
  expect(arm.whole.isr).toMatchObject({ before: 1 / 3, after: 2 / 3, instances: 3 });
  expect(arm.selected.csr.gain).toBeCloseTo(0.15, 12);
});

test('an instance that could not be scored again leaves both sides', () => {
  const arm = armOf('feedback', [at('a', 1, 1), at('b', 0, 0.5)], [at('b', null, 0.7)]);
  expect(arm.whole.isr).toEqual({ before: 1, after: 1, gain: 0, instances: 1 });
  expect(arm.whole.csr.instances).toBe(2);
});

test('repaired and newly broken checks', () => {
  const before = new Map([
    ['x', 'fail'],
    ['y', 'success'],
    ['z', 'fail'],
    ['n', 'not_applicable'],
  ]);
  const after = new Map([
    ['x', 'success'],
    ['y', 'fail'],
    ['z', 'unscored'],
    ['n', 'fail'],
  ]);
  expect(changedChecks(before, after)).toEqual({ repaired: ['x'], newlyBroken: ['y'] });
});

test('regression to the mean alone is no gain of feedback, and a built-in gain is covered', () => {
  const simulations = LONG ? 200 : 25;
  let covered = 0;
  let regressed = 0;
  for (let s = 0; s < simulations; s++) {
    const random = seeded(s);
    const rate = Array.from({ length: 240 }, () => 0.2 + 0.5 * random());
    const run = (lift: number) => rate.map((r, i) => at(`i${i}`, random() < r + lift ? 1 : 0, null, `e${i % 34}`));
    const before = run(0);
    const chosen = new Set(before.filter((b) => b.isr === 0).map((b) => b.instance));
    const again = (lift: number) => run(lift).filter((r) => chosen.has(r.instance));
    const control = again(0);
    regressed += (armOf('none', before, control).whole.isr.gain ?? 0) / simulations;
    const did = differenceOfDifferences(again(0.15), { arm: 'none', scores: control }, 'isr', {
      model: 'm',
      seed: 1,
      draws: 300,
    });
    if ((did.low ?? 1) <= 0.15 && 0.15 <= (did.high ?? 0)) covered++;
  }
  expect(regressed).toBeGreaterThan(0.1);
  expect(covered / simulations).toBeGreaterThanOrEqual(LONG ? 0.9 : 0.76);
});

test('repairs of what was told are counted apart from repairs of what was held back', () => {
  const before = new Map([['x', 'fail'] as const, ['y', 'fail'] as const, ['z', 'success'] as const]);
  const after = new Map([['x', 'success'] as const, ['y', 'fail'] as const, ['z', 'fail'] as const]);
  const sets = { told: new Set(['x']), heldBack: new Set(['y']) };
  expect(checkChanges({ model: 'm', arm: 'feedback' }, [{ before, after, ...sets }])).toEqual({
    model: 'm',
    arm: 'feedback',
    told: 1,
    repairedTold: 1,
    heldBack: 1,
    repairedHeldBack: 0,
    newlyBroken: 1,
  });
});

test('a check counts as more than half of the panel says', () => {
  const row = (judge: string, check: string, verdict: 'success' | 'fail' | 'not_applicable') => ({
    instance: 'i',
    judge,
    repeat: 0,
    check,
    category: 'SP',
    verdict,
  });
  const rows = [
    ...[row('a', 'x', 'fail'), row('b', 'x', 'fail'), row('c', 'x', 'success')],
    ...[row('a', 'y', 'fail'), row('b', 'y', 'success'), row('other', 'y', 'fail')],
    ...[row('a', 'z', 'fail'), row('a', 'z', 'success'), row('b', 'z', 'fail')],
  ];
  expect(Object.fromEntries(majorityVerdicts(rows, ['a', 'b', 'c']))).toEqual({
    'SP\nx': 'fail',
    'SP\ny': 'unscored',
    'SP\nz': 'unscored',
  });
});
