import { describe, expect, test } from 'vitest';
import type { VerdictValue } from '../judge/schema.ts';
import type { ReportRollout } from '../report/schema.ts';
import { refinementOf } from './refine-report.ts';
import { drawHeldBack } from './refine-select.ts';

const rollout = (instance: string, verdicts: Record<string, VerdictValue>, more: Partial<ReportRollout> = {}) =>
  ({
    key: `${instance}~${more.repeat ?? 0}`,
    instance,
    environment: instance,
    scaffold: 's',
    model: 'm',
    variant: 'base',
    repeat: 0,
    counted: true,
    rows: Object.entries(verdicts).map(([check, verdict]) => ({
      instance,
      judge: 'program',
      repeat: more.repeat ?? 0,
      check,
      category: 'SP',
      verdict,
      reason: '',
      evidence: [],
    })),
    ...more,
  }) as unknown as ReportRollout;
const chosen = (key: string, told: string[], heldBack: string[] = []) => ({
  key,
  feedback: '',
  told: told.map((c) => `SP\n${c}`),
  heldBack: heldBack.map((c) => `SP\n${c}`),
});

describe('a refinement', () => {
  const before = [
    rollout('kept', { x: 'success', y: 'success' }),
    rollout('broken', { x: 'fail', y: 'fail', z: 'success' }),
    rollout('lost', { x: 'fail', y: 'success' }),
  ];
  const found = refinementOf({
    before,
    after: {
      feedback: [
        rollout('broken', { x: 'success', y: 'success', z: 'success' }),
        rollout('lost', {}, { counted: false, rows: [] }),
      ],
      none: [rollout('broken', { x: 'fail', y: 'success', z: 'fail' })],
      generic: [],
    },
    selected: [chosen('broken~0', ['x'], ['y']), chosen('lost~0', ['x'])],
    judges: ['program'],
    seed: 1,
  });
  const [feedback, none] = found.arms;

  test('carries over what was not run again, and leaves out what does not count', () => {
    expect(feedback?.whole.isr).toEqual({ before: 0.5, after: 1, gain: 0.5, instances: 2 });
    expect(feedback?.selected.isr).toEqual({ before: 0, after: 1, gain: 1, instances: 1 });
    expect(none?.selected.csr).toMatchObject({ before: 1 / 3, after: 1 / 3 });
  });
  test('sets feedback against each control, on what both have', () => {
    const csr = found.differences.filter((d) => d.figure === 'csr');
    expect(csr.map((d) => [d.control, d.instances])).toEqual([
      ['none', 1],
      ['generic', 0],
    ]);
    expect(csr[0]?.value).toBeCloseTo(2 / 3, 12);
  });
  test('counts repairs by what was told and what was held back', () => {
    expect(found.changes[0]).toMatchObject({
      told: 2,
      repairedTold: 1,
      heldBack: 1,
      repairedHeldBack: 1,
      newlyBroken: 0,
    });
    expect(found.changes[1]).toMatchObject({ repairedTold: 0, repairedHeldBack: 1, newlyBroken: 1 });
  });
});

test('a repeat that was not run again stays as it was beside one that was', () => {
  const before = [rollout('i', { x: 'success' }), rollout('i', { x: 'fail', y: 'success' }, { repeat: 1 })];
  const again = [rollout('i', { x: 'success', y: 'success' }, { repeat: 1 })];
  const { arms } = refinementOf({
    before,
    after: { feedback: again, none: [], generic: [] },
    selected: [chosen('i~1', ['x'])],
    judges: ['program'],
    seed: 1,
  });
  expect(arms[0]?.whole.isr).toMatchObject({ before: 0.5, after: 1 });
  expect(arms[0]?.selected.isr).toMatchObject({ before: 0, after: 1 });
});

describe('held-back checks', () => {
  const checks = Array.from({ length: 10 }, (_, i) => `c${i}`);
  test('are the share that was asked for, drawn by the seed alone', () => {
    expect(drawHeldBack(checks, 0.3, 'a')).toEqual(drawHeldBack(checks, 0.3, 'a'));
    expect(drawHeldBack(checks, 0, 'a').size).toBe(0);
    const sizes = Array.from({ length: 400 }, (_, i) => drawHeldBack(checks, 0.25, `s${i}`).size);
    expect(sizes.reduce((a, b) => a + b, 0) / 4000).toBeCloseTo(0.25, 1);
  });
  test('never all of them', () => {
    expect(drawHeldBack(checks, 1, 'a').size).toBe(9);
    expect(drawHeldBack(['x'], 1, 'a').size).toBe(0);
  });
});
