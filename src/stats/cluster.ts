import type { Maybe } from '../core/missing.ts';

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
