import { CATEGORIES, type CategoryChecks, type Check } from '../checklist/schema.ts';
import { oneLine } from '../core/text.ts';
import { conditional } from './conditional.ts';
import type { Dataset, Instance } from './schema.ts';

type Counts = Record<string, number>;

/** A scaffold as a dataset names it. */
export interface ScaffoldSummary {
  id: string;
  /** Names in the rows. */
  names: string[];
  instances: number;
  /** Version -> rows. */
  versions: Counts;
  withoutVersion: number;
}

/** What is in a dataset, as numbers; `by…` are counts by name, the largest first. */
export interface Summary {
  instances: number;
  checks: number;
  primaryCategories: number;
  environments: number;
  /** Rows whose scaffold has no version. */
  withoutVersion: number;
  /** Rows with more than one user query. */
  multiTurn: number;
  withSystemPrompt: number;
  conflicts: number;
  byPrimaryCategory: Counts;
  /** Checks by the paper's seven categories; what is outside them is `other`. */
  byCategory: Counts;
  /** Checks of `other` by their own name. */
  other: Counts;
  /** Checks by the category names in the rows. */
  byRawCategory: Counts;
  byCheckType: Counts;
  scaffolds: ScaffoldSummary[];
  byEnvironment: Counts;
  /** Language of the queries. */
  byLanguage: Counts;
  /** Checks that may have nothing to judge, by their wording, with shares of all checks (null without checks). */
  conditional: { worded: number; tool: number; wordedShare: number | null; share: number | null };
  /** Checks a program can decide, and those that say when they apply. */
  withVerify: number;
  withWhen: number;
  /** Smallest, mean and largest number of checks an instance has; null without instances. */
  checksPerInstance: { min: number; mean: number; max: number } | null;
}

const tally = (names: Iterable<string>): Counts => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)));
};

const weigh = (entries: Iterable<readonly [string, number]>): Counts => {
  const all: string[] = [];
  for (const [name, n] of entries) for (let i = 0; i < n; i++) all.push(name);
  return tally(all);
};

const isSeven = (category: string): boolean => (CATEGORIES as readonly string[]).includes(category);

const scaffoldsOf = (instances: readonly Instance[]): ScaffoldSummary[] =>
  Object.keys(tally(instances.map((i) => i.scaffold.id))).map((id) => {
    const rows = instances.filter((i) => i.scaffold.id === id).map((i) => i.scaffold);
    return {
      id,
      names: [...new Set(rows.map((s) => s.raw))].sort(),
      instances: rows.length,
      versions: tally(rows.flatMap((s) => (s.version === null ? [] : [s.version]))),
      withoutVersion: rows.filter((s) => s.version === null).length,
    };
  });

/** Chinese when at least a tenth of the letters are Han signs (code and names in a Chinese text are Latin), else by script. */
const languageOf = (instance: Instance): string => {
  const text = instance.queries.join('\n');
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  const letters = count(/\p{L}/gu);
  if (letters === 0) return 'unknown';
  if (count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu) * 10 > letters) return 'ja';
  if (count(/\p{Script=Han}/gu) * 10 > letters) return 'zh';
  return count(/\p{Script=Latin}/gu) * 2 > letters ? 'en' : 'other';
};

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const conditionals = (checks: readonly Check[]): Summary['conditional'] => {
  const found = checks.map((c) => conditional(c.description));
  const worded = found.filter((f) => f === 'worded').length;
  const tool = found.filter((f) => f === 'tool').length;
  return { worded, tool, wordedShare: shareOf(worded, checks.length), share: shareOf(worded + tool, checks.length) };
};

const spread = (sizes: readonly number[]): Summary['checksPerInstance'] =>
  sizes.length === 0
    ? null
    : { min: Math.min(...sizes), mean: sizes.reduce((a, b) => a + b, 0) / sizes.length, max: Math.max(...sizes) };

const sizeOf = (instance: Instance): number => instance.checklist.categories.reduce((n, c) => n + c.checks.length, 0);

/** What is in a dataset. Pure. */
export const summarize = (dataset: Pick<Dataset, 'instances'>): Summary => {
  const { instances } = dataset;
  const categories: CategoryChecks[] = instances.flatMap((i) => i.checklist.categories);
  const checks = categories.flatMap((c) => c.checks);
  const byPrimaryCategory = tally(instances.map((i) => i.category));
  const byEnvironment = tally(instances.map((i) => i.environment));
  return {
    instances: instances.length,
    checks: checks.length,
    primaryCategories: Object.keys(byPrimaryCategory).length,
    environments: Object.keys(byEnvironment).length,
    withoutVersion: instances.filter((i) => i.scaffold.version === null).length,
    multiTurn: instances.filter((i) => i.queries.length > 1).length,
    withSystemPrompt: instances.filter((i) => i.systemPrompt.trim() !== '').length,
    conflicts: instances.filter((i) => i.conflictType !== null).length,
    byPrimaryCategory,
    byCategory: weigh(categories.map((c) => [isSeven(c.category) ? c.category : 'other', c.checks.length])),
    other: weigh(categories.flatMap((c) => (isSeven(c.category) ? [] : [[c.category, c.checks.length] as const]))),
    byRawCategory: weigh(categories.map((c) => [c.raw, c.checks.length])),
    byCheckType: tally(checks.map((c) => c.type ?? 'none')),
    scaffolds: scaffoldsOf(instances),
    byEnvironment,
    byLanguage: tally(instances.map(languageOf)),
    conditional: conditionals(checks),
    withVerify: checks.filter((c) => c.verify !== undefined).length,
    withWhen: checks.filter((c) => c.when !== undefined).length,
    checksPerInstance: spread(instances.map(sizeOf)),
  };
};

const SHOWN = 12;

const listed = (counts: Record<string, number>): string => {
  const entries = Object.entries(counts);
  const shown = entries.slice(0, SHOWN).map(([name, n]) => `${oneLine(name, 60)} ${n}`);
  const more = entries.length > SHOWN ? [`and ${entries.length - SHOWN} more`] : [];
  return [...shown, ...more].join(', ');
};

const percent = (share: number | null): string => (share === null ? '-' : `${Math.round(share * 100)}%`);

const scaffold = (s: Summary['scaffolds'][number]): string => {
  const versions = [
    ...Object.entries(s.versions).map(([version, n]) => `${oneLine(version, 30)}: ${n}`),
    ...(s.withoutVersion > 0 ? [`no version: ${s.withoutVersion}`] : []),
  ];
  return `${oneLine(s.id, 40)} ${s.instances} (${versions.join(', ')})`;
};

/** The summary for people, names of the dataset made safe to print. */
export const summaryText = (s: Summary): string => {
  const per = s.checksPerInstance;
  const rows: [string, string][] = [
    ['instances', `${s.instances} in ${s.environments} environments, ${s.multiTurn} with several queries`],
    [
      'checks',
      `${s.checks}${per === null ? '' : ` (${per.min} to ${per.max} an instance, mean ${per.mean.toFixed(1)})`}`,
    ],
    [`${s.primaryCategories} primary categories`, listed(s.byPrimaryCategory)],
    ['check categories', listed(s.byCategory)],
    ...(Object.keys(s.other).length > 0 ? [['  of other', listed(s.other)] as [string, string]] : []),
    ['check types', listed(s.byCheckType)],
    ['scaffolds', s.scaffolds.map(scaffold).join(', ')],
    ['without version', `${s.withoutVersion} rows`],
    ['environments', listed(s.byEnvironment)],
    ['query language', listed(s.byLanguage)],
    [
      'conditional',
      `about ${percent(s.conditional.share)} of the checks may have nothing to judge ` +
        `(${s.conditional.worded} say if or when, ${s.conditional.tool} are about calls that may not be made)`,
    ],
    ['decided by program', `${s.withVerify} have verify, ${s.withWhen} have when`],
    ...(s.conflicts > 0 ? [['conflicts', String(s.conflicts)] as [string, string]] : []),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
};
