import type { Maybe } from '../core/missing.ts';

/** A difference of two arms on the instances both have a figure for; shares, not per cent. */
export interface PairedDifference {
  /** First minus second. */
  difference: Maybe;
  /** Seeded cluster bootstrap, 95%; null below two clusters. */
  low: Maybe;
  high: Maybe;
  /** Sign-flip test over clusters; `adjusted` over all pairs of the family (Holm), or over all slices (Benjamini–Hochberg). */
  p: Maybe;
  adjusted: Maybe;
  instances: number;
  clusters: number;
  /** Smallest true difference that would be seen in four of five such experiments at the 5% level. */
  detectable: Maybe;
}

/** Two arms on the same instances. */
export interface Comparison {
  first: string;
  second: string;
  isr: PairedDifference;
  csr: PairedDifference;
  /** With everything open taken either way, may the order of their ISR turn? Then no rank is claimed. */
  boundsCross: boolean;
}

/** A comparison within one slice. */
export interface SliceComparison {
  slice: string;
  first: string;
  second: string;
  csr: PairedDifference;
}

/** What the analyses found; a part that an experiment gives no data for is empty. */
export interface Analyses {
  /** Models in pairs, within each variant. */
  models: Comparison[];
  /** Variants in pairs, within each model; names are `model · variant`. */
  variants: Comparison[];
  /** Models in pairs within each category of instruction. */
  categories: SliceComparison[];
}
