import type { Maybe } from '../core/missing.ts';
import type { VerdictRow } from '../judge/schema.ts';
import { type InstanceScore, scoreInstances } from '../metrics/score.ts';
import { clusterBootstrap } from '../stats/bootstrap.ts';
import { mean, meanOf } from '../stats/mean.ts';
import { kendallTau, ranks } from '../stats/rank.ts';
import type { Arm, CompareOptions } from './compare.ts';
import type { JudgeAnalysis, JudgeRanking, RankAgreement, SelfPreference } from './schema.ts';

/** Family of a model or judge, by its name; what the map does not name is its own family. */
export type FamilyMap = Readonly<Record<string, string>>;

type Figure = 'isr' | 'csr';

/** What one judge says of one model, by place of the instance in the grid. */
type Cell = Record<Figure, Maybe[]>;

const own = (row: VerdictRow): boolean => row.by === undefined || row.by === 'llm';

/** Judges by models, with instances as the units that are drawn. */
interface Grid {
  judges: readonly string[];
  models: readonly string[];
  /** Environment of each unit. */
  clusters: string[];
  /** The figure of a judge and model, over all units or over drawn ones. */
  figure(judge: string, model: string, figure: Figure, drawn?: readonly number[]): Maybe;
}

const gridOf = (arms: readonly Arm[], judges: readonly string[]): Grid => {
  const places = new Map<string, number>();
  const clusters: string[] = [];
  const cells = new Map<string, Cell>();
  const voted = new Set<string>();
  const place = ({ instance, environment }: InstanceScore): number => {
    const found = places.get(instance) ?? clusters.length;
    if (found === clusters.length) {
      places.set(instance, found);
      clusters.push(environment);
    }
    return found;
  };
  for (const { name, rows } of arms) {
    const judged = Map.groupBy(rows.filter(own), (r) => r.judge);
    for (const judge of judges) {
      const list = judged.get(judge);
      if (list === undefined) continue;
      voted.add(judge);
      const cell: Cell = { isr: [], csr: [] };
      for (const s of scoreInstances(list, { judges: [judge] })) {
        const at = place(s);
        cell.isr[at] = s.isr;
        cell.csr[at] = s.csr;
      }
      cells.set(`${judge}\n${name}`, cell);
    }
  }
  return {
    judges: judges.filter((j) => voted.has(j)),
    models: arms.map((a) => a.name),
    clusters,
    figure: (judge, model, figure, drawn = clusters.map((_, u) => u)) => {
      const values = cells.get(`${judge}\n${model}`)?.[figure];
      let sum = 0;
      let n = 0;
      for (const u of drawn) {
        const value = values?.[u] ?? null;
        if (value === null) continue;
        sum += value;
        n++;
      }
      return n === 0 ? null : sum / n;
    },
  };
};

/** An interval of any statistic of drawn units. */
const resample = (
  grid: Grid,
  statistic: (drawn: readonly number[]) => Maybe,
  { seed, draws = 1000 }: CompareOptions,
): { low: Maybe; high: Maybe } => {
  const { low, high } = clusterBootstrap(grid.clusters, statistic, { seed, draws });
  return { low, high };
};

const ranking = (grid: Grid, judge: string, families: FamilyMap): JudgeRanking => {
  const isrs = grid.models.map((model) => ({ model, isr: grid.figure(judge, model, 'isr') }));
  const there = isrs.filter((x) => x.isr !== null);
  const places = ranks(there.map((x) => x.isr ?? 0));
  const rankOf = new Map(there.map((x, i) => [x.model, places[i] ?? null]));
  const family = families[judge];
  const relatives = family === undefined ? [] : grid.models.filter((m) => families[m] === family);
  const best = relatives.flatMap((m) => rankOf.get(m) ?? []).sort((a, b) => a - b)[0];
  return { judge, ranks: isrs.map((x) => ({ ...x, rank: rankOf.get(x.model) ?? null })), ownFamilyRank: best ?? null };
};

const pairsOf = <T>(items: readonly T[]): [T, T][] =>
  items.flatMap((a, i) => items.slice(i + 1).map((b): [T, T] => [a, b]));

const tau = (grid: Grid, a: string, b: string, drawn?: readonly number[]): Maybe => {
  const both = grid.models
    .map((m) => [grid.figure(a, m, 'isr', drawn), grid.figure(b, m, 'isr', drawn)] as const)
    .filter(([x, y]) => x !== null && y !== null);
  return kendallTau(
    both.map(([x]) => x ?? 0),
    both.map(([, y]) => y ?? 0),
  );
};

const rankAgreement = (grid: Grid, options: CompareOptions): RankAgreement[] =>
  pairsOf(grid.judges).map(([a, b]) => ({
    judges: [a, b],
    tau: tau(grid, a, b),
    ...resample(grid, (drawn) => tau(grid, a, b, drawn), options),
  }));

/** Mean over models of (this judge's CSR - mean CSR of the other judges). */
const excess = (grid: Grid, judge: string, models: readonly string[], drawn?: readonly number[]): Maybe =>
  mean(
    models.flatMap((model) => {
      const mine = grid.figure(judge, model, 'csr', drawn);
      const theirs = meanOf(grid.judges.filter((j) => j !== judge).map((j) => grid.figure(j, model, 'csr', drawn)));
      return mine === null || theirs === null ? [] : [mine - theirs];
    }),
  );

const selfPreference = (grid: Grid, families: FamilyMap, options: CompareOptions): SelfPreference[] =>
  grid.judges.flatMap((judge) => {
    const family = families[judge];
    const relatives = family === undefined ? [] : grid.models.filter((m) => families[m] === family);
    const strangers = grid.models.filter((m) => !relatives.includes(m));
    if (family === undefined || relatives.length === 0 || strangers.length === 0) return [];
    const of = (drawn?: readonly number[]): Maybe => {
      const kin = excess(grid, judge, relatives, drawn);
      const rest = excess(grid, judge, strangers, drawn);
      return kin === null || rest === null ? null : kin - rest;
    };
    return [{ judge, family, value: of(), ...resample(grid, of, options) }];
  });

const interaction = (grid: Grid): JudgeAnalysis['interaction'] => {
  const figure = (judge: string, model: string): Maybe => grid.figure(judge, model, 'csr');
  const all = meanOf(grid.judges.flatMap((j) => grid.models.map((m) => figure(j, m))));
  return grid.judges.flatMap((judge) =>
    grid.models.map((model) => {
      const cell = figure(judge, model);
      const byJudge = meanOf(grid.models.map((m) => figure(judge, m)));
      const byModel = meanOf(grid.judges.map((j) => figure(j, model)));
      const known = cell !== null && byJudge !== null && byModel !== null && all !== null;
      return { judge, model, value: known ? cell - byJudge - byModel + all : null };
    }),
  );
};

/**
 * RQ5: how each judge ranks the models (the paper's Figure 4), how stable that is, and whether a judge favours its family. Only
 * checks that judges decided themselves enter. Null with fewer than two such judges or two models.
 */
export const judgeAnalysis = (
  arms: readonly Arm[],
  options: CompareOptions,
  families: FamilyMap = {},
): JudgeAnalysis | null => {
  const grid = gridOf(arms, options.judges);
  if (grid.judges.length < 2 || grid.models.length < 2) return null;
  const rankings = grid.judges.map((judge) => ranking(grid, judge, families));
  return {
    rankings,
    displacement: grid.models.map((model) => {
      const places = rankings.flatMap((r) => r.ranks.find((x) => x.model === model)?.rank ?? []);
      return { model, ranks: places.length < 2 ? null : Math.max(...places) - Math.min(...places) };
    }),
    agreement: rankAgreement(grid, options),
    selfPreference: selfPreference(grid, families, options),
    interaction: interaction(grid),
  };
};

/**
 * ISR that a perfect run would get from judges that wrongly fail a check with chance `falseFail`, independently, on `checks`
 * checks: of one judge, or of the strict majority of `judges` of them.
 */
export const isrCeiling = (checks: number, falseFail: number, judges = 1): number => {
  let kept = 0;
  let choose = 1;
  for (let wrong = 0; wrong <= judges; wrong++) {
    if ((judges - wrong) * 2 > judges) kept += choose * falseFail ** wrong * (1 - falseFail) ** (judges - wrong);
    choose = (choose * (judges - wrong)) / (wrong + 1);
  }
  return kept ** checks;
};
