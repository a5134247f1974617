import type { Maybe } from '../core/missing.ts';
import { sampleQuantile } from './quantile.ts';
import { pick, seeded } from './random.ts';

/** How often and with which seed to resample. */
export interface Resampling {
  draws: number;
  seed: number | string;
  level?: number;
}

/** An interval from resampling; null where too few draws had a value. `used` of `draws` had one. */
export interface Resampled {
  low: Maybe;
  high: Maybe;
  used: number;
}

/** Units by cluster, clusters in order of appearance. */
export const clusterMembers = (clusters: readonly string[]): number[][] => {
  const members = new Map<string, number[]>();
  for (const [i, cluster] of clusters.entries()) {
    const own = members.get(cluster);
    if (own === undefined) members.set(cluster, [i]);
    else own.push(i);
  }
  return [...members.values()];
};

const interval = (values: number[], { draws, level = 0.95 }: Resampling): Resampled => {
  values.sort((a, b) => a - b);
  const enough = values.length >= Math.min(20, draws);
  return {
    low: enough ? sampleQuantile(values, (1 - level) / 2) : null,
    high: enough ? sampleQuantile(values, (1 + level) / 2) : null,
    used: values.length,
  };
};

/**
 * Percentile interval of any statistic (a mean, a difference, a ratio) by drawing whole clusters with replacement.
 * `statistic` gets the indices of the drawn units, a unit as often as its cluster was drawn; draws without a value are left out.
 * Below ten clusters it covers too little (docs/metrics.md).
 */
export const clusterBootstrap = (
  clusters: readonly string[],
  statistic: (units: readonly number[]) => Maybe,
  resampling: Resampling,
): Resampled => {
  const members = clusterMembers(clusters);
  const random = seeded(resampling.seed);
  const values: number[] = [];
  for (let d = 0; d < resampling.draws && members.length > 1; d++) {
    const units: number[] = [];
    for (let g = 0; g < members.length; g++) {
      for (const unit of members[pick(random, members.length)] ?? []) units.push(unit);
    }
    const value = statistic(units);
    if (value !== null) values.push(value);
  }
  return interval(values, resampling);
};

/** `clusterBootstrap` of the mean of `values`, draw for draw the same, in time of clusters instead of units. */
export const bootstrapMean = (
  values: readonly number[],
  clusters: readonly string[],
  resampling: Resampling,
): Resampled => {
  const sums = clusterMembers(clusters).map((own) => ({
    n: own.length,
    sum: own.reduce((s, i) => s + (values[i] ?? 0), 0),
  }));
  const random = seeded(resampling.seed);
  const means: number[] = [];
  for (let d = 0; d < resampling.draws && sums.length > 1; d++) {
    let sum = 0;
    let n = 0;
    for (let g = 0; g < sums.length; g++) {
      const drawn = sums[pick(random, sums.length)];
      sum += drawn?.sum ?? 0;
      n += drawn?.n ?? 0;
    }
    means.push(sum / n);
  }
  return interval(means, resampling);
};
