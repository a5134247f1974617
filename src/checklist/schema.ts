/** The paper's seven check categories: the instruction sources an agent can obey or break. */
export const CATEGORIES = [
  'SP',
  'System reminder',
  'User query',
  'Agents.md',
  'Skill.md',
  'Memory',
  'Tool schema',
] as const;
export type Category = (typeof CATEGORIES)[number];

/** The paper's six check types. */
export const CHECK_TYPES = [
  'compliance',
  'implementation',
  'understanding',
  'testing',
  'modification',
  'configuration',
] as const;
export type CheckType = (typeof CHECK_TYPES)[number];

/** Where a value stands in a file: line and column start at 1. */
export interface Position {
  file: string;
  line: number;
  column?: number;
}

/** A rule as it was written: JSON, checked later by `judge`'s parser, with its place for messages. */
export interface RuleSource {
  json: unknown;
  at: Position | null;
}

/** One binary check. `(instance, id)` is the key; `id` alone is not unique. */
export interface Check {
  id: string;
  description: string;
  /** As published; `null` when the row has none. Values outside CHECK_TYPES are kept. */
  type: CheckType | (string & {}) | null;
  /** How a program decides. */
  verify?: RuleSource;
  /** The condition under which the check applies. */
  when?: RuleSource;
  /** Scaffold ids the check is for; elsewhere it is left out. */
  scaffolds?: string[];
  /** `also`: an LLM judges it too, for calibration only. */
  judge?: 'also';
  /** Grounding: file and line, or the query. */
  source?: string;
  /** The paper's constraint type of SP and Memory checks. */
  constraint?: string;
  /** The author's verdict per script, for checks without `verify`. */
  labels?: Record<string, string>;
}

/** The checks of one category of one instance. */
export interface CategoryChecks {
  /** The category it counts as: one of the seven, or the raw name (`testing`), shown under "other". */
  category: Category | (string & {});
  /** The name in the row. */
  raw: string;
  description: string;
  checks: Check[];
}

export interface Checklist {
  categories: CategoryChecks[];
}
