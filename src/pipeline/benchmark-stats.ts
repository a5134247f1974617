import { join, resolve } from 'node:path';
import { type NearDuplicate, nearDuplicates } from '../checklist/near-duplicates.ts';
import { stratifiedSample } from '../checklist/sample.ts';
import { CATEGORIES, CHECK_TYPES, type Check } from '../checklist/schema.ts';
import { oneLine, printable } from '../core/text.ts';
import { assertUsable, loadDataset } from '../dataset/load.ts';
import { type Instance, PRIMARY_CATEGORIES } from '../dataset/schema.ts';
import { type Summary, summarize } from '../dataset/summary.ts';
import { readText } from '../host/files.ts';

export interface StatsOptions {
  /** Checks to draw for two readers; null = none. */
  sample: number | null;
  seed: string;
}

/** A check with where it stands. */
interface Placed {
  instance: Instance;
  category: string;
  check: Check;
}

/** A line of a table of the paper: a name, how many, and which part of all. */
interface Row {
  name: string;
  count: number;
  share: number | null;
  instances?: number;
}

interface SampledCheck {
  instance: string;
  category: string;
  check: string;
  type: string | null;
  description: string;
  decided: 'program' | 'reader';
  source: string | null;
  /** What stands there: the line of the file, the query, the system prompt; null = of the scaffold, or not to be had. */
  text: string | null;
}

interface Figures {
  /** The paper's Table 1. */
  overall: Record<string, number | null>;
  /** Table 6: primary categories of the instances. */
  primary: Row[];
  /** Table 7: sources of the checks. */
  sources: Row[];
  /** Table 8: types of the checks. */
  types: Row[];
  verifiable: number | null;
  conditional: { when: number; worded: number; share: number | null };
  wordings: number;
  nearDuplicates: NearDuplicate[];
  conflicts: Record<string, number>;
}

const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const known = (names: readonly string[], counts: Record<string, number>): string[] => [
  ...names,
  ...Object.keys(counts).filter((name) => !names.includes(name)),
];

const rows = (names: readonly string[], counts: Record<string, number>, whole: number): Row[] =>
  known(names, counts).map((name) => ({ name, count: counts[name] ?? 0, share: shareOf(counts[name] ?? 0, whole) }));

const placed = (instances: readonly Instance[]): Placed[] =>
  instances.flatMap((instance) =>
    instance.checklist.categories.flatMap(({ category, checks }) =>
      checks.map((check) => ({ instance, category, check })),
    ),
  );

const overallOf = (s: Summary, conflicts: number, turns: number): Figures['overall'] => ({
  environments: s.environments,
  instances: s.instances,
  conflicts,
  scaffolds: s.scaffolds.length,
  checks: s.checks,
  'checks an instance': s.checksPerInstance?.mean ?? null,
  'instances with several queries': s.multiTurn,
  queries: turns,
  'instances with a system prompt': s.withSystemPrompt,
});

const figuresOf = (instances: readonly Instance[], summary: Summary, conflicts: readonly Instance[]): Figures => {
  const checks = placed(instances);
  const wordings = [...new Map(checks.map((p) => [p.check.description, p])).values()];
  const having = Map.groupBy(checks, (p) => p.category);
  const inWords = summary.conditional.worded + summary.conditional.tool;
  return {
    overall: overallOf(summary, conflicts.length, instances.flatMap((i) => i.queries).length),
    primary: rows(PRIMARY_CATEGORIES, summary.byPrimaryCategory, summary.instances),
    sources: rows(CATEGORIES, summary.byCategory, summary.checks).map((row) => ({
      ...row,
      instances: new Set(having.get(row.name)?.map((p) => p.instance)).size,
    })),
    types: rows(CHECK_TYPES, summary.byCheckType, summary.checks),
    verifiable: shareOf(summary.withVerify, summary.checks),
    conditional: { when: summary.withWhen, worded: inWords, share: summary.conditional.share },
    wordings: wordings.length,
    nearDuplicates: nearDuplicates(
      wordings.map(({ instance, check }) => ({ id: `${instance.id}.${check.id}`, text: check.description })),
    ),
    conflicts: Object.fromEntries(
      [...Map.groupBy(conflicts, (c) => c.conflictType ?? '')].map(([type, own]) => [type, own.length]),
    ),
  };
};

/** What stands where a check says it comes from: `AGENTS.md:17`, `query 0`, `system prompt, rule 2`. */
const sourceText = async ({ instance, check }: Placed): Promise<string | null> => {
  const source = check.source ?? '';
  const [, file = null, line = '1'] = /^(\S+\.\w+):(\d+)/.exec(source) ?? [];
  if (file !== null && instance.environmentDir !== null) {
    const text = await readText(join(instance.environmentDir, 'workspace', file));
    return text?.split('\n')[Number(line) - 1]?.trim() ?? null;
  }
  const query = /^query (\d+)/.exec(source)?.[1];
  if (query !== undefined) return instance.queries[Number(query)] ?? null;
  return source.startsWith('system prompt') ? instance.systemPrompt : null;
};

const sampledOf = async (one: Placed): Promise<SampledCheck> => ({
  instance: one.instance.id,
  category: one.category,
  check: one.check.id,
  type: one.check.type,
  description: one.check.description,
  decided: one.check.verify === undefined ? 'reader' : 'program',
  source: one.check.source ?? null,
  text: await sourceText(one),
});

const percent = (share: number | null): string => (share === null ? '-' : `${(100 * share).toFixed(1)}%`);

const tableText = (title: string, table: readonly Row[]): string[] => {
  const width = Math.max(...table.map((r) => r.name.length));
  return [
    '',
    title,
    ...table.map(({ name, count, share, instances }) => {
      const inn = instances === undefined ? '' : `  in ${instances} instances`;
      return `  ${oneLine(name, 40).padEnd(width)}  ${String(count).padStart(5)}  ${percent(share).padStart(6)}${inn}`;
    }),
  ];
};

const SHOWN = 20;

const duplicatesText = (pairs: readonly NearDuplicate[]): string[] => [
  '',
  `Near duplicates of wordings (shingles of two words, Jaccard 0.6 or more): ${pairs.length}`,
  ...pairs.slice(0, SHOWN).map((p) => `  ${p.similarity.toFixed(2)}  ${p.a}  ${p.b}`),
  ...(pairs.length > SHOWN ? [`  and ${pairs.length - SHOWN} more (all of them with --json)`] : []),
];

const sampleText = (sample: readonly SampledCheck[], seed: string): string[] =>
  sample.length === 0
    ? []
    : [
        '',
        `Sample of ${sample.length} checks by category, seed ${seed}`,
        ...sample.flatMap((s, i) => [
          `${i + 1}. ${s.instance} ${s.check} (${s.type ?? 'no type'}, decided by ${s.decided})`,
          `   ${s.description}`,
          `   source: ${s.source ?? 'none'}${s.text === null ? '' : `: ${oneLine(s.text, 200)}`}`,
        ]),
      ];

const figuresText = (f: Figures): string[] => {
  const overall = Object.entries(f.overall).map(([name, value]) => {
    const shown = value === null ? '-' : Number.isInteger(value) ? String(value) : value.toFixed(1);
    return `  ${name.padEnd(30)}  ${shown.padStart(5)}`;
  });
  const conflicts = Object.entries(f.conflicts).map(([type, n]) => `${type} ${n}`);
  return [
    'Overall (Table 1 of the paper)',
    ...overall,
    ...tableText('Primary categories of the instances (Table 6)', f.primary),
    ...tableText('Sources of the checks (Table 7)', f.sources),
    ...tableText('Types of the checks (Table 8)', f.types),
    '',
    `Decided by program: ${percent(f.verifiable)} of the checks`,
    `Conditional: ${f.conditional.when} checks have when; by their words ${f.conditional.worded} (${percent(f.conditional.share)}) may have nothing to judge`,
    `Distinct wordings: ${f.wordings}`,
    ...(conflicts.length === 0 ? [] : [`Conflicts: ${conflicts.join(', ')}`]),
    ...duplicatesText(f.nearDuplicates),
  ];
};

/**
 * Figures of a benchmark folder: the counterparts of the paper's Tables 1, 6, 7 and 8, what programs decide, what is conditional,
 * which wordings are alike, and a stratified sample with sources. Conflicts are counted apart: they share their base's checks.
 * @throws BenchError when there is no such folder or it cannot be read
 */
export const benchmarkStats = async (
  folder: string,
  options: StatsOptions,
): Promise<{ text: string; json: unknown }> => {
  const dataset = await loadDataset(resolve(folder));
  assertUsable(dataset);
  const plain = dataset.instances.filter((i) => i.conflictType === null);
  const conflicts = dataset.instances.filter((i) => i.conflictType !== null);
  const figures = figuresOf(plain, summarize({ ...dataset, instances: plain }), conflicts);
  const drawn = stratifiedSample(placed(plain), (p) => p.category, options.sample ?? 0, options.seed);
  const sample = await Promise.all(drawn.map(sampledOf));
  return {
    text: printable([...figuresText(figures), ...sampleText(sample, options.seed)].join('\n')),
    json: { version: 1, ...figures, sample: options.sample === null ? null : { seed: options.seed, checks: sample } },
  };
};
