import {
  type CheckChanges,
  checkChanges,
  type DifferenceOfDifferences,
  differenceOfDifferences,
  majorityVerdicts,
  type RefinementArm,
  refinementArm,
} from '../analysis/refine.ts';
import { changesTable, differenceTable, refinementTables } from '../analysis/tables.ts';
import type { Table } from '../metrics/schema.ts';
import { type InstanceScore, rowsOf, scoreInstances, settle } from '../metrics/score.ts';
import type { ReportRollout } from '../report/schema.ts';
import type { SelectedRollout } from './refine-select.ts';

/** The arms of a refinement: with feedback, without a word, and with a reminder that says nothing in particular. */
export const ARMS = ['feedback', 'none', 'generic'] as const;
export type ArmName = (typeof ARMS)[number];

/** Everything a refinement came to. */
export interface Refinement {
  arms: RefinementArm[];
  differences: DifferenceOfDifferences[];
  changes: CheckChanges[];
  tables: Table[];
}

interface Given {
  before: readonly ReportRollout[];
  /** Rollouts of each arm, by arm. */
  after: Readonly<Record<ArmName, readonly ReportRollout[]>>;
  selected: readonly SelectedRollout[];
  judges: readonly string[];
  seed: number;
}

/** What a rollout stands for when it was run again and does not count. */
const lost = (r: ReportRollout): ReportRollout => ({ ...r, counted: false, rows: [] });

const refineModel = (model: string, before: readonly ReportRollout[], given: Given): Omit<Refinement, 'tables'> => {
  const { judges, seed } = given;
  const scores = (rollouts: readonly ReportRollout[]): InstanceScore[] =>
    scoreInstances(rowsOf(settle(rollouts)), { judges });
  const chosen = new Map(given.selected.map((s) => [s.key, s]));
  const selected = before.filter((r) => chosen.has(r.key));
  const sides = ARMS.map((arm) => {
    const again = new Map(given.after[arm].map((r) => [r.key, r]));
    const after = selected.map((r) => again.get(r.key) ?? lost(r));
    const whole = before.map((r) => (chosen.has(r.key) ? (again.get(r.key) ?? lost(r)) : r));
    return { arm, after, whole };
  });
  const [feedback, ...controls] = sides.map(({ arm, after }) => ({ arm, scores: scores(after) }));
  const arms = sides.map(({ arm, after, whole }) =>
    refinementArm(
      { model, arm },
      {
        selected: { before: scores(selected), after: scores(after) },
        whole: { before: scores(before), after: scores(whole) },
      },
    ),
  );
  if (selected.length === 0) return { arms, differences: [], changes: [] };
  return {
    arms,
    differences: controls.flatMap((control) =>
      (['isr', 'csr'] as const).map((figure) =>
        differenceOfDifferences(feedback?.scores ?? [], control, figure, { model, seed }),
      ),
    ),
    changes: sides.map(({ arm, after }) =>
      checkChanges(
        { model, arm },
        selected.map((r, i) => ({
          before: majorityVerdicts(r.rows, judges),
          after: majorityVerdicts(after[i]?.rows ?? [], judges),
          told: new Set(chosen.get(r.key)?.told),
          heldBack: new Set(chosen.get(r.key)?.heldBack),
        })),
      ),
    ),
  };
};

/** RQ3: the paper's Table 5 by model, feedback against its controls, and what became of the checks. Pure. */
export const refinementOf = (given: Given): Refinement => {
  const counted = given.before.filter((r) => r.counted);
  const several = new Set(counted.map((r) => r.variant)).size > 1;
  const byModel = Map.groupBy(counted, (r) => (several ? `${r.model} · ${r.variant}` : r.model));
  const parts = [...byModel].map(([model, own]) => refineModel(model, own, given));
  const arms = parts.flatMap((p) => p.arms);
  const differences = parts.flatMap((p) => p.differences);
  const changes = parts.flatMap((p) => p.changes);
  const tables = [...refinementTables(arms), differenceTable(differences), changesTable(changes)];
  return { arms, differences, changes, tables };
};
