import type { Maybe } from '../core/missing.ts';
import type { VerdictRow } from '../judge/schema.ts';
import { clusterInterval, clusterStandardError } from '../stats/cluster.ts';
import { mean, meanOf, sampleStd } from '../stats/mean.ts';
import { wilson } from '../stats/proportion.ts';
import type { Estimate, JudgeScore, Score, ScoredRollout } from './schema.ts';
import {
  panelOf,
  type ScoreOptions,
  type TableRollout,
  type Tally,
  tabulate,
  tallyOf,
  type VerdictTable,
} from './table.ts';

export { rowsOf, settle } from './rollouts.ts';
export { checkKey, type ScoreOptions } from './table.ts';

/** Fewer clusters than this, and a cluster-robust interval covers too little (docs/metrics.md). */
const FEWEST_CLUSTERS = 10;

type Value = (tally: Tally) => Maybe;
const scored = (t: Tally): number => t.success + t.fail;
const all = (t: Tally): number => scored(t) + t.unscored;
const passed: Value = (t) => (t.unscored > 0 || scored(t) === 0 ? null : t.fail === 0 ? 1 : 0);
const share: Value = (t) => (scored(t) === 0 ? null : t.success / scored(t));
const passedLow: Value = (t) => (all(t) === 0 ? null : t.success === all(t) ? 1 : 0);
const passedHigh: Value = (t) => (all(t) === 0 ? null : t.fail === 0 ? 1 : 0);
const shareLow: Value = (t) => (all(t) === 0 ? null : t.success / all(t));
const shareHigh: Value = (t) => (all(t) === 0 ? null : (t.success + t.unscored) / all(t));

/** A figure of each instance: the mean over its repeats that have one. */
const byInstance = (table: VerdictTable, value: (rollout: TableRollout) => Maybe): Maybe[] => {
  const sums = table.instances.map(() => ({ sum: 0, n: 0 }));
  for (const rollout of table.rollouts) {
    const at = sums[rollout.instance];
    const v = value(rollout);
    if (at === undefined || v === null) continue;
    at.sum += v;
    at.n++;
  }
  return sums.map(({ sum, n }) => (n === 0 ? null : sum / n));
};

/** Figures of each instance by each judge, in the table's order: `[judge][instance]`. */
const columns = (table: VerdictTable, value: Value): Maybe[][] =>
  table.judges.map((_, j) => byInstance(table, (r) => (r.counted ? value(tallyOf(r, j)) : null)));

const meanOverJudges = (values: readonly Maybe[][]): Maybe => meanOf(values.map(meanOf));

const totals = (table: VerdictTable, judge: number): Tally => {
  const sum: Tally = { success: 0, fail: 0, notApplicable: 0, unscored: 0 };
  for (const rollout of table.rollouts) {
    const t = tallyOf(rollout, judge);
    sum.success += t.success;
    sum.fail += t.fail;
    sum.notApplicable += t.notApplicable;
    sum.unscored += t.unscored;
  }
  return sum;
};

const judgeScore = (isr: readonly Maybe[], csr: readonly Maybe[], total: Tally): JudgeScore => ({
  isr: meanOf(isr),
  csr: meanOf(csr),
  csrPooled: share(total),
  coverage: isr.length === 0 ? null : isr.filter((v) => v !== null).length / isr.length,
});

/**
 * The interval of a mean over judges of means over instances: clustered standard error with t(clusters - 1) from ten clusters
 * on, else Wilson's on instances. Where all instances agree the standard error is 0, which is no certainty: Wilson too.
 */
const estimate = (table: VerdictTable, values: readonly Maybe[][]): Estimate => {
  const value = meanOverJudges(values);
  const influence: number[] = [];
  const clusters: string[] = [];
  const judged = values.filter((column) => column.some((v) => v !== null));
  const centres = judged.map((column) => ({ mean: meanOf(column) ?? 0, n: column.filter((v) => v !== null).length }));
  for (const [i, instance] of table.instances.entries()) {
    let u = 0;
    let seen = false;
    for (const [j, column] of judged.entries()) {
      const v = column[i] ?? null;
      const centre = centres[j];
      if (v === null || centre === undefined) continue;
      seen = true;
      u += (v - centre.mean) / (centre.n * judged.length);
    }
    if (!seen) continue;
    influence.push(u);
    clusters.push(instance.environment);
  }
  const n = influence.length;
  const g = new Set(clusters).size;
  if (value === null || n === 0) return { value: null, low: null, high: null, method: 'none', n, clusters: g };
  const se = clusterStandardError(influence, clusters) ?? 0;
  if (g < FEWEST_CLUSTERS || se < 1e-12) return { value, ...wilson(value, n), method: 'wilson', n, clusters: g };
  return { value, ...clusterInterval(value, se, g), method: 'cluster_t', n, clusters: g };
};

const boundsOf = (table: VerdictTable, low: Value, high: Value): [Maybe, Maybe] => [
  meanOf(table.judges.map((_, j) => meanOf(byInstance(table, (r) => (r.counted ? low(tallyOf(r, j)) : 0))))),
  meanOverJudges(columns(table, high)),
];

/** Passed by every judge of the panel, of the rollouts that every one of them gives an ISR. */
const unanimous = (table: VerdictTable, rollout: TableRollout): Maybe => {
  const values = table.judges.map((_, j) => passed(tallyOf(rollout, j)));
  return values.length === 0 || values.includes(null) ? null : Math.min(...values.map((v) => v ?? 0));
};

/** Columns that are no part of the panel: shown, and in no other figure. */
const outsiders = (rows: readonly VerdictRow[], panel: readonly string[]): Record<string, JudgeScore> => {
  const inside = new Set(panel);
  const outside = new Map<string, VerdictRow[]>();
  for (const row of rows) {
    if (inside.has(row.judge)) continue;
    const list = outside.get(row.judge);
    if (list === undefined) outside.set(row.judge, [row]);
    else list.push(row);
  }
  const entries = [...outside].map(([judge, own]): [string, JudgeScore] => {
    const table = tabulate(own, [judge]);
    return [judge, judgeScore(columns(table, passed)[0] ?? [], columns(table, share)[0] ?? [], totals(table, 0))];
  });
  return Object.fromEntries(entries);
};

/**
 * ISR and CSR of one arm: callers group rows by model, scaffold and variant first. Per judge, repeats averaged within the
 * instance, then the mean across judges; N/A is left out; a rollout with an unscored check has a CSR and no ISR (docs/metrics.md).
 * Linear in rows.
 */
export const score = (rows: readonly VerdictRow[], options: ScoreOptions = {}): Score => {
  const judges = [...new Set(options.judges ?? panelOf(rows))];
  const table = tabulate(rows, judges, options);
  const isr = columns(table, passed);
  const csr = columns(table, share);
  const total = judges.map((_, j) => totals(table, j));
  const panel = judges.map((judge, j): [string, JudgeScore] => [
    judge,
    judgeScore(isr[j] ?? [], csr[j] ?? [], total[j] ?? totals(table, j)),
  ]);
  const sum = (key: keyof Tally): number => total.reduce((s, t) => s + t[key], 0);
  const estimates = { isr: estimate(table, isr), csr: estimate(table, csr) };
  const std = (values: readonly Maybe[][]): Maybe => sampleStd(values.map(meanOf).filter((v) => v !== null));
  return {
    isr: estimates.isr.value,
    csr: estimates.csr.value,
    csrPooled: meanOf(total.map(share)),
    isrMajority: meanOf(byInstance(table, (r) => passed(r.majority))),
    isrUnanimous: meanOf(byInstance(table, (r) => unanimous(table, r))),
    byJudge: { ...Object.fromEntries(panel), ...outsiders(rows, judges) },
    std: { isr: std(isr), csr: std(csr) },
    counts: {
      instances: table.instances.length,
      excluded: table.instances.length - estimates.isr.n,
      checks: total.reduce((s, t) => s + all(t) + t.notApplicable, 0),
      success: sum('success'),
      fail: sum('fail'),
      notApplicable: sum('notApplicable'),
      unscored: sum('unscored'),
    },
    coverage: table.instances.length === 0 ? null : meanOf(panel.map(([, s]) => s.coverage)),
    bounds: {
      isr: boundsOf(table, passedLow, passedHigh),
      csr: boundsOf(table, shareLow, shareHigh),
      csrPooled: [meanOf(total.map(shareLow)), meanOf(total.map(shareHigh))],
    },
    interval: estimates,
  };
};

/** What one instance is worth in one arm: means over the judges that give it a figure. The unit of every comparison. */
export interface InstanceScore {
  instance: string;
  environment: string;
  isr: Maybe;
  csr: Maybe;
}

/** The arm's figures by instance, for pairing arms and for resampling. */
export const scoreInstances = (rows: readonly VerdictRow[], options: ScoreOptions = {}): InstanceScore[] => {
  const table = tabulate(rows, [...new Set(options.judges ?? panelOf(rows))], options);
  const isr = columns(table, passed);
  const csr = columns(table, share);
  return table.instances.map(({ id, environment }, i) => ({
    instance: id,
    environment,
    isr: mean(isr.map((column) => column[i] ?? null).filter((v) => v !== null)),
    csr: mean(csr.map((column) => column[i] ?? null).filter((v) => v !== null)),
  }));
};

/** For each counted rollout, by key: does it pass, by judge; null = no ISR. */
export const rolloutPasses = (
  rollouts: readonly Pick<ScoredRollout, 'key' | 'counted' | 'rows'>[],
  judges: readonly string[],
): Map<string, Maybe[]> =>
  new Map(
    rollouts
      .filter((r) => r.counted)
      .map((r) => {
        const [only] = tabulate(r.rows, judges).rollouts;
        return [r.key, judges.map((_, j) => (only === undefined ? null : passed(tallyOf(only, j))))];
      }),
  );
