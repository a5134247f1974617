import type { Slice } from '../metrics/schema.ts';
import { percent, plural, points, range, unfinished } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { ReportData } from './schema.ts';
import { armName } from './sections.ts';

/** Arms by ISR, the best first; those without an ISR are left out. */
export const ranking = (data: ReportData): Slice[] =>
  data.results.models
    .filter((s) => s.score.isr !== null)
    .sort((a, b) => (b.score.isr ?? 0) - (a.score.isr ?? 0) || (b.score.csr ?? 0) - (a.score.csr ?? 0));

const overlap = (a: Slice, b: Slice): boolean => {
  const [low] = a.score.bounds.isr;
  const [, high] = b.score.bounds.isr;
  return low === null || high === null || low <= high;
};

/** Who leads by how much, and whether that is more than noise: one sentence or two. */
export const headline = (data: ReportData): Markup => {
  const [first, second] = ranking(data);
  if (first === undefined)
    return html`No instance could be scored in full, so nobody has an ISR; the check success rates below come from the checks that were scored.`;
  const own = html`<strong>${armName(data, first)}</strong> keeps every applicable rule in ${percent(first.score.isr)} of ${plural(first.score.counts.instances - first.score.counts.excluded, 'instance')} (95% interval ${range(first.score.interval.isr)}) and passes ${percent(first.score.csr)} of its checks.`;
  if (second === undefined) return own;
  const gap = (first.score.isr ?? 0) - (second.score.isr ?? 0);
  if (gap === 0) return html`${own} ${armName(data, second)} has the same ISR.`;
  return html`${own} That is ${points(gap)} points over ${armName(data, second)} (${percent(second.score.isr)})${overlap(first, second) ? '; with unscored checks and rollouts that did not count taken either way the order may turn, so no rank is claimed' : null}.`;
};

/** What was run, as a list of facts. */
export const facts = (data: ReportData): Markup => {
  const e = data.experiment;
  const o = data.results.outcomes;
  const left = unfinished(o);
  const fact = (title: string, text: string): Markup => html`<div><dt>${title}</dt><dd>${text}</dd></div>`;
  return html`<dl class="facts">
${fact('Models', e.models.join(', '))}
${fact('Scaffolds', e.scaffolds.map((s) => `${s.id} ${s.reportedVersion ?? s.version}`).join(', ') || 'unknown')}
${fact(
  'Instances',
  `${data.instances.length}, ${plural(
    data.instances.reduce((n, i) => n + i.checks.length, 0),
    'check',
  )}`,
)}
${fact('Rollouts', `${o.planned}${left === '' ? ', all finished' : `: ${left}`}`)}
${fact('Judges', data.results.judges.join(', ') || 'none')}
${fact('Sandbox', e.sandbox ?? 'none (imported)')}
${fact('When', e.startedAt === null ? e.generatedAt : `${e.startedAt}${e.endedAt === null ? '' : ` to ${e.endedAt}`}`)}
</dl>`;
};
