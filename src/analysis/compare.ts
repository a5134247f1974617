import type { VerdictRow } from '../judge/schema.ts';
import type { Score } from '../metrics/schema.ts';
import { type InstanceScore, score, scoreInstances } from '../metrics/score.ts';
import { bootstrapMean } from '../stats/bootstrap.ts';
import { clusterStandardError } from '../stats/cluster.ts';
import { mean } from '../stats/mean.ts';
import { benjaminiHochberg, holm } from '../stats/multiple.ts';
import { signFlip } from '../stats/paired.ts';
import { tQuantile } from '../stats/quantile.ts';
import type { Comparison, PairedDifference, SliceComparison } from './schema.ts';

/** One side of a comparison: the verdict rows of a model, a variant, a judge or an experiment. */
export interface Arm {
  name: string;
  rows: readonly VerdictRow[];
}

export interface CompareOptions {
  /** The configured panel. */
  judges: readonly string[];
  seed: number;
  /** Resamples and sign patterns. Default 2000. */
  draws?: number;
}

/** Chance of seeing a difference that is there, for which the smallest detectable one is stated. */
const POWER = 0.8;

type Unadjusted = Omit<PairedDifference, 'adjusted'>;

/** The paired difference of one figure, over the instances that have it in both arms. The unit is the instance, the cluster its environment. */
const pairedDifference = (
  first: readonly InstanceScore[],
  second: readonly InstanceScore[],
  figure: 'isr' | 'csr',
  { seed, draws = 2000 }: Pick<CompareOptions, 'seed' | 'draws'>,
): Unadjusted => {
  const others = new Map(second.map((s) => [s.instance, s[figure]]));
  const differences: number[] = [];
  const clusters: string[] = [];
  for (const s of first) {
    const a = s[figure];
    const b = others.get(s.instance) ?? null;
    if (a === null || b === null) continue;
    differences.push(a - b);
    clusters.push(s.environment);
  }
  const difference = mean(differences);
  const n = differences.length;
  const g = new Set(clusters).size;
  if (difference === null)
    return { difference, low: null, high: null, p: null, instances: 0, clusters: 0, detectable: null };
  const { low, high } = bootstrapMean(differences, clusters, { draws, seed });
  const se = clusterStandardError(
    differences.map((d) => (d - difference) / n),
    clusters,
  );
  const detectable = se === null || se === 0 ? null : (tQuantile(0.975, g - 1) + tQuantile(POWER, g - 1)) * se;
  const p = signFlip(differences, clusters, { draws, seed })?.p ?? null;
  return { difference, low, high, p, instances: n, clusters: g, detectable };
};

const pairs = <T>(items: readonly T[]): [T, T][] =>
  items.flatMap((a, i) => items.slice(i + 1).map((b): [T, T] => [a, b]));

/** Adjusts the p-values that are there; the others stay null. */
const adjust = (list: readonly Unadjusted[], method: (ps: readonly number[]) => number[]): PairedDifference[] => {
  const adjusted = method(list.flatMap((d) => (d.p === null ? [] : [d.p])));
  let next = 0;
  return list.map((d) => ({ ...d, adjusted: d.p === null ? null : (adjusted[next++] ?? null) }));
};

const cross = (a: Score, b: Score): boolean => {
  const [better, worse] = (a.isr ?? 0) >= (b.isr ?? 0) ? [a, b] : [b, a];
  const low = better.bounds.isr[0];
  const high = worse.bounds.isr[1];
  return low === null || high === null || low < high;
};

/** All pairs of arms on their shared instances, p-values adjusted by Holm over the pairs, for ISR and CSR each. */
export const compareArms = (arms: readonly Arm[], options: CompareOptions): Comparison[] => {
  const sides = arms.map(({ name, rows }) => ({
    name,
    score: score(rows, options),
    instances: scoreInstances(rows, options),
  }));
  const matches = pairs(sides);
  const family = (figure: 'isr' | 'csr'): PairedDifference[] =>
    adjust(
      matches.map(([a, b]) => pairedDifference(a.instances, b.instances, figure, options)),
      holm,
    );
  const isr = family('isr');
  const csr = family('csr');
  return matches.flatMap(([a, b], i) => {
    const [ofIsr, ofCsr] = [isr[i], csr[i]];
    return ofIsr === undefined || ofCsr === undefined
      ? []
      : [{ first: a.name, second: b.name, isr: ofIsr, csr: ofCsr, boundsCross: cross(a.score, b.score) }];
  });
};

/** All pairs of arms within each slice of the rows, CSR alone, adjusted by Benjamini and Hochberg over pairs and slices together. */
export const compareSlices = (
  arms: readonly Arm[],
  sliceOf: (row: VerdictRow) => string,
  options: CompareOptions,
): SliceComparison[] => {
  const sliced = arms.map(({ name, rows }) => {
    const parts = [...Map.groupBy(rows, sliceOf)];
    return { name, parts: new Map(parts.map(([slice, own]) => [slice, scoreInstances(own, options)])) };
  });
  const slices = new Set(sliced.flatMap((s) => [...s.parts.keys()]));
  const cells = [...slices].flatMap((slice) =>
    pairs(sliced).map(([a, b]) => ({
      slice,
      first: a.name,
      second: b.name,
      csr: pairedDifference(a.parts.get(slice) ?? [], b.parts.get(slice) ?? [], 'csr', options),
    })),
  );
  const adjusted = adjust(
    cells.map((c) => c.csr),
    benjaminiHochberg,
  );
  return cells.flatMap((cell, i) => {
    const csr = adjusted[i];
    return csr === undefined ? [] : [{ ...cell, csr }];
  });
};
