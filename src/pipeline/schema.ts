import type { SandboxKind } from '../environment/schema.ts';
import type { ModelTier } from '../scaffolds/scaffold.ts';
import type { Protocol } from '../wire/schema.ts';

/** A model under test: `provider/name`, and what its side calls use. */
export interface ModelSpec {
  id: string;
  provider: string;
  /** Names on the wire, by tier. */
  names: Record<ModelTier, string>;
  settings: Record<string, unknown>;
}

export interface ProviderSpec {
  id: string;
  protocol: Protocol;
  baseUrl: string;
  /** Environment variable that holds the key; keys themselves are never part of an experiment. */
  keyEnv: string | null;
  concurrency: number | null;
  rpm: number | null;
}

/** What a user changes to see whether compliance changes. */
export interface VariantSpec {
  id: string;
  /** Path in the workspace -> text. */
  files: Record<string, string>;
  appendSystemPrompt: string;
  settings: Record<string, unknown>;
}

export interface JudgeSpec {
  id: string;
  model: string;
  granularity: 'checklist' | 'category' | 'check';
  samples: number;
  settings: Record<string, unknown>;
}

export interface ExperimentLimits {
  wallMs: number;
  firstCallMs: number;
  silenceMs: number;
  calls: number | null;
  tokens: number | null;
  cost: number | null;
}

/** An experiment as it was resolved from file, environment and flags; stands in `experiment.json` without secrets. */
export interface Experiment {
  experiment: 1;
  name: string;
  dataset: { source: string; include: string[]; exclude: string[]; limit: number | null };
  /** Empty = each row's own. */
  scaffolds: string[];
  models: ModelSpec[];
  variants: VariantSpec[];
  providers: ProviderSpec[];
  panel: 'hybrid' | 'paper' | 'programs';
  judges: JudgeSpec[];
  repeats: number;
  sandbox: SandboxKind | null;
  network: 'proxy' | 'open';
  concurrency: number;
  seed: number;
  limits: ExperimentLimits;
  maxCost: number | null;
  minCoverage: number;
  strictVersion: boolean;
  prices: Record<string, { input: number; output: number; cacheRead?: number; cacheWrite?: number }>;
}

/** One cell of the matrix. */
export interface PlannedRollout {
  key: string;
  instance: string;
  scaffold: { id: string; version: string; substitutedFor: string | null };
  model: string;
  variant: string;
  repeat: number;
  /** What is asked instead of the instance's own queries: those with feedback of `refine`. */
  queries?: string[];
}

/** `experiment.json`: what was asked for and the planned list. */
export interface ExperimentFile {
  version: 1;
  octobench: string;
  created: string;
  /** Folder of the experiment file: relative dataset sources are resolved against it. */
  base: string;
  experiment: Experiment;
  dataset: { digest: string; revision: string | null; instances: number };
  /** Null for imported calls: nothing was run. */
  sandbox: { kind: SandboxKind; note: string | null } | null;
  /** Of imports: the log that was kept, relative to the experiment's directory. */
  imported?: string;
  planned: PlannedRollout[];
  notes: string[];
}

/** What a stage tells while it works; the command line shows it, a library user may listen. */
export type Progress =
  | { type: 'stage'; text: string }
  | { type: 'planned'; total: number; already: number }
  | { type: 'started'; key: string; attempt: number }
  | { type: 'call'; key: string; calls: number }
  | {
      type: 'ended';
      key: string;
      attempt: number;
      outcome: string;
      reason: string | null;
      ms: number;
      retried: boolean;
    }
  | { type: 'judged'; key: string; fail: number; unscored: number; checks: number }
  | { type: 'note'; text: string };

/** How text is laid out for the reader's terminal. */
export interface View {
  width: number;
  color: boolean;
}

/** What a command has to show when it is done. */
export interface Finished {
  dir: string;
  text: string;
  result: unknown;
  /** Finished with gaps: coverage is below `min_coverage`. */
  gaps: boolean;
  /** The gate of `--fail-under` that failed, or null. */
  gate: string | null;
  interrupted: boolean;
}

export interface Hooks {
  onProgress: (event: Progress) => void;
  /** No new rollout starts once it aborts. */
  drain: AbortSignal;
  /** Running rollouts are stopped once it aborts. */
  stop: AbortSignal;
}
