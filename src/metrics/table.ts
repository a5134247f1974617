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

interface TableRollout {
  instance: number;
  counted: boolean;
  /** Rows of `votes`. */
  checks: number[];
}

/** Verdicts as a matrix: a row a check of a rollout, a column a judge of the panel. A cell nobody filled is unscored. */
export interface VerdictTable {
  judges: readonly string[];
  /** Environment by instance: the cluster; an instance without one is its own. */
  instances: { id: string; environment: string }[];
  rollouts: TableRollout[];
  votes: (rollout: TableRollout, judge: number) => Tally;
  /** The majority's column. */
  majority: (rollout: TableRollout) => Tally;
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

interface Building {
  instances: VerdictTable['instances'];
  rollouts: TableRollout[];
  byInstance: Map<
    string,
    { index: number; repeats: Map<number, { rollout: TableRollout; checks: Map<string, number> }> }
  >;
}

const instanceOf = (b: Building, id: string, environment: string | undefined) => {
  let found = b.byInstance.get(id);
  if (found === undefined) {
    found = { index: b.instances.length, repeats: new Map() };
    b.byInstance.set(id, found);
    b.instances.push({ id, environment: environment ?? id });
  }
  return found;
};

const rolloutOf = (b: Building, id: string, environment: string | undefined, repeat: number, counted: boolean) => {
  const instance = instanceOf(b, id, environment);
  let found = instance.repeats.get(repeat);
  if (found === undefined) {
    found = { rollout: { instance: instance.index, counted, checks: [] }, checks: new Map() };
    instance.repeats.set(repeat, found);
    b.rollouts.push(found.rollout);
  }
  return found;
};

/** Puts rows in order, in one pass; linear in rows. A cell given twice counts once, and is unscored when the two disagree. */
export const tabulate = (
  rows: Iterable<VerdictRow>,
  judges: readonly string[],
  options: ScoreOptions = {},
): VerdictTable => {
  const column = new Map(judges.map((j, i) => [j, i]));
  const width = judges.length;
  const votes: number[] = [];
  const b: Building = { instances: [], rollouts: [], byInstance: new Map() };
  for (const row of rows) {
    const judge = column.get(row.judge);
    if (judge === undefined) continue;
    const { rollout, checks } = rolloutOf(b, row.instance, row.environment, row.repeat, true);
    let at = checks.get(row.check);
    if (at === undefined) {
      at = votes.length;
      checks.set(row.check, at);
      rollout.checks.push(at);
      for (let j = 0; j < width; j++) votes.push(0);
    }
    const code = CODES[row.verdict];
    const before = votes[at + judge];
    votes[at + judge] = before === 0 || before === code ? code : UNSCORED;
  }
  for (const r of options.notCounted ?? []) rolloutOf(b, r.instance, r.environment, r.repeat, false);
  for (const id of options.instances ?? []) instanceOf(b, id, undefined);
  const tallyOf = (rollout: TableRollout, code: (at: number) => number): Tally => {
    const tally = emptyTally();
    for (const at of rollout.checks) count(tally, code(at));
    return tally;
  };
  return {
    judges,
    instances: b.instances,
    rollouts: b.rollouts,
    votes: (rollout, judge) => tallyOf(rollout, (at) => votes[at + judge] ?? 0),
    majority: (rollout) => tallyOf(rollout, (at) => majorityOf(votes.slice(at, at + width))),
  };
};
