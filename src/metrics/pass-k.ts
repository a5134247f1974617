import type { Maybe } from '../core/missing.ts';
import { mean, meanOf } from '../stats/mean.ts';
import type { PassPower, ScoredRollout } from './schema.ts';
import { rolloutPasses } from './score.ts';

/** C(passes, k) / C(runs, k): the share of the sets of k runs in which all pass. */
const allPass = (passes: number, runs: number, k: number): number => {
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(0, passes - i) / (runs - i);
  return share;
};

/**
 * pass^k of one model and variant for every k up to the largest number of repeats: by judge, for each instance under each scaffold
 * the chance that k of its runs, drawn without replacement, all pass; then the mean over instances, then over judges.
 */
export const passPower = (rollouts: readonly ScoredRollout[], judges: readonly string[]): PassPower[] => {
  const runs = Map.groupBy(
    rollouts.filter((r) => r.counted),
    (r) => JSON.stringify([r.instance, r.scaffold]),
  );
  const most = Math.max(0, ...[...runs.values()].map((list) => list.length));
  const passes = rolloutPasses(rollouts, judges);
  const passesBy = judges.map((_, j) =>
    [...runs.values()].map((list) => list.map((r) => passes.get(r.key)?.[j] ?? null).filter((p) => p !== null)),
  );
  return Array.from({ length: most }, (_, i): PassPower => {
    const k = i + 1;
    const long = passesBy.map((instances) => instances.filter((own) => own.length >= k));
    const byJudge = long.map(
      (instances): Maybe => mean(instances.map((own) => allPass(own.filter((p) => p === 1).length, own.length, k))),
    );
    return { k, value: meanOf(byJudge), instances: Math.max(0, ...long.map((instances) => instances.length)) };
  });
};
