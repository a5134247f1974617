import { proseOf } from './prose.ts';

const SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’-][\p{L}\p{N}]+)*/gu;

/** Words of prose; each Han, Hiragana and Katakana sign counts as one, as 字数 does. */
export const wordCount = (text: string): number => {
  let signs = 0;
  const rest = proseOf(text).replace(SIGN, () => {
    signs++;
    return ' ';
  });
  return signs + (rest.match(WORD)?.length ?? 0);
};

/** Characters as people count them (code points), ends trimmed. */
export const charCount = (text: string): number => [...text.trim()].length;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Sentences of prose: each line's own, so that list items and headings count. */
export const sentenceCount = (text: string): number =>
  proseOf(text)
    .split('\n')
    .flatMap((line) => [...segmenter.segment(line)])
    .filter((s) => /[\p{L}\p{N}]/u.test(s.segment)).length;

/** Lines that hold something. */
export const lineCount = (text: string): number => text.split('\n').filter((l) => l.trim() !== '').length;

/** Runs of lines of prose parted by blank lines. */
export const paragraphCount = (text: string): number =>
  proseOf(text)
    .split(/\n[ \t]*\n/)
    .filter((p) => /[\p{L}\p{N}]/u.test(p)).length;

/** Rows of Markdown tables, heads and rulers apart; of a text without a table its lines. */
export const rowCount = (text: string): number => {
  const lines = text.split('\n').map((l) => l.trim());
  const ruler = (l: string): boolean => /^\|?[\s:|-]*-[\s:|-]*\|?$/.test(l) && l.includes('|');
  const rows = lines.filter((l, i) => l.includes('|') && !ruler(l) && !ruler(lines[i + 1] ?? ''));
  return lines.some(ruler) ? rows.length : lineCount(text);
};
