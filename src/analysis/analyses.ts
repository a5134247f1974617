import type { ScoredRollout } from '../metrics/schema.ts';
import { rowsOf, settle } from '../metrics/score.ts';
import { type Arm, type CompareOptions, compareArms, compareSlices } from './compare.ts';
import type { Analyses } from './schema.ts';

const armsBy = (rollouts: readonly ScoredRollout[], name: (r: ScoredRollout) => string): Arm[] =>
  [...Map.groupBy(rollouts, name)].map(([arm, own]) => ({ name: arm, rows: rowsOf(own) }));

/** Every analysis of an experiment, from its rollouts and verdicts alone. */
export const analyse = (given: readonly ScoredRollout[], options: CompareOptions): Analyses => {
  const rollouts = settle(given);
  const variants = [...Map.groupBy(rollouts, (r) => r.variant)];
  const named = (r: ScoredRollout): string => (variants.length > 1 ? `${r.model} · ${r.variant}` : r.model);
  return {
    models: variants.flatMap(([, own]) => compareArms(armsBy(own, named), options)),
    variants: [...Map.groupBy(rollouts, (r) => r.model).values()].flatMap((own) =>
      compareArms(
        armsBy(own, (r) => `${r.model} · ${r.variant}`),
        options,
      ),
    ),
    categories: variants.flatMap(([, own]) => compareSlices(armsBy(own, named), (row) => row.category, options)),
  };
};
