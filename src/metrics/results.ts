import type { Results, ScoredRollout } from './schema.ts';
import { countOutcomes, distinct, slices } from './slices.ts';
import { panelOf } from './table.ts';

/** Every figure of an experiment, from its rollouts and verdicts alone. `judges` is the configured panel; default: all but people. */
export const experimentResults = (
  given: readonly ScoredRollout[],
  options: { judges?: readonly string[] } = {},
): Results => {
  const rollouts = distinct(given);
  const judges = [...new Set(options.judges ?? panelOf(rollouts.flatMap((r) => r.rows)))];
  const cut = (...by: Parameters<typeof slices>[1][number][]) => slices(rollouts, ['model', 'variant', ...by], judges);
  return {
    judges,
    models: cut(),
    categories: cut('category'),
    primaryCategories: cut('primaryCategory'),
    checkTypes: cut('checkType'),
    scaffolds: cut('scaffold'),
    scaffoldCategories: cut('scaffold', 'category'),
    environments: cut('environment'),
    outcomes: countOutcomes(rollouts),
  };
};
