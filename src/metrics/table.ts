import type { VerdictRow, VerdictValue } from '../judge/schema.ts';

/** What `score` may be told beyond the rows. */
export interface ScoreOptions {
  /** The configured panel. Default: every judge of the rows whose column is not a person's. */
  judges?: readonly string[];
  /** Instances that were planned; those without any row count as left out. */
  instances?: Iterable<string>;
  /** Rollouts that do not count (infrastructure or scaffold failed, cancelled): they enter the bounds alone. */
  notCounted?: Iterable<{ instance: string; environment?: string; repeat: number }>;
}

/** Votes on one check, or on all checks of a rollout. */
export interface Tally {
  success: number;
  fail: number;
  notApplicable: number;
  unscored: number;
}

/** One run of one instance, its votes summed up. */
export interface TableRollout {
  instance: number;
  counted: boolean;
  /** By judge, in the table's order. */
  tallies: Tally[];
  /** The majority's column. */
  majority: Tally;
}

/** Verdicts as a matrix: a row a check of a rollout, a column a judge of the panel. A cell nobody filled is unscored. */
export interface VerdictTable {
  judges: readonly string[];
  /** Environment by instance: the cluster; an instance without one is its own. */
  instances: { id: string; environment: string }[];
  rollouts: TableRollout[];
}

const CODES: Record<VerdictValue, number> = { success: 1, fail: 2, not_applicable: 3, unscored: 4 };
const UNSCORED = CODES.unscored;
const emptyTally = (): Tally => ({ success: 0, fail: 0, notApplicable: 0, unscored: 0 });
const count = (tally: Tally, code: number): void => {
  if (code === 1) tally.success++;
  else if (code === 2) tally.fail++;
  else if (code === 3) tally.notApplicable++;
  else tally.unscored++;
};

/** What tells the checks of an instance apart: some datasets use an id once a category. */
export const checkKey = (row: Pick<VerdictRow, 'category' | 'check'>): string => `${row.category}\n${row.check}`;

/** The panel of some rows: judges in order of appearance, people left out. */
export const panelOf = (rows: readonly VerdictRow[]): string[] => {
  const people = new Set<string>();
  const judges = new Set<string>();
  for (const row of rows) {
    judges.add(row.judge);
    if (row.by === 'human') people.add(row.judge);
  }
  return [...judges].filter((j) => !people.has(j));
};

/** More than half of the configured judges say the same, or it is unscored; N/A is a vote. */
const majorityOf = (votes: readonly number[]): number => {
  const seen = [0, 0, 0, 0, 0];
  for (const code of votes) seen[code] = (seen[code] ?? 0) + 1;
  for (const code of [1, 2, 3]) if ((seen[code] ?? 0) * 2 > votes.length) return code;
  return UNSCORED;
};

interface OpenRollout {
  instance: number;
  counted: boolean;
  /** Votes by check, in columns. */
  checks: Map<string, number[]>;
}

interface OpenInstance {
  index: number;
  repeats: Map<number, OpenRollout>;
}

class Tabulation {
  readonly instances: VerdictTable['instances'] = [];
  readonly rollouts: OpenRollout[] = [];
  readonly #byInstance = new Map<string, OpenInstance>();

  instance(id: string, environment: string | undefined): OpenInstance {
    let found = this.#byInstance.get(id);
    if (found === undefined) {
      found = { index: this.instances.length, repeats: new Map() };
      this.#byInstance.set(id, found);
      this.instances.push({ id, environment: environment ?? id });
    }
    return found;
  }

  rollout(id: string, environment: string | undefined, repeat: number, counted: boolean): OpenRollout {
    const instance = this.instance(id, environment);
    let found = instance.repeats.get(repeat);
    if (found === undefined) {
      found = { instance: instance.index, counted, checks: new Map() };
      instance.repeats.set(repeat, found);
      this.rollouts.push(found);
    }
    return found;
  }
}

const sumUp = ({ instance, counted, checks }: OpenRollout, judges: readonly string[]): TableRollout => {
  const tallies = judges.map(emptyTally);
  const majority = emptyTally();
  for (const votes of checks.values()) {
    for (const [j, tally] of tallies.entries()) count(tally, votes[j] ?? 0);
    count(majority, majorityOf(votes));
  }
  return { instance, counted, tallies, majority };
};

/** A judge's votes on a rollout of the table, by the judge's place. */
export const tallyOf = (rollout: TableRollout, judge: number): Tally => rollout.tallies[judge] ?? emptyTally();

/** Puts rows in order, in one pass; linear in rows. A cell given twice counts once, and is unscored when the two disagree. */
export const tabulate = (
  rows: Iterable<VerdictRow>,
  judges: readonly string[],
  options: ScoreOptions = {},
): VerdictTable => {
  const column = new Map(judges.map((j, i) => [j, i]));
  const building = new Tabulation();
  for (const row of rows) {
    const judge = column.get(row.judge);
    if (judge === undefined) continue;
    const { checks } = building.rollout(row.instance, row.environment, row.repeat, true);
    const key = checkKey(row);
    let votes = checks.get(key);
    if (votes === undefined) {
      votes = judges.map(() => 0);
      checks.set(key, votes);
    }
    const code = CODES[row.verdict];
    const before = votes[judge];
    votes[judge] = before === 0 || before === code ? code : UNSCORED;
  }
  for (const r of options.notCounted ?? []) building.rollout(r.instance, r.environment, r.repeat, false);
  for (const id of options.instances ?? []) building.instance(id, undefined);
  return { judges, instances: building.instances, rollouts: building.rollouts.map((r) => sumUp(r, judges)) };
};
