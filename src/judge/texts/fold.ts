/** White space folded to single spaces, case folded, compatibility forms unified: for "does it say this". */
export const fold = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();

/* Markdown's own signs and quotation marks say nothing at the ends of a text. */
const DRESS = String.raw`[\s*_~\x60#>"'“”‘’«»「」『』]`;
const FRONT = new RegExp(`^${DRESS}+`, 'u');
const DRESS_SIGN = new RegExp(DRESS, 'u');

/** The text without markdown signs and quotes in front. */
export const undressFront = (text: string): string => text.replace(FRONT, '');

/** The text without markdown signs, quotes and white space behind. Counted from the end, so that it is linear. */
export const undressBack = (text: string): string => {
  let end = text.length;
  while (end > 0 && DRESS_SIGN.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
};
