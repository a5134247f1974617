import type { VerdictRow } from '../judge/schema.ts';
import { cohenKappa, fleissKappa, gwetAc1, krippendorffAlpha, rawAgreement } from '../stats/agreement.ts';
import type { Agreement, ScoredRollout } from './schema.ts';
import { checkKey } from './table.ts';

type Votes = (string | null)[];

/** A check that nobody but the judges themselves decided: what programs and people say is the same in every column, or no column. */
const own = (row: VerdictRow): boolean => row.by === undefined || row.by === 'llm';

const figures = (category: string | null, judges: readonly string[], units: readonly Votes[]): Agreement => {
  const compared = units.filter((u) => u.filter((v) => v !== null).length >= 2);
  const votes = compared.flat().filter((v) => v !== null);
  const scale = votes.includes('not_applicable') ? ['success', 'fail', 'not_applicable'] : ['success', 'fail'];
  const pairs = judges.flatMap((a, i) =>
    judges.slice(i + 1).map((b, k) => ({ judges: [a, b] as [string, string], i, j: i + 1 + k })),
  );
  return {
    category,
    checks: compared.length,
    judges: [...judges],
    raw: rawAgreement(compared),
    alpha: krippendorffAlpha(compared),
    ac1: gwetAc1(compared, scale),
    fleiss: fleissKappa(compared),
    cohen: pairs.map(({ judges: pair, i, j }) => ({
      judges: pair,
      kappa: cohenKappa(compared.map((u) => [u[i] ?? null, u[j] ?? null] as const)),
    })),
    prevalence: votes.length === 0 ? null : votes.filter((v) => v === 'success').length / votes.length,
  };
};

/**
 * Agreement of the panel on the checks that its judges decided themselves, over all and by category; unscored = did not vote.
 * Empty with fewer than two such judges.
 */
export const panelAgreement = (rollouts: readonly ScoredRollout[], judges: readonly string[]): Agreement[] => {
  const column = new Map(judges.map((j, i) => [j, i]));
  const units: { category: string; votes: Votes }[] = [];
  const voted = new Set<string>();
  for (const rollout of rollouts) {
    if (!rollout.counted) continue;
    const byCheck = new Map<string, Votes>();
    for (const row of rollout.rows) {
      const at = column.get(row.judge);
      if (at === undefined || !own(row)) continue;
      const key = checkKey(row);
      let votes = byCheck.get(key);
      if (votes === undefined) {
        votes = judges.map(() => null);
        byCheck.set(key, votes);
        units.push({ category: row.category, votes });
      }
      if (row.verdict === 'unscored') continue;
      votes[at] = row.verdict;
      voted.add(row.judge);
    }
  }
  if (voted.size < 2) return [];
  const panel = judges.map((j, i) => ({ j, i })).filter(({ j }) => voted.has(j));
  const votesOf = (list: readonly { votes: Votes }[]): Votes[] =>
    list.map((u) => panel.map(({ i }) => u.votes[i] ?? null));
  const names = panel.map(({ j }) => j);
  return [
    figures(null, names, votesOf(units)),
    ...[...Map.groupBy(units, (u) => u.category)].map(([category, list]) => figures(category, names, votesOf(list))),
  ];
};
