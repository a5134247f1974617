const order = (ps: readonly number[]): number[] => ps.map((_, i) => i).sort((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0));

/** Holm's step-down adjusted p-values, in the order given: they bound the chance of any false claim. Source: Holm 1979. */
export const holm = (ps: readonly number[]): number[] => {
  const adjusted = new Array<number>(ps.length).fill(1);
  let highest = 0;
  for (const [rank, i] of order(ps).entries()) {
    highest = Math.max(highest, Math.min(1, (ps[i] ?? 1) * (ps.length - rank)));
    adjusted[i] = highest;
  }
  return adjusted;
};

/** Benjamini and Hochberg's adjusted p-values, in the order given: they bound the expected share of false claims (1995). */
export const benjaminiHochberg = (ps: readonly number[]): number[] => {
  const adjusted = new Array<number>(ps.length).fill(1);
  let lowest = 1;
  for (const [back, i] of order(ps).reverse().entries()) {
    lowest = Math.min(lowest, ((ps[i] ?? 1) * ps.length) / (ps.length - back));
    adjusted[i] = lowest;
  }
  return adjusted;
};
