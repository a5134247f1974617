import type { Dimension, Slice } from '../metrics/schema.ts';
import { intervalChart } from './charts.ts';
import { html, type Markup } from './markup.ts';
import type { ReportData } from './schema.ts';
import { type NameColumn, scoreTable } from './table.ts';

const several = (data: ReportData, dimension: Dimension): boolean =>
  new Set(data.results.models.map((s) => s.by[dimension])).size > 1;

/** Model, with its variant where there are several. */
export const armName = (data: ReportData, slice: Slice): string =>
  several(data, 'variant') ? `${slice.by.model} · ${slice.by.variant}` : (slice.by.model ?? '');

const columnsFor = (data: ReportData, ...dimensions: [string, Dimension][]): NameColumn[] => [
  { title: 'Model', name: (s) => s.by.model ?? '' },
  ...(several(data, 'variant') ? [{ title: 'Variant', name: (s: Slice) => s.by.variant ?? '' }] : []),
  ...dimensions.map(([title, d]) => ({ title, name: (s: Slice) => s.by[d] ?? '' })),
];

/** By model: the table and the intervals as a chart. */
export const modelSection = (data: ReportData): Markup => {
  const dots = data.results.models.flatMap((s) => {
    const { value, low, high } = s.score.interval.isr;
    return value === null || low === null || high === null ? [] : [{ label: armName(data, s), value, low, high }];
  });
  return html`<section aria-labelledby="models"><h2 id="models">Results by model</h2>
${scoreTable('ISR: share of instances whose applicable checks all pass. CSR: mean share of passed checks. In small type: 95% interval, in per cent.', columnsFor(data), data.results.models)}
${dots.length === 0 ? null : intervalChart('ISR by model with its 95% interval', dots)}</section>`;
};

/** Every other cut, folded. */
export const cutsSection = (data: ReportData): Markup => {
  const cut = (
    title: string,
    caption: string,
    slices: readonly Slice[],
    ...by: [string, Dimension][]
  ): Markup | null =>
    slices.length === 0
      ? null
      : html`<details class="print"><summary><h3>${title}</h3></summary>${scoreTable(caption, columnsFor(data, ...by), slices)}</details>`;
  const r = data.results;
  return html`<section aria-labelledby="cuts"><h2 id="cuts">Results in detail</h2>
${cut('By category of instruction', 'Instances that have an applicable check in the category', r.categories, ['Category', 'category'])}
${cut('By primary category', 'Instances by the source their task is about', r.primaryCategories, ['Primary category', 'primaryCategory'])}
${cut('By check type', 'Checks of each type alone', r.checkTypes, ['Check type', 'checkType'])}
${cut('By scaffold', 'The same model under each agent CLI', r.scaffolds, ['Scaffold', 'scaffold'])}
${cut('By environment', 'Environments are the clusters of every interval', r.environments, ['Environment', 'environment'])}</section>`;
};
