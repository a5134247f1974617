import { betaQuantile } from './beta.ts';

/** Quantile of Student's t with `df` > 0 degrees of freedom, for 0 < p < 1, through t² = df (1 - x) / x with x ~ Beta(df/2, 1/2). */
export const tQuantile = (p: number, df: number): number => {
  if (p === 0.5) return 0;
  const x = betaQuantile(2 * Math.min(p, 1 - p), df / 2, 0.5);
  const t = Math.sqrt((df * (1 - x)) / x);
  return p < 0.5 ? -t : t;
};

const A = [
  -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239,
];
const B = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1];
const C = [
  -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
];
const D = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1];
const horner = (coefficients: readonly number[], x: number): number => coefficients.reduce((sum, c) => sum * x + c, 0);

/** Quantile of the standard normal distribution for 0 < p < 1, by Acklam's rational approximation (relative error below 1.2e-9). */
export const normalQuantile = (p: number): number => {
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return horner(C, q) / horner(D, q);
  }
  if (p > 1 - 0.02425) return -normalQuantile(1 - p);
  const q = p - 0.5;
  return (horner(A, q * q) * q) / horner(B, q * q);
};

/** Linear-interpolated sample quantile (type 7) of values in ascending order; NaN-free, null of nothing. */
export const sampleQuantile = (sorted: readonly number[], p: number): number | null => {
  if (sorted.length === 0) return null;
  const at = p * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? 0;
  const above = sorted[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
};
