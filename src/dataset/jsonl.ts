import { parseJson } from '../core/json.ts';

/** One line that is not blank; `value` is undefined when it is not JSON. Lines start at 1 and count blank ones too. */
export interface JsonLine {
  line: number;
  value: unknown;
}

/**
 * The values of a JSON lines text. A byte order mark at its very start, CRLF and blank lines are fine; only a line feed ends a
 * line (U+2028 and U+2029 are ordinary characters inside a JSON string).
 */
export const readJsonLines = (text: string): JsonLine[] =>
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [{ line: i + 1, value: parseJson(line) }]));
