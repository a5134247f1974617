/* An agent's text is untrusted: it may hold terminal escapes, direction marks, lone surrogates. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text that is safe to print to a terminal: control characters and direction marks become visible `\u{..}` forms. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(CONTROL, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`);

/** `printable`, on one line, at most `width` characters with an ellipsis. */
export const oneLine = (text: string, width = 100): string => {
  const line = printable(text).replace(/\s+/g, ' ').trim();
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
};
