import { checkKey } from '../metrics/score.ts';
import { breaking, brokenChecks, type CheckVerdicts, checksOf, nothingBroken } from './broken.ts';
import { heatMap } from './charts.ts';
import { html, type Markup, scrolling } from './markup.ts';
import { checkAnchor } from './rollout.ts';
import type { ReportData, ReportRollout } from './schema.ts';
import { armName } from './sections.ts';

/** Rows of the table, and links of a row; the rest is counted. */
const MOST_LISTED = 40;
const MOST_LINKED = 6;

/** One check broken by one model, wherever it was. */
interface BrokenSum {
  check: string;
  category: string;
  model: string;
  places: CheckVerdicts[];
}

const sums = (data: ReportData): BrokenSum[] =>
  [...Map.groupBy(brokenChecks(data), (c) => `${c.rollout.model}\n${checkKey(c)}`).values()]
    .flatMap((places) => {
      const [first] = places;
      return first === undefined
        ? []
        : [{ check: first.check, category: first.category, model: first.rollout.model, places }];
    })
    .sort((a, b) => b.places.length - a.places.length);

const link = (c: CheckVerdicts, id: string): Markup => {
  const position = checksOf(c.rollout).findIndex((x) => checkKey(x) === checkKey(c));
  const at = breaking(c)?.evidence[0];
  return html`<a href="#${checkAnchor(id, position)}">${c.rollout.instance}${at === undefined ? null : html`, turn ${at.turn}`}</a>`;
};

const row = ({ check, category, model, places }: BrokenSum, idOf: (rollout: ReportRollout) => string): Markup => {
  const links = places.slice(0, MOST_LINKED).map((c, i) => html`${i > 0 ? ' · ' : null}${link(c, idOf(c.rollout))}`);
  const rest = places.length - links.length;
  return html`<tr><th scope="row"><code>${check}</code></th><td>${category}</td><td>${model}</td><td class="n" data-sort="${places.length}">${places.length}</td><td class="places">${links}${rest > 0 ? ` and ${rest} more` : null}</td></tr>`;
};

const table = (broken: readonly BrokenSum[], idOf: (rollout: ReportRollout) => string): Markup => {
  const rest = broken.length - MOST_LISTED;
  return html`${scrolling(
    'Rules broken most',
    html`<table class="sortable"><caption>Rules broken most, with every place where they broke</caption>
<thead><tr><th scope="col">Check</th><th scope="col">Category</th><th scope="col">Model</th><th scope="col" class="n">Times</th><th scope="col">Where</th></tr></thead>
<tbody>${broken.slice(0, MOST_LISTED).map((b) => row(b, idOf))}</tbody></table>`,
  )}
${rest > 0 ? html`<p class="note">And ${rest} more, broken less often; all are under their instances.</p>` : null}`;
};

/** Where each model breaks rules: the heat map, and the checks broken most with links to each place. */
export const brokenSection = (data: ReportData, idOf: (rollout: ReportRollout) => string): Markup => {
  const cells = data.results.categories.map((s) => ({
    column: s.by.category ?? '',
    row: armName(data, s),
    value: s.score.csr,
  }));
  const broken = sums(data);
  return html`<section aria-labelledby="broken"><h2 id="broken">Where rules are broken</h2>
${cells.some((c) => c.value !== null) ? heatMap('CSR in per cent by model and category of instruction; a category nobody has is blank', cells) : null}
${broken.length === 0 ? html`<p>${nothingBroken(data)}</p>` : table(broken, idOf)}</section>`;
};
