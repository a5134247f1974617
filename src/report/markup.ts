import { printable } from '../core/text.ts';

/** HTML that is safe to put into a page. Only `html` makes it, so text from outside can get in only through `escapeHtml`. */
export interface Markup {
  readonly markup: string;
}

export type Part = Markup | string | number | null | false | readonly Part[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML shows it: markup characters as entities, terminal escapes, control characters and direction marks in visible form. */
const escapeHtml = (text: string): string =>
  printable(text.replaceAll('\r\n', '\n')).replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c);

const isMarkup = (part: Part): part is Markup => typeof part === 'object' && part !== null && 'markup' in part;

const render = (part: Part): string => {
  if (part === null || part === false) return '';
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return isMarkup(part) ? part.markup : part.map(render).join('');
};

/** A template whose values are escaped unless they are markup themselves; null and false leave nothing. */
export const html = (strings: TemplateStringsArray, ...parts: Part[]): Markup => ({
  markup: strings.map((s, i) => s + (i < parts.length ? render(parts[i] ?? null) : '')).join(''),
});

/** Markup made elsewhere in this room (charts, the page's own style and script); never for text from outside. */
export const trusted = (markup: string): Markup => ({ markup });

/** Something that may be wider than the page: it scrolls by itself, with the keyboard too. */
export const scrolling = (label: string, inner: Markup): Markup =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${inner}</div>`;
