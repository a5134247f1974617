import type { Maybe } from '../core/missing.ts';
import { type Interval, scoreInterval } from './proportion.ts';
import { tQuantile } from './quantile.ts';

/**
 * Cluster-robust standard error of an estimate from the influence of each unit on it: sqrt(G/(G-1) · Σ_g (Σ_{i in g} u_i)²).
 * For a mean, u_i = (x_i - mean)/n. `clusters[i]` names unit i's cluster. Null below two clusters.
 * Source: Liang and Zeger 1986, with the usual small-sample factor.
 */
export const clusterStandardError = (influence: readonly number[], clusters: readonly string[]): Maybe => {
  const sums = new Map<string, number>();
  for (const [i, u] of influence.entries()) {
    const cluster = clusters[i] ?? '';
    sums.set(cluster, (sums.get(cluster) ?? 0) + u);
  }
  if (sums.size < 2) return null;
  let squares = 0;
  for (const s of sums.values()) squares += s ** 2;
  return Math.sqrt((squares * sums.size) / (sums.size - 1));
};

/**
 * Interval of a mean of values in [0, 1] from its clustered standard error `se` > 0, with t(clusters - 1), in the score form: the
 * effective number of units is share(1 - share)/se². Near 0 and 1 a plain share ± t·se covers 92% where this covers 94 to 96%
 * (docs/metrics.md). Source: the effective sample size of Korn and Graubard 1998 in Wilson's interval.
 */
export const clusterInterval = (share: number, se: number, clusters: number, level = 0.95): Interval =>
  scoreInterval(share, (share * (1 - share)) / se ** 2, tQuantile(0.5 + level / 2, clusters - 1));
