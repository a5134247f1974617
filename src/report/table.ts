import type { Maybe } from '../core/missing.ts';
import type { Estimate, Slice } from '../metrics/schema.ts';
import { percent, range, unfinished } from './format.ts';
import { html, type Markup, scrolling } from './markup.ts';

/** A cell of a table that sorts: what is shown, and the number it sorts by. */
const figure = (value: Maybe, text: Markup | string): Markup =>
  html`<td class="n" data-sort="${value ?? ''}">${text}</td>`;

const estimate = (e: Estimate): Markup =>
  figure(e.value, html`${percent(e.value)}${e.low === null ? null : html`<span class="range">${range(e)}</span>`}`);

/** A column with the names of a cut. */
export interface NameColumn {
  title: string;
  name: (slice: Slice) => string;
}

/** Scores of some cut as a table: names first, then ISR and CSR with intervals, majority, coverage and counts. */
export const scoreTable = (caption: string, names: readonly NameColumn[], slices: readonly Slice[]): Markup =>
  scrolling(
    caption,
    html`<table class="sortable"><caption>${caption}</caption>
<thead><tr>${names.map((n) => html`<th scope="col">${n.title}</th>`)}<th scope="col" class="n">ISR</th><th scope="col" class="n">CSR</th><th scope="col" class="n">ISR, majority</th><th scope="col" class="n">CSR, pooled</th><th scope="col" class="n">Coverage</th><th scope="col" class="n">Instances</th><th scope="col" class="n">Unscored</th></tr></thead>
<tbody>${slices.map(
      (s) =>
        html`<tr>${names.map((n, i) => (i === 0 ? html`<th scope="row">${n.name(s)}</th>` : html`<td>${n.name(s)}</td>`))}${estimate(s.score.interval.isr)}${estimate(s.score.interval.csr)}${figure(s.score.isrMajority, percent(s.score.isrMajority))}${figure(s.score.csrPooled, percent(s.score.csrPooled))}${figure(s.score.coverage, percent(s.score.coverage))}${figure(s.score.counts.instances, html`<a href="#instances" data-show="${JSON.stringify(s.by)}">${s.score.counts.instances}</a>${unfinished(s.outcomes) === '' ? null : html`<span class="range">${unfinished(s.outcomes)}</span>`}`)}${figure(s.score.counts.unscored, String(s.score.counts.unscored))}</tr>`,
    )}</tbody></table>`,
  );
