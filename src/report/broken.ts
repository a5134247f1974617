import { checkKey } from '../metrics/score.ts';
import type { ReportData, ReportRollout, ReportVerdict } from './schema.ts';

/** One check of one rollout, all judges' words together. */
export interface CheckVerdicts {
  rollout: ReportRollout;
  check: string;
  category: string;
  verdicts: ReportVerdict[];
  /** Worst word said: a fail before an unscored before a success before N/A. */
  state: ReportVerdict['verdict'];
}

const WORST = ['fail', 'unscored', 'success', 'not_applicable'] as const;

/** The checks of a rollout in the order of its rows. */
export const checksOf = (rollout: ReportRollout): CheckVerdicts[] => {
  const byCheck = new Map<string, ReportVerdict[]>();
  for (const row of rollout.rows) {
    const key = checkKey(row);
    const list = byCheck.get(key);
    if (list === undefined) byCheck.set(key, [row]);
    else list.push(row);
  }
  return [...byCheck.values()].map((verdicts) => ({
    rollout,
    check: verdicts[0]?.check ?? '',
    category: verdicts[0]?.category ?? '',
    verdicts,
    state: WORST.find((w) => verdicts.some((v) => v.verdict === w)) ?? 'unscored',
  }));
};

/** Every check that some judge found broken, rollout by rollout. */
export const brokenChecks = (data: ReportData): CheckVerdicts[] =>
  data.rollouts.filter((r) => r.counted).flatMap((r) => checksOf(r).filter((c) => c.state === 'fail'));

/** The verdict that says it is broken, with the most evidence. */
export const breaking = (c: CheckVerdicts): ReportVerdict | undefined =>
  c.verdicts.filter((v) => v.verdict === 'fail').sort((a, b) => b.evidence.length - a.evidence.length)[0];

/** What to say when nothing was found broken: that is good news only if something was decided. */
export const nothingBroken = (data: ReportData): string =>
  data.results.models.some((s) => s.score.counts.success + s.score.counts.fail > 0)
    ? 'No rule was found broken.'
    : 'No check was decided, so nothing is known of broken rules.';
