import { oneLine } from '../core/text.ts';
import type { Slice } from '../metrics/schema.ts';
import { breaking, brokenChecks, type CheckVerdicts, nothingBroken } from './broken.ts';
import { percent, plural, range, unfinished } from './format.ts';
import type { ReportData } from './schema.ts';

export interface TerminalOptions {
  /** Columns of the terminal. */
  width: number;
  color: boolean;
}

/** Broken checks listed before the rest is summed up. */
const MOST_LISTED = 30;

type Paint = (text: string, code: string) => string;

/** A table in plain text: the first column to the left, figures to the right; the first column gives way when it is too wide. */
const textTable = (head: readonly string[], rows: readonly (readonly string[])[], width: number): string[] => {
  const widths = head.map((h, i) => Math.max(h.length, ...rows.map((r) => (r[i] ?? '').length)));
  const others = widths.slice(1).reduce((s, w) => s + w + 2, 0);
  widths[0] = Math.max(8, Math.min(widths[0] ?? 0, width - others));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? oneLine(cell, widths[0]).padEnd(widths[0] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)];
};

const several = (slices: readonly Slice[], dimension: 'variant'): boolean =>
  new Set(slices.map((s) => s.by[dimension])).size > 1;

/** `model`, or `model · variant` where there are several variants. */
const armName = (slice: Slice, variants: boolean): string =>
  oneLine(variants ? `${slice.by.model} · ${slice.by.variant}` : `${slice.by.model}`, 60);

const modelTable = (data: ReportData, width: number): string[] => {
  const variants = several(data.results.models, 'variant');
  const rows = data.results.models.map((s) => [
    armName(s, variants),
    percent(s.score.isr),
    range(s.score.interval.isr),
    percent(s.score.csr),
    range(s.score.interval.csr),
    percent(s.score.coverage),
    String(s.score.counts.unscored),
    `${s.outcomes.byOutcome.finished ?? 0}/${s.outcomes.planned}`,
  ]);
  return textTable(['model', 'ISR', '95%', 'CSR', '95%', 'coverage', 'unscored', 'finished'], rows, width);
};

/** CSR by category, models in columns; as many tables below each other as the width asks for. */
const categoryTables = (data: ReportData, width: number): string[][] => {
  const variants = several(data.results.models, 'variant');
  const categories = [...new Set(data.results.categories.map((s) => s.by.category ?? ''))];
  const cells = new Map(data.results.categories.map((s) => [`${armName(s, variants)}\n${s.by.category}`, s.score.csr]));
  const models = data.results.models.map((s) => armName(s, variants));
  const columns = Math.max(1, Math.floor((width - 22) / 26));
  const table = (some: readonly string[]): string[] =>
    textTable(
      ['CSR by category', ...some.map((m) => oneLine(m, 24))],
      categories.map((c) => [
        oneLine(c, 40),
        ...some.map((m) => {
          const value = cells.get(`${m}\n${c}`);
          return value === undefined ? '' : percent(value);
        }),
      ]),
      width,
    );
  return Array.from({ length: Math.ceil(models.length / columns) }, (_, i) =>
    table(models.slice(i * columns, (i + 1) * columns)),
  );
};

const brokenLine = (c: CheckVerdicts, width: number): string => {
  const fail = breaking(c);
  const at = fail?.evidence[0];
  const turn = at === undefined ? '' : ` · turn ${at.turn}`;
  const quote = at?.quote ?? at?.path ?? fail?.reason ?? '';
  return oneLine(
    `${c.rollout.model}  ${c.rollout.instance} · ${c.check}${turn}${quote === '' ? '' : ` · ${quote}`}`,
    width - 4,
  );
};

const brokenList = (data: ReportData, width: number, paint: Paint): string[] => {
  const broken = brokenChecks(data);
  if (broken.length === 0) return [nothingBroken(data)];
  const listed = broken.slice(0, MOST_LISTED).map((c) => `  ${paint('✗', '31')} ${brokenLine(c, width)}`);
  const rest = broken.length - listed.length;
  return [paint('Broken rules', '1'), ...listed, ...(rest > 0 ? [`  … and ${rest} more, all in the report`] : [])];
};

const unscoredLines = (data: ReportData): string[] => {
  const reasons = new Map<string, number>();
  for (const r of data.rollouts) {
    if (!r.counted) continue;
    for (const row of r.rows) {
      if (row.verdict === 'unscored') reasons.set(row.reason, (reasons.get(row.reason) ?? 0) + 1);
    }
  }
  if (reasons.size === 0) return [];
  const total = [...reasons.values()].reduce((a, b) => a + b, 0);
  const why = [...reasons]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 5)
    .map(([reason, n]) => `${n} ${oneLine(reason || 'no reason given', 60)}`);
  return ['', `Unscored: ${plural(total, 'verdict')} (${why.join('; ')})`];
};

/** The results for a terminal: by model, by category, what was broken where, and what nobody could decide. Ends in a newline. */
export const terminalSummary = (data: ReportData, options: TerminalOptions): string => {
  const paint: Paint = (text, code) => (options.color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const left = unfinished(data.results.outcomes);
  const [head, ...rows] = modelTable(data, options.width);
  const categories = categoryTables(data, options.width).flatMap(([title, ...lines]) => [
    '',
    paint(title ?? '', '1'),
    ...lines,
  ]);
  return [
    paint(head ?? '', '1'),
    ...rows,
    ...(left === '' ? [] : ['', `Of ${plural(data.results.outcomes.planned, 'rollout')}: ${left}.`]),
    ...categories,
    '',
    ...brokenList(data, options.width, paint),
    ...unscoredLines(data),
    '',
  ].join('\n');
};
