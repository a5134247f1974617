import type { Maybe } from '../core/missing.ts';
import type { Estimate, Outcomes } from '../metrics/schema.ts';

/** A share as a percentage with one decimal; `n/a` where there is no data. */
export const percent = (value: Maybe): string => (value === null ? 'n/a' : `${(value * 100).toFixed(1)}%`);

/** `22.5–34.4`, in per cent; empty where there is none. */
export const range = (e: { low: Maybe; high: Maybe }): string =>
  e.low === null || e.high === null ? '' : `${(e.low * 100).toFixed(1)}–${(e.high * 100).toFixed(1)}`;

/** A difference in percentage points, with its sign. */
export const points = (value: Maybe): string =>
  value === null ? 'n/a' : `${value < 0 ? '−' : '+'}${Math.abs(value * 100).toFixed(1)}`;

/** How an interval was made, in words. */
export const intervalMethod = (e: Estimate): string =>
  e.method === 'cluster_t'
    ? `cluster-robust, t with ${e.clusters - 1} degrees of freedom`
    : e.method === 'wilson'
      ? `Wilson on ${e.n} instance${e.n === 1 ? '' : 's'}, not clustered`
      : 'no data';

const LABELS: Record<string, string> = {
  finished: 'finished',
  timed_out: 'timed out',
  limit_reached: 'limit reached',
  scaffold_failed: 'scaffold failed',
  infra_failed: 'infrastructure failed',
  cancelled: 'cancelled',
};

/** Words for an outcome; null is an imported rollout, whose end nobody recorded. */
export const outcomeLabel = (outcome: string | null, counted = true): string =>
  outcome === null ? (counted ? 'imported, end unknown' : 'not run') : (LABELS[outcome] ?? outcome);

/** What did not finish, in words: `1 timed out, 2 not run`; empty when all finished. */
export const unfinished = (o: Outcomes): string =>
  [
    ...Object.entries(o.byOutcome)
      .filter(([outcome]) => outcome !== 'finished')
      .map(([outcome, n]) => `${n} ${outcomeLabel(outcome)}`),
    ...(o.imported > 0 ? [`${o.imported} imported`] : []),
    ...(o.notRun > 0 ? [`${o.notRun} not run`] : []),
  ].join(', ');

/** `1 check`, `3 checks`; `many` where the plural is not a mere s. */
export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** An ISO time as `2026-12-01 10:00 UTC`; other text as it is. */
export const showTime = (iso: string): string => {
  const found = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(iso);
  return found === null ? iso : `${found[1]} ${found[2]} UTC`;
};

/** A p-value with two digits that matter; never 0. */
export const pValue = (p: number): string => (p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(p < 0.1 ? 3 : 2)}`);
