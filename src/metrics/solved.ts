import type { Maybe } from '../core/missing.ts';
import type { VerdictRow } from '../judge/schema.ts';
import { mean } from '../stats/mean.ts';
import type { ScoredRollout, SolvedFollowed } from './schema.ts';
import { rolloutPasses } from './score.ts';

/** Check types that are about the task itself, and stand for "solved" where the instance has no command. */
const TASK_TYPES: ReadonlySet<string> = new Set(['implementation', 'modification', 'testing', 'configuration']);

const taskRows = (rows: readonly VerdictRow[]): VerdictRow[] => rows.filter((r) => TASK_TYPES.has(r.checkType ?? ''));

/**
 * The 2×2 of solved and followed over the rollouts of one model and variant. Solved: the instance's own command in the final
 * workspace, else all applicable task checks pass; followed: all applicable checks pass. By judge, then the mean over judges;
 * rollouts in which one of the two is not known are left out. Where task checks stand in, unsolved and followed cannot occur.
 */
export const solvedFollowed = (rollouts: readonly ScoredRollout[], judges: readonly string[]): SolvedFollowed => {
  const counted = rollouts.filter((r) => r.counted);
  const followed = rolloutPasses(counted, judges);
  const tasks = rolloutPasses(
    counted.map((r) => ({ ...r, rows: taskRows(r.rows) })),
    judges,
  );
  const cells: { solved: number; followed: number }[][] = judges.map(() => []);
  let known = 0;
  let byCommand = 0;
  for (const r of counted) {
    let seen = false;
    for (const [j, column] of cells.entries()) {
      const kept = followed.get(r.key)?.[j] ?? null;
      const solved: Maybe = r.solved === null ? (tasks.get(r.key)?.[j] ?? null) : Number(r.solved);
      if (kept === null || solved === null) continue;
      column.push({ solved, followed: kept });
      seen = true;
    }
    if (!seen) continue;
    known++;
    if (r.solved !== null) byCommand++;
  }
  const share = (is: (cell: { solved: number; followed: number }) => boolean): Maybe =>
    mean(cells.filter((column) => column.length > 0).map((column) => column.filter(is).length / column.length));
  return {
    rollouts: known,
    byCommand,
    solved: share((c) => c.solved === 1),
    followed: share((c) => c.followed === 1),
    solvedFollowed: share((c) => c.solved === 1 && c.followed === 1),
    solvedBroken: share((c) => c.solved === 1 && c.followed === 0),
    unsolvedFollowed: share((c) => c.solved === 0 && c.followed === 1),
    unsolvedBroken: share((c) => c.solved === 0 && c.followed === 0),
  };
};
