import type { Maybe } from '../core/missing.ts';
import { mean } from './mean.ts';

/** What several raters said of one unit; null = did not rate it. Every unit has the same raters in the same order. */
export type Ratings = readonly (readonly (string | null)[])[];

const countsOf = (unit: readonly (string | null)[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const r of unit) if (r !== null) counts.set(r, (counts.get(r) ?? 0) + 1);
  return counts;
};
const total = (counts: Map<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);

/** Share of agreeing pairs of raters in a unit rated at least twice, else null. */
const unitAgreement = (counts: Map<string, number>): Maybe => {
  const n = total(counts);
  if (n < 2) return null;
  return [...counts.values()].reduce((s, c) => s + c * (c - 1), 0) / (n * (n - 1));
};

/** Mean over units of the share of rater pairs that agree; null when no unit was rated twice. */
export const rawAgreement = (ratings: Ratings): Maybe =>
  mean(ratings.map((u) => unitAgreement(countsOf(u))).filter((a) => a !== null));

/**
 * Krippendorff's alpha for nominal ratings, with missing ones: 1 - observed over expected disagreement of pairable values.
 * Null when nothing can be paired or only one value was ever given (agreement by chance is then certain). Source: Krippendorff 2011.
 */
export const krippendorffAlpha = (ratings: Ratings): Maybe => {
  const values = new Map<string, number>();
  let pairable = 0;
  let disagreement = 0;
  for (const unit of ratings) {
    const counts = countsOf(unit);
    const n = total(counts);
    if (n < 2) continue;
    pairable += n;
    for (const [value, c] of counts) {
      values.set(value, (values.get(value) ?? 0) + c);
      disagreement += (c * (n - c)) / (n - 1);
    }
  }
  let expected = 0;
  for (const c of values.values()) expected += c * (pairable - c);
  return expected === 0 ? null : 1 - ((pairable - 1) * disagreement) / expected;
};

/** Mean share of each category over units that were rated at all. */
const prevalenceOf = (ratings: Ratings, categories: readonly string[]): number[] => {
  const rated = ratings.map(countsOf).filter((c) => c.size > 0);
  return categories.map((k) => mean(rated.map((c) => (c.get(k) ?? 0) / total(c))) ?? 0);
};

/**
 * Gwet's AC1 for two or more raters, with missing ratings: chance agreement is Σ π(1 - π) / (q - 1) over the q categories of the
 * scale, which keeps its sense where nearly all ratings are the same. Source: Gwet 2008.
 */
export const gwetAc1 = (ratings: Ratings, categories: readonly string[]): Maybe => {
  const observed = rawAgreement(ratings);
  if (observed === null || categories.length < 2) return null;
  const chance = prevalenceOf(ratings, categories).reduce((s, p) => s + p * (1 - p), 0) / (categories.length - 1);
  return (observed - chance) / (1 - chance);
};

/** Fleiss' kappa over the units that every rater rated; null without any, or when only one value was given. Source: Fleiss 1971. */
export const fleissKappa = (ratings: Ratings): Maybe => {
  const complete = ratings.filter((u) => u.length > 1 && !u.includes(null));
  const observed = rawAgreement(complete);
  if (observed === null) return null;
  const categories = [...new Set(complete.flat())].filter((c) => c !== null);
  const chance = prevalenceOf(complete, categories).reduce((s, p) => s + p * p, 0);
  return chance >= 1 - 1e-12 ? null : (observed - chance) / (1 - chance);
};

/** Cohen's kappa of two raters over the units both rated; null without any, or when both always gave one same value. Source: Cohen 1960. */
export const cohenKappa = (pairs: readonly (readonly [string | null, string | null])[]): Maybe => {
  const first = new Map<string, number>();
  const second = new Map<string, number>();
  let n = 0;
  let same = 0;
  for (const [a, b] of pairs) {
    if (a === null || b === null) continue;
    n++;
    if (a === b) same++;
    first.set(a, (first.get(a) ?? 0) + 1);
    second.set(b, (second.get(b) ?? 0) + 1);
  }
  if (n === 0) return null;
  let chance = 0;
  for (const [value, times] of first) chance += (times / n) * ((second.get(value) ?? 0) / n);
  return chance >= 1 - 1e-12 ? null : (same / n - chance) / (1 - chance);
};
