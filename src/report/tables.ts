import { printable } from '../core/text.ts';
import type { Table, TableCell, TableColumn } from '../metrics/schema.ts';

export type TableFormat = 'csv' | 'json' | 'markdown' | 'latex';

/** File ending of each format. */
export const TABLE_ENDINGS: Record<TableFormat, string> = { csv: 'csv', json: 'json', markdown: 'md', latex: 'tex' };

const inPercent = (share: number): string => (share * 100).toFixed(2);

/** A cell in words: shares in per cent with two decimals, spread after ±, nothing where there is no data. */
const words = (cell: TableCell, column: TableColumn | undefined, plusMinus: string): string => {
  if (cell === null) return '';
  if (typeof cell === 'string') return printable(cell).replace(/\s+/g, ' ');
  if (typeof cell === 'number') return column?.kind === 'share' ? inPercent(cell) : String(cell);
  if (cell.value === null) return '';
  const spread = cell.std === undefined || cell.std === null ? '' : `${plusMinus}${inPercent(cell.std)}`;
  return `${inPercent(cell.value)}${spread}`;
};

const isBest = (cell: TableCell): boolean => typeof cell === 'object' && cell?.best === true;
const heading = (column: TableColumn): string =>
  column.group === undefined ? column.title : `${column.group} ${column.title}`;

/* A text that a spreadsheet would take for a formula gets an apostrophe in front. */
const csvText = (text: string): string => {
  const safe = /^[=+\-@\t]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** Columns that hold a spread get a second column for it: one number a cell. */
const csv = ({ columns, rows }: Table): string => {
  const spreads = columns.map((_, i) => rows.some((r) => typeof r[i] === 'object' && r[i]?.std !== undefined));
  const head = columns.flatMap((c, i) => (spreads[i] ? [heading(c), `${heading(c)} std`] : [heading(c)]));
  const body = rows.map((row) =>
    columns.flatMap((column, i) => {
      const cell = row[i] ?? null;
      const value = typeof cell === 'object' && cell !== null ? cell.value : cell;
      const std = typeof cell === 'object' && cell !== null ? (cell.std ?? null) : null;
      const share: TableColumn = { ...column, kind: 'share' };
      return spreads[i] ? [words(value, column, ''), words(std, share, '')] : [words(value, column, '')];
    }),
  );
  return `${[head, ...body].map((line) => line.map(csvText).join(',')).join('\r\n')}\r\n`;
};

const markdownText = (text: string): string => text.replace(/[\\|<>`*_[\]]/g, (c) => `\\${c}`);

const markdown = ({ title, columns, rows }: Table): string => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const body = rows.map((row) =>
    line(
      columns.map((column, i) => {
        const cell = row[i] ?? null;
        const text = markdownText(words(cell, column, ' ± '));
        return isBest(cell) ? `**${text}**` : text;
      }),
    ),
  );
  const rule = columns.map((c) => (c.kind === 'text' ? '---' : '---:'));
  return `${[`${markdownText(title)}`, '', line(columns.map((c) => markdownText(heading(c)))), line(rule), ...body].join('\n')}\n`;
};

const LATEX: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
};
const latexText = (text: string): string =>
  text.replace(/[\\~^&%$#_{}]/g, (c) => LATEX[c] ?? `\\${c}`).replaceAll('±', '$\\pm$');

/** Adjacent columns of one group, as `\multicolumn` headings. */
const latexGroups = (columns: readonly TableColumn[]): string | null => {
  if (columns.every((c) => c.group === undefined)) return null;
  const spans: { group: string; n: number }[] = [];
  for (const { group = '' } of columns) {
    const last = spans.at(-1);
    if (last !== undefined && last.group === group && group !== '') last.n++;
    else spans.push({ group, n: 1 });
  }
  return `${spans.map(({ group, n }) => (group === '' ? '' : `\\multicolumn{${n}}{c}{${latexText(group)}}`)).join(' & ')} \\\\`;
};

const latex = ({ id, title, columns, rows }: Table): string => {
  const groups = latexGroups(columns);
  const body = rows.map(
    (row) =>
      `${columns
        .map((column, i) => {
          const cell = row[i] ?? null;
          const text = latexText(words(cell, column, ' ± '));
          return isBest(cell) ? `\\textbf{${text}}` : text;
        })
        .join(' & ')} \\\\`,
  );
  return `${[
    '% needs \\usepackage{booktabs}',
    '\\begin{table}',
    `\\caption{${latexText(title)}}`,
    `\\label{tab:${id.replace(/[^a-z0-9-]/gi, '-')}}`,
    `\\begin{tabular}{${columns.map((c) => (c.kind === 'text' ? 'l' : 'r')).join('')}}`,
    '\\toprule',
    ...(groups === null ? [] : [groups]),
    `${columns.map((c) => latexText(c.title)).join(' & ')} \\\\`,
    '\\midrule',
    ...body,
    '\\bottomrule',
    '\\end{tabular}',
    '\\end{table}',
  ].join('\n')}\n`;
};

/** A table as text. CSV, Markdown and LaTeX give shares in per cent with two decimals; JSON gives them as they are, 0 to 1. */
export const writeTable = (table: Table, format: TableFormat): string => {
  if (format === 'csv') return csv(table);
  if (format === 'markdown') return markdown(table);
  return format === 'latex' ? latex(table) : `${JSON.stringify(table, null, 1)}\n`;
};
