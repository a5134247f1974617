import type { Table, TableCell, TableColumn } from '../metrics/schema.ts';
import { html, type Markup, scrolling } from './markup.ts';

/** Columns of each kind. */
export const text = (title: string): TableColumn => ({ title, kind: 'text' });
export const share = (title: string): TableColumn => ({ title, kind: 'share' });
export const count = (title: string): TableColumn => ({ title, kind: 'count' });

const shown = (cell: TableCell, column: TableColumn): { text: string; sort: number | null } => {
  if (cell === null || typeof cell === 'string') return { text: cell ?? '', sort: null };
  if (typeof cell === 'number')
    return { text: column.kind === 'share' ? (cell * 100).toFixed(1) : String(cell), sort: cell };
  if (cell.value === null) return { text: 'n/a', sort: null };
  const spread = cell.std === undefined || cell.std === null ? '' : ` ± ${(cell.std * 100).toFixed(1)}`;
  return { text: `${(cell.value * 100).toFixed(1)}${spread}`, sort: cell.value };
};

const cellMarkup = (cell: TableCell, column: TableColumn, first: boolean): Markup => {
  const { text: words, sort } = shown(cell, column);
  if (column.kind === 'text') return first ? html`<th scope="row">${words}</th>` : html`<td>${words}</td>`;
  const best = typeof cell === 'object' && cell?.best === true;
  return html`<td class="n" data-sort="${sort ?? ''}">${best ? html`<strong>${words}</strong>` : words}</td>`;
};

/** Any table as HTML that sorts; shares in per cent. */
const dataTable = ({ title, columns, rows }: Table): Markup =>
  scrolling(
    title,
    html`<table class="sortable"><caption>${title}</caption>
<thead><tr>${columns.map((c) => html`<th scope="col"${c.kind === 'text' ? null : html` class="n"`}>${c.group === undefined ? null : `${c.group} `}${c.title}</th>`)}</tr></thead>
<tbody>${rows.map((r) => html`<tr>${columns.map((c, i) => cellMarkup(r[i] ?? null, c, i === 0))}</tr>`)}</tbody></table>`,
  );

/** Tables under a heading that unfolds, with whatever stands before them; null when all are empty. */
export const folded = (title: string, tables: readonly Table[], before: Markup | null = null): Markup | null => {
  const full = tables.filter((t) => t.rows.length > 0);
  return full.length === 0
    ? null
    : html`<details class="print"><summary><h3>${title}</h3></summary>${before}${full.map(dataTable)}</details>`;
};
