import { type CheckVerdicts, checksOf } from './broken.ts';
import { outcomeLabel, plural } from './format.ts';
import { html, type Markup, trusted } from './markup.ts';
import { verdictBadge } from './rollout.ts';
import type { ReportData, ReportInstance, ReportRollout } from './schema.ts';

/** How a rollout's body gets into the page: inline, or loaded from a script beside it. */
export type BodyOf = (rollout: ReportRollout) => { inline: string } | { src: string };

const STATES = ['fail', 'unscored', 'success', 'not_applicable'] as const;

const stateCounts = (rollout: ReportRollout): Markup => {
  const checks = checksOf(rollout);
  const n = (state: CheckVerdicts['state']): number => checks.filter((c) => c.state === state).length;
  return html`${STATES.filter((s) => n(s) > 0).map((s) => html`<span>${n(s)} ${verdictBadge(s)}</span>`)}`;
};

/** What a number of a table may ask for, so that a click on it shows the rollouts behind it. */
const facets = (r: ReportRollout): string =>
  JSON.stringify({
    model: r.model,
    variant: r.variant,
    scaffold: r.scaffold,
    environment: r.environment,
    primaryCategory: r.primaryCategory,
    category: [...new Set(r.rows.map((row) => row.category))],
    checkType: [...new Set(r.rows.map((row) => row.checkType ?? 'none'))],
  });

const rolloutSection = (data: ReportData, rollout: ReportRollout, id: string, body: ReturnType<BodyOf>): Markup => {
  const state = rollout.counted ? stateCounts(rollout) : html`<span>not judged</span>`;
  const { variants, repeats } = data.experiment;
  return html`<details class="rollout" id="${id}" data-facets="${facets(rollout)}"${'src' in body ? html` data-src="${body.src}"` : null}>
<summary><strong>${rollout.model}</strong><span class="soft">${variants.length > 1 ? `${rollout.variant} · ` : null}${rollout.scaffold}${repeats > 1 ? ` · repeat ${rollout.repeat}` : null} · ${rollout.instance}</span><span>${outcomeLabel(rollout.outcome, rollout.counted)}${rollout.reason === null ? null : ` (${rollout.reason})`}</span>${state}</summary>
<div class="body">${'inline' in body ? trusted(body.inline) : html`<p class="note">Loading ${body.src} …</p>`}</div></details>`;
};

const queries = (instance: ReportInstance): Markup | null =>
  instance.queries.length === 0
    ? null
    : html`<details><summary>${plural(instance.queries.length, 'user query', 'user queries')}</summary>${instance.queries.map((q) => html`<pre class="text" dir="auto">${q}</pre>`)}</details>`;

/** Every instance with its rollouts; those of instances the data does not describe come last. */
export const instanceSection = (data: ReportData, idOf: (r: ReportRollout) => string, bodyOf: BodyOf): Markup => {
  const byInstance = Map.groupBy(data.rollouts, (r) => r.instance);
  const known = new Set(data.instances.map((i) => i.id));
  const strangers = [...byInstance.keys()]
    .filter((id) => !known.has(id))
    .map((id): ReportInstance => ({ id, primaryCategory: 'unknown', environment: 'unknown', queries: [], checks: [] }));
  const group = (instance: ReportInstance): Markup => {
    const rollouts = byInstance.get(instance.id) ?? [];
    return html`<div class="instance">
<h3>${instance.id} <span class="soft">· ${instance.primaryCategory} · ${instance.environment} · ${plural(instance.checks.length, 'check')}</span></h3>
${queries(instance)}
${rollouts.length === 0 ? html`<p class="note">No rollout.</p>` : rollouts.map((r) => rolloutSection(data, r, idOf(r), bodyOf(r)))}</div>`;
  };
  return html`<section aria-labelledby="instances"><h2 id="instances">Instances, checks and trajectories</h2>
<div hidden id="filters"><p><label for="filter">Show only rollouts with</label> <input id="filter" type="search" placeholder="model, instance, broken …"></p>
<p role="status" id="showing"></p><button type="button" id="show-all" hidden>Show all rollouts</button></div>
${[...data.instances, ...strangers].map(group)}</section>`;
};
