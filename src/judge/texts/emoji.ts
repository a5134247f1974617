/*
 * Signs that show as emoji: Emoji_Presentation, or with VS16, keycap, flag, or joined by ZWJ. Digits, arrows, the
 * check mark U+2713 and the copyright sign are none by themselves; VS15 asks for text.
 */
const EMOJI =
  /(?:[0-9#*]\uFE0F?\u20E3|\p{Regional_Indicator}{2}|\p{Emoji}\uFE0F|\p{Emoji_Presentation}(?!\uFE0E)|\p{Emoji}(?=\u200D\p{Emoji}))(?:[\u{1F3FB}-\u{1F3FF}]|\uFE0F|\u200D\p{Emoji})*/gu;

const plain = (sign: string): string => sign.replaceAll('\uFE0F', '');

/** The first emoji of a text that is not among `except`, or null. */
export const findEmoji = (text: string, except: readonly string[] = []): { start: number; end: number } | null => {
  const allowed = new Set(except.map(plain));
  for (const found of text.matchAll(EMOJI)) {
    if (!allowed.has(plain(found[0]))) return { start: found.index, end: found.index + found[0].length };
  }
  return null;
};
