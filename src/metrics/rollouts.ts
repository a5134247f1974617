import type { VerdictRow } from '../judge/schema.ts';
import type { ScoredRollout } from './schema.ts';

/** One rollout a key: what was written twice is not counted twice. */
export const distinct = (rollouts: readonly ScoredRollout[]): ScoredRollout[] => {
  const byKey = new Map<string, ScoredRollout>();
  for (const r of rollouts) if (byKey.get(r.key)?.counted !== true) byKey.set(r.key, r);
  return [...byKey.values()];
};

/** Numbers the rollouts of each instance anew: runs under several scaffolds average within the instance like repeats. */
export const renumbered = (rollouts: readonly ScoredRollout[]): { rollout: ScoredRollout; repeat: number }[] => {
  const next = new Map<string, number>();
  return rollouts.map((rollout) => {
    const repeat = next.get(rollout.instance) ?? 0;
    next.set(rollout.instance, repeat + 1);
    return { rollout, repeat };
  });
};

/** The verdict rows of rollouts that count, ready for `score`: environment filled in, repeats unique within the instance. */
export const rowsOf = (rollouts: readonly ScoredRollout[]): VerdictRow[] =>
  renumbered(rollouts).flatMap(({ rollout, repeat }) =>
    rollout.counted ? rollout.rows.map((row) => ({ ...row, environment: rollout.environment, repeat })) : [],
  );
