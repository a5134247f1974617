import { intervalMethod, percent, plural } from './format.ts';
import { html, type Markup, scrolling } from './markup.ts';
import type { ReportData } from './schema.ts';
import { armName } from './sections.ts';

const leftOut = (data: ReportData): Markup =>
  html`<ul>${data.results.models.map((s) => {
    const { counts, bounds } = s.score;
    return html`<li>${armName(data, s)}: ${counts.excluded} of ${plural(counts.instances, 'instance')} without an ISR; ${counts.unscored} unscored and ${counts.notApplicable} not applicable of ${plural(counts.checks, 'verdict')}. With everything open taken as fail and as success, ISR lies between ${percent(bounds.isr[0])} and ${percent(bounds.isr[1])}, CSR between ${percent(bounds.csr[0])} and ${percent(bounds.csr[1])}. ISR interval: ${intervalMethod(s.score.interval.isr)}.</li>`;
  })}</ul>`;

const unscoredReasons = (data: ReportData): Markup => {
  const reasons = new Map<string, number>();
  for (const r of data.rollouts) {
    if (!r.counted) continue;
    for (const v of r.rows)
      if (v.verdict === 'unscored')
        reasons.set(
          `${v.judge}: ${v.reason || 'no reason given'}`,
          (reasons.get(`${v.judge}: ${v.reason || 'no reason given'}`) ?? 0) + 1,
        );
  }
  return reasons.size === 0
    ? html`<p>Every check was decided.</p>`
    : html`<p>Checks nobody could decide, by judge and reason:</p><ul>${[...reasons]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 20)
        .map(([why, n]) => html`<li>${n} × ${why}</li>`)}</ul>`;
};

const programs = (data: ReportData): Markup =>
  scrolling(
    'Programs that ran',
    html`<table><caption>The programs that ran</caption><thead><tr><th scope="col">Scaffold</th><th scope="col">Version asked for</th><th scope="col">Its own --version</th><th scope="col">User agent on the wire</th><th scope="col">sha256 of the file run</th></tr></thead><tbody>${data.experiment.scaffolds.map((s) => html`<tr><th scope="row">${s.id}</th><td>${s.substitutedFor === null ? s.version : `${s.substitutedFor}, replaced by ${s.version}`}</td><td>${s.reportedVersion ?? 'unknown'}</td><td><code>${s.userAgent ?? 'unknown'}</code></td><td><code>${s.binaryDigest ?? 'unknown'}</code></td></tr>`)}</tbody></table>`,
  );

/** How each number was computed, what was left out and why, and with what. */
export const methodsSection = (data: ReportData): Markup => {
  const e = data.experiment;
  return html`<section aria-labelledby="methods"><h2 id="methods">Methods</h2>
<h3>What the numbers mean</h3>
<p><strong>ISR</strong> is the share of instances whose applicable checks all pass; <strong>CSR</strong> the mean over instances of the share of applicable checks that pass. Both are computed judge by judge, with repeats averaged within the instance, and then averaged over the panel (${data.results.judges.join(', ') || 'no judge'}). Checks whose condition never arose are not applicable and left out on both sides. A rollout with an unscored check has no ISR, and a CSR from its scored checks. <strong>ISR, majority</strong> takes for each check the verdict of more than half of the panel. <strong>CSR, pooled</strong> is passed over scored checks of all instances together. <strong>Coverage</strong> is the share of instances that have an ISR.</p>
<p>Intervals are at 95%. From ten environments on they are cluster-robust, with environments as clusters and t with clusters − 1 degrees of freedom; below that, and where all instances agree, they are Wilson's on instances and know nothing of clusters. They say how much the figure would vary over other instances; the spread between judges is another matter.</p>
<h3>What was left out, and why</h3>
${leftOut(data)}
${unscoredReasons(data)}
<p>Rollouts that failed for reasons of infrastructure or of the scaffold, or were cancelled, are neither judged nor counted; the lower bounds take them as failing. Imported rollouts are judged on what was recorded; how they ended is not known.</p>
<h3>With what it was made</h3>
${programs(data)}
<dl class="facts">
<div><dt>octobench</dt><dd>${e.octobench}</dd></div>
<div><dt>Dataset</dt><dd>${e.dataset === null ? 'none' : `${e.dataset.source}${e.dataset.revision === null ? '' : `@${e.dataset.revision}`}, sha256 ${e.dataset.digest}`}</dd></div>
<div><dt>Seed</dt><dd>${e.seed}</dd></div><div><dt>Repeats</dt><dd>${e.repeats}</dd></div><div><dt>Panel</dt><dd>${e.panel}</dd></div>
${e.judges.map((j) => html`<div><dt>Judge ${j.id}</dt><dd>${j.kind === 'llm' ? `model ${j.model ?? 'unknown'}` : j.kind === 'program' ? 'programs' : 'a person'}${j.fingerprint === null ? null : `, fingerprint ${j.fingerprint}`}</dd></div>`)}
</dl>
${e.notes.length === 0 ? null : html`<h3>Deviations and notes</h3><ul>${e.notes.map((n) => html`<li>${n}</li>`)}</ul>`}</section>`;
};
