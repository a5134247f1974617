import type { Maybe } from '../core/missing.ts';
import type { Results, Slice, Table, TableCell, TableColumn } from './schema.ts';

/* The layouts of the OctoBench paper: Table 2 (by judge), Table 3 (by scaffold), Tables 12 to 14 (one a scaffold, by category). */

const several = (slices: readonly Slice[]): boolean => new Set(slices.map((s) => s.by.variant)).size > 1;
const nameOf = (slice: Slice, variants: boolean): string =>
  variants ? `${slice.by.model} · ${slice.by.variant}` : (slice.by.model ?? '');
const pair = (group: string): TableColumn[] => [
  { title: 'ISR', group, kind: 'share' },
  { title: 'CSR', group, kind: 'share' },
];
const MODEL: TableColumn = { title: 'Model', kind: 'text' };

const byJudge = (results: Results): Table => {
  const variants = several(results.models);
  return {
    id: 'table-2',
    title: 'Model performance by judge. Overall average: mean and standard deviation across judges.',
    columns: [MODEL, ...results.judges.flatMap(pair), ...pair('Overall average')],
    rows: results.models.map((s): TableCell[] => [
      nameOf(s, variants),
      ...results.judges.flatMap((judge) => {
        const own = s.score.byJudge[judge];
        return [{ value: own?.isr ?? null }, { value: own?.csr ?? null }];
      }),
      { value: s.score.isr, std: s.score.std.isr },
      { value: s.score.csr, std: s.score.std.csr },
    ]),
  };
};

const highest = (values: readonly Maybe[]): number => Math.max(...values.map((v) => v ?? Number.NEGATIVE_INFINITY));

/** Models in rows, the values of one dimension in column groups; `markBest` marks the best ISR of each group. */
const spread = (
  id: string,
  title: string,
  slices: readonly Slice[],
  dimension: 'scaffold' | 'category',
  markBest: boolean,
): Table => {
  const variants = several(slices);
  const groups = [...new Set(slices.map((s) => s.by[dimension] ?? ''))];
  const models = [...new Set(slices.map((s) => nameOf(s, variants)))];
  const cells = new Map(slices.map((s) => [JSON.stringify([nameOf(s, variants), s.by[dimension]]), s.score]));
  const scoreOf = (model: string, group: string) => cells.get(JSON.stringify([model, group]));
  const best = new Map(groups.map((g) => [g, highest(models.map((m) => scoreOf(m, g)?.isr ?? null))]));
  return {
    id,
    title,
    columns: [MODEL, ...groups.flatMap(pair)],
    rows: models.map((model): TableCell[] => [
      model,
      ...groups.flatMap((group): TableCell[] => {
        const score = scoreOf(model, group);
        const isr = score?.isr ?? null;
        const wins = markBest && isr !== null && isr === best.get(group);
        return [
          { value: isr, std: score?.std.isr ?? null, ...(wins ? { best: true as const } : {}) },
          { value: score?.csr ?? null, std: score?.std.csr ?? null },
        ];
      }),
    ]),
  };
};

const NUMBERS: [RegExp, string][] = [
  [/^claude/, 'table-12'],
  [/^droid/, 'table-13'],
  [/^kilo/, 'table-14'],
];

/** The paper's Tables 2, 3 and 12 to 14 from the results; a scaffold that the paper has not gets a table of the same layout. */
export const paperTables = (results: Results): Table[] => [
  byJudge(results),
  spread(
    'table-3',
    'Model performance by scaffold: mean and standard deviation across judges.',
    results.scaffolds,
    'scaffold',
    false,
  ),
  ...[...Map.groupBy(results.scaffoldCategories, (s) => s.by.scaffold ?? '')].map(([scaffold, slices]) =>
    spread(
      NUMBERS.find(([name]) => name.test(scaffold))?.[1] ?? `table-categories-${scaffold}`,
      `Performance by category under ${scaffold}: mean and standard deviation across judges. The best ISR of each category is marked.`,
      slices,
      'category',
      true,
    ),
  ),
];
