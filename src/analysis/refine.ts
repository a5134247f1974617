import type { Maybe } from '../core/missing.ts';
import { VERDICTS, type VerdictRow, type VerdictValue } from '../judge/schema.ts';
import { checkKey, type InstanceScore } from '../metrics/score.ts';
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
  model: string;
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
  options: { model: string; seed: number; draws?: number },
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
  return {
    model: options.model,
    control: control.arm,
    figure,
    value: mean(differences),
    low,
    high,
    instances: differences.length,
  };
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

/** What became of the checks of one arm's rollouts, in numbers. */
export interface CheckChanges {
  model: string;
  arm: string;
  /** Checks that had failed and were told (in the control arms: would have been), and how many of them are kept now. */
  told: number;
  repairedTold: number;
  /** Checks that had failed and were held back on purpose, in every arm. */
  heldBack: number;
  repairedHeldBack: number;
  newlyBroken: number;
}

/** One rollout before and after, with the checks of it that the feedback did not name. */
export interface RolloutChange {
  before: ReadonlyMap<string, VerdictValue>;
  after: ReadonlyMap<string, VerdictValue>;
  told: ReadonlySet<string>;
  heldBack: ReadonlySet<string>;
}

/** Repaired and newly broken checks over the rollouts of an arm; what was told is counted apart from what was held back. */
export const checkChanges = (
  { model, arm }: Pick<CheckChanges, 'model' | 'arm'>,
  rollouts: readonly RolloutChange[],
): CheckChanges => {
  const sum: CheckChanges = { model, arm, told: 0, repairedTold: 0, heldBack: 0, repairedHeldBack: 0, newlyBroken: 0 };
  for (const { before, after, told, heldBack } of rollouts) {
    const { repaired, newlyBroken } = changedChecks(before, after);
    sum.told += told.size;
    sum.heldBack += heldBack.size;
    sum.repairedTold += repaired.filter((c) => told.has(c)).length;
    sum.repairedHeldBack += repaired.filter((c) => heldBack.has(c)).length;
    sum.newlyBroken += newlyBroken.length;
  }
  return sum;
};

/** What more than half of the panel says of each check of one rollout, by `checkKey`; else `unscored`. */
export const majorityVerdicts = (rows: readonly VerdictRow[], judges: readonly string[]): Map<string, VerdictValue> => {
  const panel = new Set(judges);
  const byCheck = Map.groupBy(
    rows.filter((r) => panel.has(r.judge)),
    checkKey,
  );
  const entries = [...byCheck].map(([check, own]): [string, VerdictValue] => {
    const votes = [...Map.groupBy(own, (r) => r.judge).values()].map((samples) => {
      const said = new Set(samples.map((s) => s.verdict));
      return said.size === 1 ? samples[0]?.verdict : 'unscored';
    });
    const winner = VERDICTS.find((v) => votes.filter((vote) => vote === v).length * 2 > panel.size);
    return [check, winner ?? 'unscored'];
  });
  return new Map(entries);
};
