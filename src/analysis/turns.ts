import { checkKey, rowsOf, score, settle } from '../metrics/score.ts';
import { kaplanMeier } from '../stats/survival.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import type { AnalysedRollout, Exposure, TurnAnalysis, TurnBin } from './schema.ts';

/** Last turn of each bin but the open one at the end. */
export const TURN_EDGES: readonly number[] = [10, 20, 30, 40, 50];

/** Assistant turns of the main thread, and the turns at which its history was compacted. */
export const lengthOf = (trajectory: Trajectory): { turns: number; compactions: number[] } => {
  const segments = trajectory.threads.filter((t) => t.role === 'main').flatMap((t) => t.segments);
  const last = Math.max(-1, ...segments.flatMap((s) => s.messages.map((m) => m.turn ?? -1)));
  return { turns: last + 1, compactions: segments.filter((s) => s.because === 'compaction').map((s) => s.at) };
};

/** A broken check and the turn of the main thread where it broke first; null = its evidence names none. */
interface Violation {
  category: string;
  turn: number | null;
}

/** Checks that more than half of the panel found broken. */
const violationsOf = (rollout: AnalysedRollout, judges: readonly string[]): Violation[] => {
  const panel = new Set(judges);
  const byCheck = Map.groupBy(
    rollout.rows.filter((r) => panel.has(r.judge) && r.verdict === 'fail'),
    checkKey,
  );
  return [...byCheck.values()]
    .filter((fails) => new Set(fails.map((f) => f.judge)).size * 2 > panel.size)
    .map((fails) => {
      const turns = fails
        .flatMap((f) => f.evidence ?? [])
        .filter((e) => e.thread === 'main')
        .map((e) => e.turn);
      return { category: fails[0]?.category ?? '', turn: turns.length === 0 ? null : Math.min(...turns) };
    });
};

const exposure = (violations: number, turns: number): Exposure => ({
  violations,
  turns,
  rate: turns === 0 ? null : violations / turns,
});

const binsOf = (rollouts: readonly AnalysedRollout[], judges: readonly string[], edges: readonly number[]): TurnBin[] =>
  [...edges, null].map((to, i) => {
    const from = i === 0 ? 0 : (edges[i - 1] ?? 0) + 1;
    const own = rollouts.filter((r) => (r.turns ?? 0) >= from && (to === null || (r.turns ?? 0) <= to));
    return { from, to, rollouts: own.length, isr: score(rowsOf(settle(own)), { judges }).interval.isr };
  });

interface Placed {
  rollout: AnalysedRollout;
  turns: number;
  violations: Violation[];
}

const bySource = (placed: readonly Placed[]): TurnAnalysis['bySource'] => {
  const categories = new Set(placed.flatMap((p) => p.rollout.rows.map((r) => r.category)));
  return [...categories].map((category) => {
    const has = placed.filter((p) => p.rollout.rows.some((r) => r.category === category));
    const broken = has.flatMap((p) => p.violations).filter((v) => v.category === category && v.turn !== null);
    return {
      category,
      exposure: exposure(
        broken.length,
        has.reduce((n, p) => n + p.turns, 0),
      ),
    };
  });
};

const compaction = (placed: readonly Placed[]): TurnAnalysis['compaction'] => {
  const compacted = placed.flatMap((p) => {
    const [first] = [...(p.rollout.compactions ?? [])].sort((a, b) => a - b);
    return first === undefined ? [] : [{ ...p, first }];
  });
  if (compacted.length === 0) return null;
  let before = 0;
  let after = 0;
  for (const { violations, first } of compacted) {
    for (const { turn } of violations) {
      if (turn === null) continue;
      if (turn < first) before++;
      else after++;
    }
  }
  return {
    before: exposure(
      before,
      compacted.reduce((n, p) => n + Math.min(p.first, p.turns), 0),
    ),
    after: exposure(
      after,
      compacted.reduce((n, p) => n + Math.max(0, p.turns - p.first), 0),
    ),
  };
};

/**
 * RQ4 for one model: ISR by bins of assistant turns of the main thread (the paper's Figure 3), and the turn of the first violation
 * as a survival curve, by source and around the first compaction. Rollouts that do not count or have no trajectory are left out.
 */
export const turnAnalysis = (
  model: string,
  rollouts: readonly AnalysedRollout[],
  judges: readonly string[],
  edges: readonly number[] = TURN_EDGES,
): TurnAnalysis => {
  const own = rollouts.filter((r) => r.counted && r.turns !== undefined && r.turns !== null);
  const placed = own.map((r): Placed => ({ rollout: r, turns: r.turns ?? 0, violations: violationsOf(r, judges) }));
  const lives = placed.map(({ turns, violations }) => {
    const first = violations.flatMap((v) => (v.turn === null ? [] : [v.turn])).sort((a, b) => a - b)[0];
    return { time: first ?? turns, event: first !== undefined };
  });
  return {
    model,
    bins: binsOf(own, judges, edges),
    survival: kaplanMeier(lives),
    rollouts: own.length,
    unplaced: placed.flatMap((p) => p.violations).filter((v) => v.turn === null).length,
    bySource: bySource(placed),
    compaction: compaction(placed),
  };
};
