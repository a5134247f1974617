import type { Maybe } from '../core/missing.ts';
import type { InstanceScore } from '../metrics/score.ts';
import { bootstrapMean } from '../stats/bootstrap.ts';
import { mean } from '../stats/mean.ts';

/** One figure before and after, over instances that have both. */
export interface Gain {
  before: Maybe;
  after: Maybe;
  gain: Maybe;
  instances: number;
}

/** What feedback did beyond running again. */
export interface RefinementArm {
  model: string;
  arm: string;
  /** On the instances that were run again. */
  selected: { isr: Gain; csr: Gain };
  /** On the whole set: instances that were not run again keep their figure, as the paper's "before" implies. */
  whole: { isr: Gain; csr: Gain };
}

/** Gain of the feedback arm less the gain of a control arm, on the instances both ran again. */
export interface DifferenceOfDifferences {
  control: string;
  figure: 'isr' | 'csr';
  value: Maybe;
  low: Maybe;
  high: Maybe;
  instances: number;
}

type Figure = 'isr' | 'csr';

const gainOf = (pairs: readonly (readonly [Maybe, Maybe])[]): Gain => {
  const there = pairs.filter((p): p is readonly [number, number] => p[0] !== null && p[1] !== null);
  const before = mean(there.map(([b]) => b));
  const after = mean(there.map(([, a]) => a));
  return { before, after, gain: before === null || after === null ? null : after - before, instances: there.length };
};

const byInstance = (scores: readonly InstanceScore[]): Map<string, InstanceScore> =>
  new Map(scores.map((s) => [s.instance, s]));

/** Figures of instances before the arm and after it; what has none after is left out on both sides. */
export interface BeforeAfter {
  before: readonly InstanceScore[];
  after: readonly InstanceScore[];
}

/**
 * RQ3, the paper's Table 5 for one arm. `selected` are the rollouts that were run again, `whole` is everything, where those that
 * were not run again stand on both sides as they were.
 */
export const refinementArm = (
  { model, arm }: Pick<RefinementArm, 'model' | 'arm'>,
  sets: { selected: BeforeAfter; whole: BeforeAfter },
): RefinementArm => {
  const gains = ({ before, after }: BeforeAfter): { isr: Gain; csr: Gain } => {
    const again = byInstance(after);
    const gain = (figure: Figure): Gain =>
      gainOf(before.map((b) => [b[figure], again.get(b.instance)?.[figure] ?? null] as const));
    return { isr: gain('isr'), csr: gain('csr') };
  };
  return { model, arm, selected: gains(sets.selected), whole: gains(sets.whole) };
};

/**
 * What feedback gains over a control arm (no feedback, or a generic reminder) on the same instances: failures that are picked and
 * run again gain by regression to the mean, and the control gains as much of that. Seeded cluster bootstrap over environments.
 */
export const differenceOfDifferences = (
  feedback: readonly InstanceScore[],
  control: { arm: string; scores: readonly InstanceScore[] },
  figure: Figure,
  options: { seed: number; draws?: number },
): DifferenceOfDifferences => {
  // Both arms start from the same "before", which drops out of the difference instance by instance.
  const other = byInstance(control.scores);
  const differences: number[] = [];
  const clusters: string[] = [];
  for (const s of feedback) {
    const a = s[figure];
    const b = other.get(s.instance)?.[figure] ?? null;
    if (a === null || b === null) continue;
    differences.push(a - b);
    clusters.push(s.environment);
  }
  const { low, high } = bootstrapMean(differences, clusters, { seed: options.seed, draws: options.draws ?? 2000 });
  return { control: control.arm, figure, value: mean(differences), low, high, instances: differences.length };
};

/** Checks by what became of them: broken before and kept after, kept before and broken after. Votes of other kinds do not count. */
export const changedChecks = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): { repaired: string[]; newlyBroken: string[] } => {
  const repaired: string[] = [];
  const newlyBroken: string[] = [];
  for (const [check, was] of before) {
    const is = after.get(check);
    if (was === 'fail' && is === 'success') repaired.push(check);
    if (was === 'success' && is === 'fail') newlyBroken.push(check);
  }
  return { repaired, newlyBroken };
};
