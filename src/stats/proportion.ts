import { betaQuantile } from './beta.ts';
import { normalQuantile } from './quantile.ts';

/** A range; both ends belong to it. */
export interface Interval {
  low: number;
  high: number;
}

/** The score form of an interval: the shares whose own standard error at `n` units puts `share` at most `quantile` of them away. */
export const scoreInterval = (share: number, n: number, quantile: number): Interval => {
  const q2 = quantile ** 2;
  const centre = share + q2 / (2 * n);
  const half = quantile * Math.sqrt((share * (1 - share)) / n + q2 / (4 * n ** 2));
  const scale = 1 + q2 / n;
  return {
    low: share === 0 ? 0 : Math.max(0, (centre - half) / scale),
    high: share === 1 ? 1 : Math.min(1, (centre + half) / scale),
  };
};

/**
 * Wilson's score interval of a share of `n` > 0 independent units. `share` may come from fractions of successes (repeats, judges):
 * the interval is then conservative, since such a mean varies less than a coin. Source: Wilson 1927.
 */
export const wilson = (share: number, n: number, level = 0.95): Interval =>
  scoreInterval(share, n, normalQuantile(0.5 + level / 2));

/** Exact interval (Clopper and Pearson 1934) of `successes` of `n` > 0 independent trials. */
export const exact = (successes: number, n: number, level = 0.95): Interval => {
  const tail = (1 - level) / 2;
  return {
    low: successes === 0 ? 0 : betaQuantile(tail, successes, n - successes + 1),
    high: successes === n ? 1 : betaQuantile(1 - tail, successes + 1, n - successes),
  };
};
