import { checkKey } from '../metrics/score.ts';
import type { Coordinate, Trajectory } from '../trajectory/schema.ts';
import { type CheckVerdicts, checksOf } from './broken.ts';
import { plural } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { ReportInstance, ReportRollout, ReportVerdict } from './schema.ts';
import { type Pin, transcript, turnAnchor } from './transcript.ts';

const WORDS: Record<ReportVerdict['verdict'], { sign: string; word: string }> = {
  success: { sign: '✓', word: 'kept' },
  fail: { sign: '✗', word: 'broken' },
  not_applicable: { sign: '–', word: 'not applicable' },
  unscored: { sign: '?', word: 'unscored' },
};

/** A verdict as a word and a sign: never by colour alone. */
export const verdictBadge = (verdict: ReportVerdict['verdict']): Markup =>
  html`<span class="verdict ${verdict}"><span aria-hidden="true">${WORDS[verdict].sign}</span> ${WORDS[verdict].word}</span>`;

/** Anchor of a check's row in the rollout with this id. */
export const checkAnchor = (id: string, position: number): string => `${id}-c${position}`;

/** Evidence shown per verdict; the rest is counted. */
const MOST_EVIDENCE = 5;

const evidence = (id: string, trajectory: Trajectory | null, e: Coordinate): Markup => {
  const anchor = trajectory === null ? null : turnAnchor(trajectory, id, e.thread, e.turn);
  const place = `${e.thread === 'main' ? '' : `${e.thread} · `}turn ${e.turn}`;
  const link = anchor === null ? html`${place}` : html`<a href="#${anchor}">${place}</a>`;
  return html`<li>${link}${e.path === undefined ? null : html` <code>${e.path}</code>`}${e.quote === undefined ? null : html` <q dir="auto">${e.quote.slice(0, 400).toWellFormed()}</q>`}</li>`;
};

const verdictCell = (
  id: string,
  trajectory: Trajectory | null,
  v: ReportVerdict,
  several: boolean,
): Markup => html`<div class="word">
<p>${several ? html`<span class="judge">${v.judge}</span> ` : null}${verdictBadge(v.verdict)}${v.by === undefined ? null : html` <span class="by">by ${v.by === 'llm' ? 'an LLM judge' : v.by === 'program' ? 'a program' : 'a person'}</span>`}</p>
${v.reason === '' ? null : html`<p class="reason" dir="auto">${v.reason.slice(0, 2000).toWellFormed()}</p>`}
${v.evidence.length === 0 ? null : html`<ul class="evidence">${v.evidence.slice(0, MOST_EVIDENCE).map((e) => evidence(id, trajectory, e))}${v.evidence.length > MOST_EVIDENCE ? html`<li>and ${v.evidence.length - MOST_EVIDENCE} more</li>` : null}</ul>`}
</div>`;

const checkRow = (
  id: string,
  position: number,
  c: CheckVerdicts,
  texts: Map<string, string>,
  trajectory: Trajectory | null,
): Markup =>
  html`<tr id="${checkAnchor(id, position)}" class="${c.state}" tabindex="-1"><th scope="row"><code>${c.check}</code><p class="description" dir="auto">${texts.get(checkKey(c)) ?? null}</p></th><td>${c.category}</td><td>${c.verdicts.map((v) => verdictCell(id, trajectory, v, c.verdicts.length > 1))}</td></tr>`;

const pinsOf = (id: string, checks: readonly CheckVerdicts[]): Pin[] =>
  checks.flatMap((c, position) => {
    const seen = new Set<string>();
    return c.verdicts
      .filter((v) => v.verdict === 'fail')
      .flatMap((v) => v.evidence)
      .filter((e) => {
        const place = `${e.thread}\n${e.turn}\n${e.toolCall ?? ''}`;
        if (seen.has(place)) return false;
        seen.add(place);
        return true;
      })
      .map(
        (e): Pin => ({
          thread: e.thread,
          turn: e.turn,
          toolCall: e.toolCall ?? null,
          quote: e.quote ?? null,
          href: `#${checkAnchor(id, position)}`,
          check: c.check,
        }),
      );
  });

const ORDER: Record<ReportVerdict['verdict'], number> = { fail: 0, unscored: 1, success: 2, not_applicable: 3 };

/** The inside of one rollout's section: its checks, worst first, and its readable trajectory. `id` is unique in the page. */
export const rolloutBody = (
  id: string,
  rollout: ReportRollout,
  instance: ReportInstance | undefined,
  trajectory: Trajectory | null,
): Markup => {
  const checks = checksOf(rollout);
  const texts = new Map(instance?.checks.map((c) => [checkKey({ category: c.category, check: c.id }), c.description]));
  const rows = checks
    .map((c, position) => ({ c, position }))
    .sort((a, b) => ORDER[a.c.state] - ORDER[b.c.state])
    .map(({ c, position }) => checkRow(id, position, c, texts, trajectory));
  return html`${rollout.differences.length === 0 ? null : html`<p class="note">What was recorded differs from what was asked for: ${rollout.differences.map((d) => d.what).join(', ')}.</p>`}
<table class="checks"><caption>${plural(checks.length, 'check')} of this rollout, broken ones first</caption>
<thead><tr><th scope="col">Check</th><th scope="col">Category</th><th scope="col">Verdict, reason and evidence</th></tr></thead>
<tbody>${rows.length === 0 ? html`<tr><td colspan="3">No check was judged.</td></tr>` : rows}</tbody></table>
<h5>Trajectory</h5>
${trajectory === null ? html`<p class="note">No trajectory was recorded.</p>` : transcript(trajectory, id, pinsOf(id, checks))}`;
};
