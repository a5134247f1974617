import type { Maybe } from '../core/missing.ts';
import type { VerdictRow } from '../judge/schema.ts';
import type { Estimate, ScoredRollout } from '../metrics/schema.ts';
import type { SurvivalStep } from '../stats/survival.ts';
import type { Coordinate } from '../trajectory/schema.ts';

/** A rollout whose verdicts say where their evidence is. */
export interface AnalysedRollout extends ScoredRollout {
  rows: readonly (VerdictRow & { evidence?: readonly Coordinate[] })[];
}

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

/** ISR of the rollouts with `from` to `to` assistant turns, both included; `to` null = no end. */
export interface TurnBin {
  from: number;
  to: number | null;
  rollouts: number;
  isr: Estimate;
}

/** Violations over the turns in which they could happen. */
export interface Exposure {
  violations: number;
  turns: number;
  /** Violations a turn; null without turns. */
  rate: Maybe;
}

/** How a model's rule-keeping goes with the length of the main thread. */
export interface TurnAnalysis {
  model: string;
  bins: TurnBin[];
  /** Turn of the first violation; rollouts without one are censored at their end. */
  survival: SurvivalStep[];
  rollouts: number;
  /** Broken checks whose evidence names no turn of the main thread (things never done): they end no survival. */
  unplaced: number;
  bySource: { category: string; exposure: Exposure }[];
  /** All violations, before and after the first compaction, in rollouts that had one. */
  compaction: { before: Exposure; after: Exposure } | null;
}

/** The models as one judge ranks them by ISR; 1 = best, ties share. */
export interface JudgeRanking {
  judge: string;
  ranks: { model: string; isr: Maybe; rank: Maybe }[];
  /** Best rank this judge gives to a model of its own family; null when it has none here. */
  ownFamilyRank: Maybe;
}

/** Rank agreement of two judges. */
export interface RankAgreement {
  judges: [string, string];
  tau: Maybe;
  low: Maybe;
  high: Maybe;
}

/** How much more a judge gives to its own family than the other judges do, beyond what it gives more to everybody; in CSR. */
export interface SelfPreference {
  judge: string;
  family: string;
  value: Maybe;
  low: Maybe;
  high: Maybe;
}

export interface JudgeAnalysis {
  rankings: JudgeRanking[];
  /** Largest difference of ranks a model has between judges. */
  displacement: { model: string; ranks: Maybe }[];
  agreement: RankAgreement[];
  selfPreference: SelfPreference[];
  /** CSR of a judge and model less what judge and model alone would give. */
  interaction: { judge: string; model: string; value: Maybe }[];
}

/** What the analyses found; a part that an experiment gives no data for is empty. */
export interface Analyses {
  /** Models in pairs, within each variant. */
  models: Comparison[];
  /** Variants in pairs, within each model; names are `model · variant`. */
  variants: Comparison[];
  /** Models in pairs within each category of instruction. */
  categories: SliceComparison[];
  turns: TurnAnalysis[];
  /** Null with fewer than two judges of their own mind or fewer than two models. */
  judges: JudgeAnalysis | null;
}
