/*
 * Finds where JSON values end in bytes, without building them: a session repeats its history in every request, and only what
 * is new should be parsed. Whether the JSON is valid is left to JSON.parse of the pieces; -1 means that the text ends too early.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isSpace = (c: number | undefined): boolean => c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
const isClose = (c: number | undefined): boolean => c === 0x7d || c === 0x5d;

/** First offset at or after `i` that is not white space. */
export const skipSpace = (bytes: Uint8Array, i: number): number => {
  let at = i;
  while (isSpace(bytes[at])) at++;
  return at;
};

/** `i` is at an opening quote; the offset after the closing one, or -1. */
const skipString = (bytes: Uint8Array, i: number): number => {
  let at = i;
  for (;;) {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return -1;
    let slashes = 0;
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
};

/** `i` is at the first byte of a value; the offset after its last one, or -1. Walks without recursion: nesting may be deep. */
export const skipValue = (bytes: Uint8Array, i: number): number => {
  let at = i;
  let depth = 0;
  while (at < bytes.length) {
    const c = bytes[at];
    if (c === QUOTE) {
      at = skipString(bytes, at);
      if (at < 0) return -1;
    } else if (c === 0x7b || c === 0x5b) {
      depth++;
      at++;
    } else if (isClose(c)) {
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (depth === 0 && (c === 0x2c || isSpace(c))) return at;
    else {
      at++;
      continue;
    }
    if (depth === 0) return at;
  }
  return depth === 0 && at > i ? at : -1;
};

/** One member of an object: its key and the bytes of its value. */
export interface Member {
  key: string;
  start: number;
  end: number;
}

/** Members of the object that opens at `i` and the offset after it; null when it is no object or ends too early. */
export const scanObject = (bytes: Uint8Array, i: number): { members: Member[]; end: number } | null => {
  if (bytes[i] !== 0x7b) return null;
  const members: Member[] = [];
  let at = skipSpace(bytes, i + 1);
  while (bytes[at] === QUOTE) {
    const keyEnd = skipString(bytes, at);
    if (keyEnd < 0) return null;
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== 0x3a) return null;
    const start = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, start);
    if (end <= start) return null;
    members.push({ key: textOf(bytes, at + 1, keyEnd - 1), start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] !== 0x2c) break;
    at = skipSpace(bytes, at + 1);
  }
  return bytes[at] === 0x7d ? { members, end: at + 1 } : null;
};

/** UTF-8 text of a range of bytes. */
export const textOf = (bytes: Uint8Array, start = 0, end: number = bytes.length): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
