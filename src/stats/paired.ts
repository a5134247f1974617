import { clusterMembers } from './bootstrap.ts';
import { type Random, seeded } from './random.ts';

/** All sign patterns are tried up to this many clusters; above, patterns are drawn. */
const MOST_ENUMERATED = 14;
const NEARLY = 1e-12;

/** A two-sided p-value; `exact` when every pattern was tried. */
export interface Permutation {
  p: number;
  exact: boolean;
  clusters: number;
}

/**
 * Sign-flip test of paired differences: under the null hypothesis the two arms are exchangeable within a pair, and all pairs of a
 * cluster are exchanged together. The statistic is the sum of the differences. Exact up to 14 clusters, else from seeded draws,
 * with the observed pattern counted among them, so that p is never 0. Null clusters (all differences 0) flip nothing and do no harm.
 */
export const signFlip = (
  differences: readonly number[],
  clusters: readonly string[],
  options: { draws: number; seed: number | string },
): Permutation | null => {
  const sums = clusterMembers(clusters).map((members) => members.reduce((s, i) => s + (differences[i] ?? 0), 0));
  if (sums.length === 0) return null;
  const observed = Math.abs(sums.reduce((a, b) => a + b, 0));
  const reaches = (sign: (g: number) => boolean): boolean =>
    Math.abs(sums.reduce((total, s, g) => total + (sign(g) ? s : -s), 0)) >= observed - NEARLY;
  if (sums.length <= MOST_ENUMERATED) {
    const patterns = 2 ** sums.length;
    let extreme = 0;
    for (let pattern = 0; pattern < patterns; pattern++) if (reaches((g) => ((pattern >> g) & 1) === 1)) extreme++;
    return { p: extreme / patterns, exact: true, clusters: sums.length };
  }
  const random: Random = seeded(options.seed);
  let extreme = 1;
  for (let d = 0; d < options.draws; d++) if (reaches(() => random() < 0.5)) extreme++;
  return { p: extreme / (options.draws + 1), exact: false, clusters: sums.length };
};
