import type { Analyses } from '../analysis/schema.ts';
import type { Results } from '../metrics/schema.ts';
import type { ReportData, ReportExperiment, ReportRollout } from './schema.ts';

/** `result.json` (docs/formats/result.md): every number of an experiment, and no agent's text but names and reasons. */
export interface ResultFile {
  version: 1;
  experiment: ReportExperiment;
  results: Results;
  /** Null when no analysis was made. */
  analyses: Analyses | null;
  rollouts: (Pick<
    ReportRollout,
    | 'key'
    | 'instance'
    | 'environment'
    | 'primaryCategory'
    | 'scaffold'
    | 'model'
    | 'variant'
    | 'repeat'
    | 'outcome'
    | 'reason'
    | 'counted'
    | 'solved'
    | 'attempts'
    | 'calls'
    | 'durationMs'
    | 'cost'
  > & {
    verdicts: { judge: string; check: string; category: string; verdict: string; by: string | null; reason: string }[];
  })[];
}

/** What `result.json` holds. Figures without data are null. */
export const resultJson = (data: ReportData): ResultFile => ({
  version: 1,
  experiment: data.experiment,
  results: data.results,
  analyses: data.analyses ?? null,
  rollouts: data.rollouts.map((r) => ({
    key: r.key,
    instance: r.instance,
    environment: r.environment,
    primaryCategory: r.primaryCategory,
    scaffold: r.scaffold,
    model: r.model,
    variant: r.variant,
    repeat: r.repeat,
    outcome: r.outcome,
    reason: r.reason,
    counted: r.counted,
    solved: r.solved,
    attempts: r.attempts,
    calls: r.calls,
    durationMs: r.durationMs,
    cost: r.cost,
    verdicts: r.rows.map((v) => ({
      judge: v.judge,
      check: v.check,
      category: v.category,
      verdict: v.verdict,
      by: v.by ?? null,
      reason: v.reason,
    })),
  })),
});
