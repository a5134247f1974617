import type { Maybe } from '../core/missing.ts';
import type { VerdictRow } from '../judge/schema.ts';
import type { Outcome } from '../rollout/schema.ts';

/** A figure with its interval; null where there is no data. */
export interface Estimate {
  value: Maybe;
  low: Maybe;
  high: Maybe;
  /** How the interval was made: `cluster_t` (clusters >= 10) or `wilson` (not clustered). */
  method: 'cluster_t' | 'wilson' | 'none';
  /** Instances behind the figure. */
  n: number;
  clusters: number;
}

/** What one judge's column says. */
export interface JudgeScore {
  isr: Maybe;
  csr: Maybe;
  csrPooled: Maybe;
  /** Share of instances that have an ISR by this judge. */
  coverage: Maybe;
}

/** ISR and CSR of one arm, as the paper defines them, and what stands beside them. A figure without data is null, never 0 or NaN. */
export interface Score {
  /** Mean over judges of the share of instances whose applicable checks all pass. */
  isr: Maybe;
  /** Mean over judges of the mean over instances of the pass share. */
  csr: Maybe;
  /** Mean over judges of passed over scored checks, all instances together. */
  csrPooled: Maybe;
  isrMajority: Maybe;
  isrUnanimous: Maybe;
  /** Every column; those that are no part of the panel (a person's) enter no other figure. */
  byJudge: Record<string, JudgeScore>;
  /** Sample standard deviation across judges (n - 1); null with fewer than two. */
  std: { isr: Maybe; csr: Maybe };
  /** Checks and verdicts are counted once a judge of the panel and a repeat. */
  counts: {
    instances: number;
    /** Instances that no judge gives an ISR: nothing applicable, something unscored, or never run. */
    excluded: number;
    checks: number;
    success: number;
    fail: number;
    notApplicable: number;
    unscored: number;
  };
  /** Mean over judges of the share of instances that have an ISR. */
  coverage: Maybe;
  /** With unscored as fail and as success, rollouts that were not counted as failing and as absent. */
  bounds: { isr: [Maybe, Maybe]; csr: [Maybe, Maybe]; csrPooled: [Maybe, Maybe] };
  interval: { isr: Estimate; csr: Estimate };
}

/** What metrics need of one rollout: where it stands in the matrix, how it ended, and its verdicts (empty when it was not judged). */
export interface ScoredRollout {
  key: string;
  instance: string;
  /** The cluster for statistics. */
  environment: string;
  primaryCategory: string;
  scaffold: string;
  model: string;
  variant: string;
  repeat: number;
  /** Null for imported calls, which are judged. */
  outcome: Outcome | null;
  /** False when no attempt counts: its outcome is `scaffold_failed`, `infra_failed` or `cancelled`, or it was never run. */
  counted: boolean;
  /** Result of the instance's `solved` command; null when it has none or could not be run. */
  solved: boolean | null;
  /** Assistant turns of the main thread; absent or null where there is no trajectory. */
  turns?: number | null;
  /** Turns of the main thread at which its history was compacted. */
  compactions?: readonly number[];
  rows: readonly VerdictRow[];
}

/** What results can be cut by; `category` and `checkType` are of checks, the others of rollouts. */
export type Dimension =
  | 'model'
  | 'variant'
  | 'scaffold'
  | 'environment'
  | 'primaryCategory'
  | 'instance'
  | 'category'
  | 'checkType';

/** Counts of rollouts beside a score. */
export interface Outcomes {
  planned: number;
  /** Judged and in the scores, imported ones too. */
  counted: number;
  imported: number;
  notRun: number;
  byOutcome: Partial<Record<Outcome, number>>;
}

/** The score of one cut. */
export interface Slice {
  by: Partial<Record<Dimension, string>>;
  score: Score;
  outcomes: Outcomes;
}

/** Chance that k runs of an instance drawn from its repeats all pass. */
export interface PassPower {
  k: number;
  value: Maybe;
  /** Instances with at least k repeats that have an ISR. */
  instances: number;
}

/** Solved against followed, as shares of rollouts in which both are known; followed = all applicable checks pass. */
export interface SolvedFollowed {
  rollouts: number;
  /** Of them, how many were decided by the instance's own command; the others by its task checks. */
  byCommand: number;
  solved: Maybe;
  followed: Maybe;
  solvedFollowed: Maybe;
  solvedBroken: Maybe;
  unsolvedFollowed: Maybe;
  unsolvedBroken: Maybe;
}

/** How far judges agree on the checks they decided themselves. */
export interface Agreement {
  /** `null` = all categories. */
  category: string | null;
  /** Checks of rollouts that at least two judges scored. */
  checks: number;
  judges: string[];
  raw: Maybe;
  alpha: Maybe;
  ac1: Maybe;
  fleiss: Maybe;
  cohen: { judges: [string, string]; kappa: Maybe }[];
  /** Share of success among all their votes. */
  prevalence: Maybe;
}

/** What stands beside the score of a model and variant. */
export interface ModelResult extends Slice {
  passPower: PassPower[];
  solvedFollowed: SolvedFollowed;
  /** Applicable over decided votes. */
  applicability: Maybe;
  /** CSR on the checks that apply to every compared model: avoiding what triggers a rule does not pay there. */
  csrCommon: Maybe;
  /** Figures on the checks that LLM judges decided themselves; null when programs decided none or all. */
  judged: { isr: Maybe; csr: Maybe; std: { isr: Maybe; csr: Maybe } } | null;
}

/** Every figure of an experiment. Each list is cut by model and variant, and by what its name says. */
export interface Results {
  /** The panel whose verdicts are averaged. */
  judges: string[];
  models: ModelResult[];
  categories: Slice[];
  primaryCategories: Slice[];
  checkTypes: Slice[];
  scaffolds: Slice[];
  scaffoldCategories: Slice[];
  environments: Slice[];
  /** Over all models, then by category; empty with fewer than two judges of their own mind. */
  agreement: Agreement[];
  outcomes: Outcomes;
}

/** A cell: text, a count, a share, or a share with its spread across judges; `best` marks the best of its column. */
export type TableCell = string | number | null | { value: Maybe; std?: Maybe; best?: true };

export interface TableColumn {
  title: string;
  /** Columns of one group stand under one heading. */
  group?: string;
  kind: 'text' | 'count' | 'share';
}

/** A table as data, for every way of writing it. */
export interface Table {
  id: string;
  title: string;
  columns: TableColumn[];
  rows: TableCell[][];
}
