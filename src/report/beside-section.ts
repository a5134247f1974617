import type { Comparison, PairedDifference } from '../analysis/schema.ts';
import type { ModelResult, Table, TableCell } from '../metrics/schema.ts';
import { count, folded, share, text } from './data-table.ts';
import { points, pValue } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { ReportData } from './schema.ts';
import { armName } from './sections.ts';

const difference = (d: PairedDifference): TableCell[] => [
  points(d.difference),
  d.low === null || d.high === null ? '' : `${points(d.low)} to ${points(d.high)}`,
  d.adjusted === null ? '' : pValue(d.adjusted),
  d.detectable === null ? '' : points(d.detectable).slice(1),
  d.instances,
  d.clusters,
];

const comparisons = (title: string, list: readonly Comparison[], figure: 'isr' | 'csr'): Table => ({
  id: '',
  title: `${title}: difference in ${figure.toUpperCase()}, in points`,
  columns: [
    text('First'),
    text('Second'),
    text('First − second'),
    text('95% interval'),
    text('Adjusted p'),
    text('Smallest to be seen'),
    count('Instances'),
    count('Environments'),
    text('Rank'),
  ],
  rows: list.map((c) => [c.first, c.second, ...difference(c[figure]), c.boundsCross ? 'none claimed' : '']),
});

const beside = (data: ReportData): Table => ({
  id: '',
  title:
    'Solved and followed, in per cent of rollouts in which both are known; applicability; CSR on the checks that apply to every model',
  columns: [
    text('Model'),
    share('Solved'),
    share('Followed'),
    share('Solved, followed'),
    share('Solved, broken'),
    share('Unsolved, followed'),
    share('Unsolved, broken'),
    count('Rollouts'),
    share('Applicable'),
    share('CSR, common checks'),
  ],
  rows: data.results.models.map((m: ModelResult): TableCell[] => {
    const s = m.solvedFollowed;
    const shares = [s.solved, s.followed, s.solvedFollowed, s.solvedBroken, s.unsolvedFollowed, s.unsolvedBroken];
    return [
      armName(data, m),
      ...shares.map((value) => ({ value })),
      s.rollouts,
      { value: m.applicability },
      { value: m.csrCommon },
    ];
  }),
});

const passPower = (data: ReportData): Table => {
  const most = Math.max(0, ...data.results.models.map((m) => m.passPower.length));
  return {
    id: '',
    title: 'pass^k: chance in per cent that k runs of an instance all pass',
    columns: [text('Model'), ...Array.from({ length: most }, (_, k) => share(`k = ${k + 1}`))],
    rows: data.results.models.map((m): TableCell[] => [
      armName(data, m),
      ...m.passPower.map(({ value }) => ({ value })),
    ]),
  };
};

const fixed = (value: number | null): string => (value === null ? 'n/a' : value.toFixed(2));

const agreement = (data: ReportData): Table => ({
  id: '',
  title: 'Agreement of the judges on the checks they decided themselves',
  columns: [
    text('Category'),
    text("Krippendorff's alpha"),
    text("Gwet's AC1"),
    share('Raw agreement'),
    share('Success among votes'),
    count('Checks'),
  ],
  rows: data.results.agreement.map((a): TableCell[] => [
    a.category ?? 'all',
    fixed(a.alpha),
    fixed(a.ac1),
    { value: a.raw },
    { value: a.prevalence },
    a.checks,
  ]),
});

/** What stands beside the scores: comparisons in pairs, solved and followed, pass^k, agreement, and the paper's tables. */
export const besideSection = (data: ReportData): Markup => {
  const a = data.analyses;
  const both = (title: string, list: readonly Comparison[]): Table[] => [
    comparisons(title, list, 'isr'),
    comparisons(title, list, 'csr'),
  ];
  return html`<section aria-labelledby="beside"><h2 id="beside">Beside the scores</h2>
${folded('Models in pairs', both('Models on the same instances', a?.models ?? []))}
${folded('Variants in pairs', both('Variants on the same instances', a?.variants ?? []))}
${folded('Solved, followed, applicable', [beside(data)])}
${data.results.models.some((m) => m.passPower.length > 1) ? folded('Repeats', [passPower(data)]) : null}
${folded('Judges', [agreement(data)])}
${folded("The paper's tables", data.tables ?? [])}</section>`;
};
