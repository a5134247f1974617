import { rowsOf, settle } from '../metrics/score.ts';
import { type Arm, type CompareOptions, compareArms, compareSlices } from './compare.ts';
import { type FamilyMap, judgeAnalysis } from './judges.ts';
import type { AnalysedRollout, Analyses } from './schema.ts';
import { TURN_EDGES, turnAnalysis } from './turns.ts';

export interface AnalyseOptions extends CompareOptions {
  /** Families of judges and models, by name. */
  families?: FamilyMap;
  /** Last turn of each bin but the open one at the end. */
  turnEdges?: readonly number[];
}

const armsBy = (rollouts: readonly AnalysedRollout[], name: (r: AnalysedRollout) => string): Arm[] =>
  [...Map.groupBy(rollouts, name)].map(([arm, own]) => ({ name: arm, rows: rowsOf(own) }));

/**
 * Every analysis of an experiment, from its rollouts and verdicts alone. What one experiment gives no data for is empty.
 * Judges are analysed over all variants together.
 */
export const analyse = (given: readonly AnalysedRollout[], options: AnalyseOptions): Analyses => {
  const rollouts = settle(given);
  const variants = [...Map.groupBy(rollouts, (r) => r.variant)];
  const named = (r: AnalysedRollout): string => (variants.length > 1 ? `${r.model} · ${r.variant}` : r.model);
  return {
    models: variants.flatMap(([, own]) => compareArms(armsBy(own, named), options)),
    variants: [...Map.groupBy(rollouts, (r) => r.model).values()].flatMap((own) =>
      compareArms(
        armsBy(own, (r) => `${r.model} · ${r.variant}`),
        options,
      ),
    ),
    categories: variants.flatMap(([, own]) => compareSlices(armsBy(own, named), (row) => row.category, options)),
    turns: [...Map.groupBy(rollouts, named)].map(([model, own]) =>
      turnAnalysis(model, own, options.judges, options.turnEdges ?? TURN_EDGES),
    ),
    judges: judgeAnalysis(
      armsBy(rollouts, (r) => r.model),
      options,
      options.families,
    ),
  };
};
