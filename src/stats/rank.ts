import type { Maybe } from '../core/missing.ts';

/** Ranks from 1, the highest value first; equal values share the mean of their ranks. */
export const ranks = (values: readonly number[]): number[] => {
  const order = values.map((_, i) => i).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const result = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && values[order[to] ?? 0] === values[order[from] ?? 0]) to++;
    for (let k = from; k < to; k++) result[order[k] ?? 0] = (from + 1 + to) / 2;
    from = to;
  }
  return result;
};

/** Kendall's tau-b of two lists of equal length, corrected for ties; null when one of them is constant. Source: Kendall 1945. */
export const kendallTau = (x: readonly number[], y: readonly number[]): Maybe => {
  let score = 0;
  let inX = 0;
  let inY = 0;
  for (let i = 0; i < x.length; i++) {
    for (let j = i + 1; j < x.length; j++) {
      const a = Math.sign((x[i] ?? 0) - (x[j] ?? 0));
      const b = Math.sign((y[i] ?? 0) - (y[j] ?? 0));
      score += a * b;
      if (a !== 0) inX++;
      if (b !== 0) inY++;
    }
  }
  return inX === 0 || inY === 0 ? null : score / Math.sqrt(inX * inY);
};
