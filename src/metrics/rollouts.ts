import type { VerdictRow } from '../judge/schema.ts';
import type { ScoredRollout } from './schema.ts';

/** One rollout a key: what was written twice is not counted twice. */
const distinct = <R extends ScoredRollout>(rollouts: readonly R[]): R[] => {
  const byKey = new Map<string, R>();
  for (const r of rollouts) if (byKey.get(r.key)?.counted !== true) byKey.set(r.key, r);
  return [...byKey.values()];
};

/**
 * Rollouts made ready for every cut: one a key, the environment in each row, and repeats numbered anew within the instance, so that
 * runs under several scaffolds or variants that meet in one cut average within the instance like repeats and never mix.
 */
export const settle = <R extends ScoredRollout>(rollouts: readonly R[]): R[] => {
  const next = new Map<string, number>();
  return distinct(rollouts).map((r) => {
    const repeat = next.get(r.instance) ?? 0;
    next.set(r.instance, repeat + 1);
    return { ...r, repeat, rows: r.rows.map((row) => ({ ...row, environment: r.environment, repeat })) };
  });
};

/** The verdict rows of settled rollouts that count, ready for `score`. */
export const rowsOf = (settled: readonly ScoredRollout[]): VerdictRow[] =>
  settled.flatMap((r) => (r.counted ? r.rows : []));
