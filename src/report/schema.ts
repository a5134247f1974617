import type { Analyses } from '../analysis/schema.ts';
import type { VerdictRow } from '../judge/schema.ts';
import type { Results, ScoredRollout, Table } from '../metrics/schema.ts';
import type { Difference, ScaffoldIdentity } from '../rollout/schema.ts';
import type { Coordinate, Trajectory } from '../trajectory/schema.ts';

/** What was run, for the first screen and the methods section. */
export interface ReportExperiment {
  name: string;
  /** ISO times; null where unknown (imports). */
  startedAt: string | null;
  endedAt: string | null;
  generatedAt: string;
  /** Version of octobench. */
  octobench: string;
  dataset: { source: string; revision: string | null; digest: string };
  models: string[];
  variants: string[];
  /** One entry a program that really ran. */
  scaffolds: ScaffoldIdentity[];
  sandbox: string | null;
  panel: string;
  judges: { id: string; kind: 'program' | 'llm' | 'human'; model: string | null; fingerprint: string | null }[];
  repeats: number;
  seed: number;
  /** Deviations and whatever a reader must know, one sentence each. */
  notes: string[];
}

/** A check as the reader sees it. */
export interface ReportCheck {
  id: string;
  category: string;
  type: string | null;
  description: string;
}

export interface ReportInstance {
  id: string;
  primaryCategory: string;
  environment: string;
  queries: string[];
  checks: ReportCheck[];
}

/** A verdict with what it rests on. */
export interface ReportVerdict extends VerdictRow {
  reason: string;
  evidence: Coordinate[];
}

export interface ReportRollout extends ScoredRollout {
  rows: readonly ReportVerdict[];
  /** Why it ended as it did. */
  reason: string | null;
  message: string | null;
  attempts: number;
  calls: number | null;
  durationMs: number | null;
  cost: number | null;
  differences: Difference[];
}

/** All a report is made of, trajectories apart: those are loaded one at a time. */
export interface ReportData {
  experiment: ReportExperiment;
  instances: ReportInstance[];
  rollouts: ReportRollout[];
  /** `experimentResults` of the rollouts. */
  results: Results;
  /** `analyse` of the rollouts; without it no comparison is made. */
  analyses?: Analyses;
  /** `paperTables` of the results, written beside the page in every format. */
  tables?: Table[];
}

/** Gives the trajectory of a rollout, by key; null when there is none. */
export type LoadTrajectory = (key: string) => Promise<Trajectory | null>;
