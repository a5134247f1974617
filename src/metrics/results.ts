import type { VerdictRow } from '../judge/schema.ts';
import { panelAgreement } from './agreement.ts';
import { applicabilityOf, commonRows } from './applicability.ts';
import { passPower } from './pass-k.ts';
import { rowsOf, settle } from './rollouts.ts';
import type { Dimension, ModelResult, Results, ScoredRollout, Slice } from './schema.ts';
import { score } from './score.ts';
import { countOutcomes, slices } from './slices.ts';
import { solvedFollowed } from './solved.ts';
import { panelOf } from './table.ts';

/** Figures on what LLM judges decided themselves, where programs decided some checks and judges others. */
const judgedOf = (rows: readonly VerdictRow[], judges: readonly string[]): ModelResult['judged'] => {
  const own = rows.filter((r) => r.by === 'llm');
  if (own.length === 0 || !rows.some((r) => r.by === 'program')) return null;
  const { isr, csr, std } = score(own, { judges });
  return { isr, csr, std };
};

const modelResults = (
  rollouts: readonly ScoredRollout[],
  cuts: readonly Slice[],
  judges: readonly string[],
): ModelResult[] => {
  const arms = [...Map.groupBy(rollouts, (r) => JSON.stringify([r.model, r.variant])).values()];
  const rows = arms.map((arm) => rowsOf(arm));
  const common = commonRows(rows);
  return cuts.map((slice, i) => ({
    ...slice,
    passPower: passPower(arms[i] ?? [], judges),
    solvedFollowed: solvedFollowed(arms[i] ?? [], judges),
    applicability: applicabilityOf(slice.score),
    csrCommon: score(common[i] ?? [], { judges }).csr,
    judged: judgedOf(rows[i] ?? [], judges),
  }));
};

/** Every figure of an experiment, from its rollouts and verdicts alone. `judges` is the configured panel; default: all but people. */
export const experimentResults = (
  given: readonly ScoredRollout[],
  options: { judges?: readonly string[] } = {},
): Results => {
  const rollouts = settle(given);
  const judges = [...new Set(options.judges ?? panelOf(rollouts.flatMap((r) => r.rows)))];
  const cut = (...by: Dimension[]): Slice[] => slices(rollouts, ['model', 'variant', ...by], judges);
  return {
    judges,
    models: modelResults(rollouts, cut(), judges),
    categories: cut('category'),
    primaryCategories: cut('primaryCategory'),
    checkTypes: cut('checkType'),
    scaffolds: cut('scaffold'),
    scaffoldCategories: cut('scaffold', 'category'),
    environments: cut('environment'),
    agreement: panelAgreement(rollouts, judges),
    outcomes: countOutcomes(rollouts),
  };
};
