import { createHash } from 'node:crypto';
import { analysisSection } from './analysis-section.ts';
import { besideSection } from './beside-section.ts';
import { brokenSection } from './broken-section.ts';
import { showTime } from './format.ts';
import { facts, headline } from './headline.ts';
import { type BodyOf, instanceSection } from './instance-section.ts';
import { html, type Markup, trusted } from './markup.ts';
import { methodsSection } from './methods.ts';
import type { ReportData, ReportRollout } from './schema.ts';
import { SCRIPT } from './script.ts';
import { cutsSection, modelSection } from './sections.ts';
import { STYLE } from './style.ts';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Nothing may be fetched but scripts that lie beside the page; the inline script is named by its digest, so that no other inline
 * code runs even if some were smuggled in. Plot writes style attributes, hence `unsafe-inline` for styles alone.
 */
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'self' file: ${hashOf(SCRIPT)}; base-uri 'none'; form-action 'none'`;

/** The id of a rollout's section: `r` and its place in the data. */
export const rolloutIds = (data: ReportData): ((rollout: ReportRollout) => string) => {
  const ids = new Map(data.rollouts.map((r, i) => [r, `r${i}`]));
  return (rollout) => ids.get(rollout) ?? 'r';
};

const body = (data: ReportData, bodyOf: BodyOf): Markup => {
  const idOf = rolloutIds(data);
  const analyses = analysisSection(data);
  return html`<a class="skip" href="#main">Skip to the results</a>
<header><h1>${data.experiment.name}</h1><p class="soft">Whether coding agents follow the rules they are given · made by octobench ${data.experiment.octobench}</p></header>
<main id="main" tabindex="-1">
<p class="lead">${headline(data)}</p>
${facts(data)}
<nav aria-label="Sections"><ul><li><a href="#models">Results by model</a></li><li><a href="#broken">Where rules are broken</a></li><li><a href="#cuts">In detail</a></li><li><a href="#beside">Beside the scores</a></li>${analyses === null ? null : html`<li><a href="#analyses">Turns and judges</a></li>`}<li><a href="#instances">Instances and trajectories</a></li><li><a href="#methods">Methods</a></li></ul></nav>
${modelSection(data)}
${brokenSection(data, idOf)}
${cutsSection(data)}
${besideSection(data)}
${analyses}
${instanceSection(data, idOf, bodyOf)}
${methodsSection(data)}
</main>
<footer><p>Generated ${showTime(data.experiment.generatedAt)}. Every number is in result.json beside this report.</p></footer>`;
};

/** The whole page. `bodyOf` says how each rollout's checks and trajectory get in. */
export const page = (data: ReportData, bodyOf: BodyOf): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${data.experiment.name} · octobench</title><link rel="icon" href="data:,"><style>${trusted(STYLE)}</style></head>
<body>${body(data, bodyOf)}<script>${trusted(SCRIPT)}</script></body></html>
`.markup;
