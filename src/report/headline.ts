import type { Comparison } from '../analysis/schema.ts';
import type { Slice } from '../metrics/schema.ts';
import { percent, plural, pValue, range, showTime, unfinished } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { ReportData } from './schema.ts';
import { armName } from './sections.ts';

/** Arms by ISR, the best first; those without an ISR are left out. */
const ranking = (data: ReportData): Slice[] =>
  data.results.models
    .filter((s) => s.score.isr !== null)
    .sort((a, b) => (b.score.isr ?? 0) - (a.score.isr ?? 0) || (b.score.csr ?? 0) - (a.score.csr ?? 0));

const boundsCross = (better: Slice, worse: Slice): boolean => {
  const [low] = better.score.bounds.isr;
  const [, high] = worse.score.bounds.isr;
  return low === null || high === null || low < high;
};

/** Environments below which no sign pattern is rare enough for the 5% level: 2 / 2^5 is 0.06. */
const FEWEST_TO_TELL = 6;

const comparisonOf = (data: ReportData, first: Slice, second: Slice): Comparison | undefined => {
  const names = [armName(data, first), armName(data, second)];
  return [...(data.analyses?.models ?? []), ...(data.analyses?.variants ?? [])].find(
    (c) => names.includes(c.first) && names.includes(c.second) && c.first !== c.second,
  );
};

/** Whether the lead is more than noise, in words; the test is over environments, adjusted for all pairs. */
const noise = (c: Comparison): Markup => {
  const { adjusted, instances, clusters, detectable } = c.isr;
  if (adjusted === null) return html`The two share no instance that both have an ISR on, so they cannot be compared.`;
  const basis = `${plural(instances, 'shared instance')} in ${plural(clusters, 'environment')}`;
  if (adjusted <= 0.05) return html`That is <strong>more than noise</strong> (${pValue(adjusted)}, ${basis}).`;
  if (clusters < FEWEST_TO_TELL)
    return html`Whether that is more than noise cannot be told: ${basis} are too few for any difference to be certain.`;
  return html`That is <strong>no more than noise</strong> may give (${pValue(adjusted)}, ${basis}${detectable === null ? null : html`; what could be seen is a difference of about ${(detectable * 100).toFixed(0)} points`}).`;
};

/** Who leads by how much, and whether that is more than noise. */
export const headline = (data: ReportData): Markup => {
  const [first, second] = ranking(data);
  if (first === undefined && data.results.models.every((s) => s.score.csr === null))
    return html`No check was decided, so nothing can be said of how rules are kept. The reasons are under <a href="#methods">Methods</a>.`;
  if (first === undefined)
    return html`No instance could be scored in full, so nobody has an ISR; the check success rates below come from the checks that were scored.`;
  const scored = first.score.counts.instances - first.score.counts.excluded;
  const own = html`<strong>${armName(data, first)}</strong> keeps every applicable rule in ${percent(first.score.isr)} of ${plural(scored, 'instance')} (95% interval ${range(first.score.interval.isr)}) and passes ${percent(first.score.csr)} of its checks.`;
  if (second === undefined) return own;
  const gap = (first.score.isr ?? 0) - (second.score.isr ?? 0);
  if (gap === 0) return html`${own} ${armName(data, second)} has the same ISR.`;
  const compared = comparisonOf(data, first, second);
  return html`${own} It leads ${armName(data, second)} (${percent(second.score.isr)}) by ${(gap * 100).toFixed(1)} points. ${compared === undefined ? null : noise(compared)}${boundsCross(first, second) ? html` Checks that nobody could decide and rollouts that did not count could turn the order, so <strong>no rank is claimed</strong>.` : null}`;
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
${fact('When', e.startedAt === null ? showTime(e.generatedAt) : `${showTime(e.startedAt)}${e.endedAt === null ? '' : ` to ${showTime(e.endedAt)}`}`)}
</dl>`;
};
