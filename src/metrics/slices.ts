import type { VerdictRow } from '../judge/schema.ts';
import { rowsOf } from './rollouts.ts';
import type { Dimension, Outcomes, ScoredRollout, Slice } from './schema.ts';
import { score } from './score.ts';

const ROW_DIMENSIONS: ReadonlySet<Dimension> = new Set(['category', 'checkType']);
const ofRow = (row: VerdictRow, dimension: Dimension): string =>
  dimension === 'category' ? row.category : (row.checkType ?? 'none');
const ofRollout = (r: ScoredRollout, d: Dimension): string => String(r[d as keyof ScoredRollout]);

/** How many rollouts ended how. */
export const countOutcomes = (rollouts: readonly ScoredRollout[]): Outcomes => {
  const outcomes: Outcomes = { planned: rollouts.length, counted: 0, imported: 0, notRun: 0, byOutcome: {} };
  for (const r of rollouts) {
    if (r.counted) outcomes.counted++;
    if (r.outcome !== null) outcomes.byOutcome[r.outcome] = (outcomes.byOutcome[r.outcome] ?? 0) + 1;
    else if (r.counted) outcomes.imported++;
    else outcomes.notRun++;
  }
  return outcomes;
};

/**
 * Scores of settled rollouts by any dimensions, e.g. `['model', 'category']`. A dimension of rollouts keeps those that were not counted, for the
 * bounds; within a category or check type they are unknown and only counted. Linear in rows.
 */
export const slices = (
  settled: readonly ScoredRollout[],
  dimensions: readonly Dimension[],
  judges?: readonly string[],
): Slice[] => {
  const outer = dimensions.filter((d) => !ROW_DIMENSIONS.has(d));
  const inner = dimensions.filter((d) => ROW_DIMENSIONS.has(d));
  const panel = judges === undefined ? {} : { judges };
  const sliceOf = (
    keys: Partial<Record<Dimension, string>>,
    rows: VerdictRow[],
    own: readonly ScoredRollout[],
  ): Slice => ({
    by: Object.fromEntries(dimensions.map((d) => [d, keys[d] ?? ''])),
    score: score(rows, {
      ...panel,
      ...(inner.length > 0 ? {} : { notCounted: own.filter((r) => !r.counted) }),
    }),
    outcomes: countOutcomes(own),
  });
  const groups = Map.groupBy(settled, (r) => JSON.stringify(outer.map((d) => ofRollout(r, d))));
  return [...groups.values()].flatMap((own) => {
    const first = own[0];
    if (first === undefined) return [];
    const keys = Object.fromEntries(outer.map((d) => [d, ofRollout(first, d)]));
    const rows = rowsOf(own);
    if (inner.length === 0) return [sliceOf(keys, rows, own)];
    return [...Map.groupBy(rows, (row) => JSON.stringify(inner.map((d) => ofRow(row, d)))).values()].map((part) => {
      const row = part[0] as VerdictRow;
      return sliceOf({ ...keys, ...Object.fromEntries(inner.map((d) => [d, ofRow(row, d)])) }, part, own);
    });
  });
};
