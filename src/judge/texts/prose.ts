/*
 * What is left of a text when everything that has no language of its own is taken out: code, paths, addresses,
 * quotations, identifiers. Every pattern is bounded by a line or a sign it cannot contain: linear on hostile text.
 */

const withoutFences = (text: string): string => {
  let fence: string | null = null;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const mark = /^\s{0,3}(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = mark[0] ?? null;
    else if (fence !== null) {
      if (mark?.startsWith(fence) === true) fence = null;
    } else if (!/^(?: {4}|\t)\S/.test(line) || /^\s*(?:[-*+]|\d+[.)])\s/.test(line)) kept.push(line);
  }
  return kept.join('\n');
};

const PARTS: readonly RegExp[] = [
  /`[^`\n]*`/g,
  /<!--[^>]*-->|<\/?[A-Za-z][^<>\n]{0,200}>/g,
  /\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s<>"'）)]+/gi,
  /\b[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}\b/g,
];

const QUOTATIONS = /"[^"\n]{1,400}"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』/g;

/* foo/bar.ts, foo_bar, fooBar, foo.bar(), --flag, v1.2.3 */
const isName = (word: string): boolean =>
  /[/\\_=<>{}[\]|$^]/.test(word) ||
  /[a-z][A-Z]/.test(word) ||
  /[\w)]\.\w/.test(word) ||
  /\w\(/.test(word) ||
  /^--?\w/.test(word) ||
  /\d/.test(word);

/** Code blocks, inline code, tags and addresses out: the words a reader reads. */
export const proseOf = (text: string): string =>
  PARTS.reduce((t, part) => t.replace(part, ' '), withoutFences(text)).replace(
    /^[ \t>#|]+|[*~|]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gmu,
    ' ',
  );

/** Of prose, only the words that show a language: quotations, paths and identifiers are out too. */
export const wordsOfLanguage = (text: string): string =>
  proseOf(text)
    .replace(QUOTATIONS, ' ')
    .replace(/[\x21-\x7e]+/g, (word) => (isName(word) ? ' ' : word));
