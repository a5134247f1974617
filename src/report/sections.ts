import type { Dimension, Slice } from '../metrics/schema.ts';
import { type CheckVerdicts, checksOf } from './broken.ts';
import { intervalChart } from './charts.ts';
import { outcomeLabel, plural } from './format.ts';
import { html, type Markup, trusted } from './markup.ts';
import { verdictBadge } from './rollout.ts';
import type { ReportData, ReportInstance, ReportRollout } from './schema.ts';
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

const stateCounts = (rollout: ReportRollout): Markup => {
  const checks = checksOf(rollout);
  const n = (state: CheckVerdicts['state']): number => checks.filter((c) => c.state === state).length;
  return html`${(['fail', 'unscored', 'success', 'not_applicable'] as const).filter((s) => n(s) > 0).map((s) => html`<span>${n(s)} ${verdictBadge(s)}</span>`)}`;
};

/** How a rollout's body gets into the page: inline, or loaded from a script beside it. */
export type BodyOf = (rollout: ReportRollout) => { inline: string } | { src: string };

const rolloutSection = (data: ReportData, rollout: ReportRollout, id: string, body: ReturnType<BodyOf>): Markup => {
  const state = rollout.counted ? stateCounts(rollout) : html`<span>not judged</span>`;
  return html`<details class="rollout" id="${id}"${'src' in body ? html` data-src="${body.src}"` : null}>
<summary><strong>${rollout.model}</strong><span class="soft">${data.experiment.variants.length > 1 ? `${rollout.variant} · ` : null}${rollout.scaffold}${data.experiment.repeats > 1 ? ` · repeat ${rollout.repeat}` : null} · ${rollout.instance}</span><span>${outcomeLabel(rollout.outcome, rollout.counted)}${rollout.reason === null ? null : ` (${rollout.reason})`}</span>${state}</summary>
<div class="body">${'inline' in body ? trusted(body.inline) : html`<p class="note">Loading ${body.src} …</p>`}</div></details>`;
};

const instanceGroup = (
  data: ReportData,
  instance: ReportInstance,
  rollouts: readonly ReportRollout[],
  idOf: (r: ReportRollout) => string,
  bodyOf: BodyOf,
): Markup => html`<div class="instance">
<h3>${instance.id} <span class="soft">· ${instance.primaryCategory} · ${instance.environment} · ${plural(instance.checks.length, 'check')}</span></h3>
${instance.queries.length === 0 ? null : html`<details><summary>${plural(instance.queries.length, 'user query').replace('querys', 'queries')}</summary>${instance.queries.map((q) => html`<pre class="text" dir="auto">${q}</pre>`)}</details>`}
${rollouts.length === 0 ? html`<p class="note">No rollout.</p>` : rollouts.map((r) => rolloutSection(data, r, idOf(r), bodyOf(r)))}</div>`;

/** Every instance with its rollouts; rollouts of instances the data does not describe come last. */
export const instanceSection = (data: ReportData, idOf: (r: ReportRollout) => string, bodyOf: BodyOf): Markup => {
  const known = new Set(data.instances.map((i) => i.id));
  const strangers = [...new Set(data.rollouts.map((r) => r.instance))].filter((id) => !known.has(id));
  const byInstance = new Map<string, ReportRollout[]>();
  for (const r of data.rollouts) byInstance.set(r.instance, [...(byInstance.get(r.instance) ?? []), r]);
  const all: ReportInstance[] = [
    ...data.instances,
    ...strangers.map((id) => ({ id, primaryCategory: 'unknown', environment: 'unknown', queries: [], checks: [] })),
  ];
  return html`<section aria-labelledby="instances"><h2 id="instances">Instances, checks and trajectories</h2>
<p hidden><label for="filter">Show only rollouts with</label> <input id="filter" type="search" placeholder="model, instance, broken …"></p>
${all.map((i) => instanceGroup(data, i, byInstance.get(i.id) ?? [], idOf, bodyOf))}</section>`;
};
