import type { JudgeAnalysis, TurnAnalysis, TurnBin } from '../analysis/schema.ts';
import type { Table, TableCell } from '../metrics/schema.ts';
import { lineChart } from './charts.ts';
import { count, folded, share, text } from './data-table.ts';
import { percent, points, range } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { ReportData } from './schema.ts';

const inPercent = (value: number | null): number | null => (value === null ? null : value * 100);
const binName = (b: TurnBin): string => (b.to === null ? `${b.from}+` : `${b.from}–${b.to}`);

const turnTables = (turns: readonly TurnAnalysis[]): Table[] => [
  {
    id: '',
    title: 'ISR by assistant turns of the main thread, in per cent, with 95% intervals and instances in each bin',
    columns: [text('Model'), text('Turns'), share('ISR'), text('95% interval'), count('Instances'), count('Rollouts')],
    rows: turns.flatMap((t) =>
      t.bins
        .filter((b) => b.rollouts > 0)
        .map((b): TableCell[] => [t.model, binName(b), { value: b.isr.value }, range(b.isr), b.isr.n, b.rollouts]),
    ),
  },
  {
    id: '',
    title: 'Violations in 100 turns, by the source that was broken, and before and after the first compaction',
    columns: [text('Model'), text('Source'), text('In 100 turns'), count('Violations'), count('Turns')],
    rows: turns.flatMap((t) => {
      const c = t.compaction;
      const around =
        c === null
          ? []
          : [
              { category: 'before the first compaction', exposure: c.before },
              { category: 'after it', exposure: c.after },
            ];
      return [...t.bySource, ...around].map(({ category, exposure }): TableCell[] => [
        t.model,
        category,
        exposure.rate === null ? 'n/a' : (exposure.rate * 100).toFixed(2),
        exposure.violations,
        exposure.turns,
      ]);
    }),
  },
];

const turnFigures = (turns: readonly TurnAnalysis[]): Markup => {
  const places = turns[0]?.bins.map(binName) ?? [];
  const survival = turns.filter((t) => t.survival.length > 0);
  return html`${lineChart(
    'ISR by assistant turns of the main thread',
    turns.map((t) => ({ name: t.model, points: t.bins.map((b) => ({ x: binName(b), y: inPercent(b.isr.value) })) })),
    { x: 'assistant turns', y: 'ISR, per cent', places },
  )}
${
  survival.length === 0
    ? null
    : lineChart(
        'Rollouts without a violation yet, by turn (Kaplan–Meier; things never done have no turn and end no curve)',
        survival.map((t) => ({
          name: t.model,
          points: [{ x: 0, y: 100 }, ...t.survival.map((s) => ({ x: s.time + 1, y: s.survival * 100 }))],
        })),
        { x: 'assistant turns', y: 'per cent', step: true },
      )
}`;
};

const judgeTables = (j: JudgeAnalysis): Table[] => [
  {
    id: '',
    title: 'Rank of each model by ISR, judge by judge, on the checks that judges decided themselves',
    columns: [text('Model'), ...j.rankings.map((r) => text(r.judge)), text('Largest difference')],
    rows: j.displacement.map((d): TableCell[] => [
      d.model,
      ...j.rankings.map((r) => {
        const own = r.ranks.find((x) => x.model === d.model);
        return own?.rank === null || own === undefined ? 'n/a' : `${own.rank} (${percent(own.isr)})`;
      }),
      d.ranks === null ? 'n/a' : String(d.ranks),
    ]),
  },
  {
    id: '',
    title: "Agreement of two judges' rankings: Kendall's tau with its 95% interval over environments",
    columns: [text('First'), text('Second'), text('tau'), text('95% interval')],
    rows: j.agreement.map((a): TableCell[] => [
      ...a.judges,
      a.tau?.toFixed(2) ?? 'n/a',
      a.low === null || a.high === null ? '' : `${a.low.toFixed(2)} to ${a.high.toFixed(2)}`,
    ]),
  },
  {
    id: '',
    title: 'Self-preference: what a judge gives its own family beyond what it gives all, in points of CSR',
    columns: [text('Judge'), text('Family'), text('Points'), text('95% interval')],
    rows: j.selfPreference.map((s): TableCell[] => [
      s.judge,
      s.family,
      points(s.value),
      s.low === null || s.high === null ? '' : `${points(s.low)} to ${points(s.high)}`,
    ]),
  },
];

const judgeFigure = (j: JudgeAnalysis): Markup => {
  const models = j.displacement.map((d) => d.model);
  return lineChart(
    'Rank by judge; 1 is best',
    models.map((name) => ({
      name,
      points: j.rankings.map((r) => ({ x: r.judge, y: r.ranks.find((x) => x.model === name)?.rank ?? null })),
    })),
    { x: 'judge', y: 'rank', places: j.rankings.map((r) => r.judge), range: [0.5, models.length + 0.5] },
  );
};

/** Turns and judges, as figures and tables; nothing where the experiment gives no data. */
export const analysisSection = (data: ReportData): Markup | null => {
  const turns =
    data.analyses?.turns.filter((t) => t.survival.length > 0 || t.bins.some((b) => b.isr.value !== null)) ?? [];
  const judges = data.analyses?.judges ?? null;
  if (turns.length === 0 && judges === null) return null;
  return html`<section aria-labelledby="analyses"><h2 id="analyses">Turns and judges</h2>
${turns.length === 0 ? null : folded('Rule-keeping by length', turnTables(turns), turnFigures(turns))}
${judges === null ? null : folded('Ranks by judge', judgeTables(judges), judgeFigure(judges))}</section>`;
};
