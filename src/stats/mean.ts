import type { Maybe } from '../core/missing.ts';

/** Arithmetic mean; null of nothing. */
export const mean = (values: readonly number[]): Maybe => {
  if (values.length === 0) return null;
  let sum = 0;
  for (const v of values) sum += v;
  return sum / values.length;
};

/** Mean of the values that are there; null when none is. */
export const meanOf = (values: readonly Maybe[]): Maybe => mean(values.filter((v) => v !== null));

/** Sample standard deviation (n - 1); null below two values. */
export const sampleStd = (values: readonly number[]): Maybe => {
  const m = mean(values);
  if (m === null || values.length < 2) return null;
  let squares = 0;
  for (const v of values) squares += (v - m) ** 2;
  return Math.sqrt(squares / (values.length - 1));
};
