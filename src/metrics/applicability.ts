import type { Maybe } from '../core/missing.ts';
import type { VerdictRow } from '../judge/schema.ts';
import type { Score } from './schema.ts';
import { checkKey } from './table.ts';

/** Share of decided votes (success, fail or N/A) whose check applied. */
export const applicabilityOf = ({ counts }: Score): Maybe => {
  const applicable = counts.success + counts.fail;
  const decided = applicable + counts.notApplicable;
  return decided === 0 ? null : applicable / decided;
};

const keyOf = (row: VerdictRow): string => `${row.judge}\n${row.instance}\n${checkKey(row)}`;

/** The rows of each arm whose check, by the same judge, was found applicable in every arm. Linear in rows. */
export const commonRows = (arms: readonly (readonly VerdictRow[])[]): VerdictRow[][] => {
  const seenIn = new Map<string, number>();
  for (const [arm, rows] of arms.entries()) {
    const here = new Set<string>();
    for (const row of rows) if (row.verdict === 'success' || row.verdict === 'fail') here.add(keyOf(row));
    for (const key of here) if ((seenIn.get(key) ?? 0) === arm) seenIn.set(key, arm + 1);
  }
  return arms.map((rows) => rows.filter((row) => seenIn.get(keyOf(row)) === arms.length));
};
