import { scanObject, skipSpace, skipValue, textOf } from './json-scan.ts';

/** One item of the list of messages: its bytes with the separator behind it, so that pieces in a row are the body itself. */
export interface Piece {
  raw: Uint8Array;
  /** Length of the item alone. */
  length: number;
}

/** A request body cut into what stands before its messages (with the opening bracket), the messages, and what follows. */
export interface Layout {
  length: number;
  head: Uint8Array;
  pieces: readonly Piece[];
  tail: Uint8Array;
}

/** A body read again: `reused` pieces, counted from the first, are those of the base; `sameRest`: head and tail are too. */
export interface Relayout {
  layout: Layout;
  reused: number;
  sameRest: boolean;
}

/** Keys under which the protocols keep their list of messages. */
const LISTS = new Set(['messages', 'input', 'contents']);

// What is kept is copied out, so that no view holds a whole body alive.
const copy = (bytes: Uint8Array, start: number, end: number): Uint8Array =>
  Uint8Array.prototype.slice.call(bytes, start, end);

/** Reads pieces from `start` (at an item, a comma or the closing bracket); null when the text is cut or malformed. */
const readPieces = (bytes: Uint8Array, start: number): { lead: number; pieces: Piece[]; end: number } | null => {
  const pieces: Piece[] = [];
  let at = skipSpace(bytes, start);
  if (bytes[at] === 0x2c) at = skipSpace(bytes, at + 1);
  const lead = at;
  while (bytes[at] !== 0x5d) {
    const end = skipValue(bytes, at);
    if (end <= at) return null;
    const after = skipSpace(bytes, end);
    const next = bytes[after] === 0x2c ? skipSpace(bytes, after + 1) : end;
    pieces.push({ raw: copy(bytes, at, next), length: end - at });
    if (next === end) return bytes[after] === 0x5d ? { lead, pieces, end } : null;
    at = next;
  }
  return { lead, pieces, end: at };
};

/** Cuts a body; null when it is no object with a list of messages, or is cut short. */
export const layoutOf = (bytes: Uint8Array): Layout | null => {
  const start = skipSpace(bytes, 0);
  const members = scanObject(bytes, start)?.members.filter((m) => LISTS.has(m.key) && bytes[m.start] === 0x5b);
  const list = members?.[0];
  if (list === undefined || members?.length !== 1) return null;
  const from = skipSpace(bytes, list.start + 1);
  const read = readPieces(bytes, from);
  if (read === null) return null;
  return {
    length: bytes.length,
    head: copy(bytes, 0, from),
    pieces: read.pieces,
    tail: copy(bytes, read.end, bytes.length),
  };
};

/** Bytes `from` up to `to` of the body that a layout stands for. */
const sliceOf = (layout: Layout, from: number, to: number): Uint8Array[] => {
  const parts: Uint8Array[] = [];
  let at = 0;
  const take = (bytes: Uint8Array): void => {
    const start = Math.max(0, from - at);
    const end = Math.min(bytes.length, to - at);
    if (start < end) parts.push(bytes.subarray(start, end));
    at += bytes.length;
  };
  take(layout.head);
  for (const piece of layout.pieces) take(piece.raw);
  take(layout.tail);
  return parts;
};

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/**
 * Cuts a body that shares `prefix` and `suffix` bytes with a known one, looking only at what is new. Null when too little is
 * shared to know where its list of messages is: the whole body must be read then.
 */
export const relayout = (
  base: Layout,
  delta: { prefix: number; suffix: number; middle: Uint8Array },
): Relayout | null => {
  if (delta.prefix < base.head.length || delta.prefix + delta.suffix > base.length) return null;
  let reused = 0;
  let resume = base.head.length;
  for (const piece of base.pieces) {
    if (resume + piece.raw.length > delta.prefix || piece.raw[0] !== 0x7b) break;
    resume += piece.raw.length;
    reused++;
  }
  const rest = Buffer.concat([
    ...sliceOf(base, resume, delta.prefix),
    delta.middle,
    ...sliceOf(base, base.length - delta.suffix, base.length),
  ]);
  const read = readPieces(rest, 0);
  if (read === null) return null;
  const pieces = base.pieces.slice(0, reused);
  const last = pieces.at(-1);
  if (last !== undefined && read.lead > 0)
    pieces[reused - 1] = { raw: Buffer.concat([last.raw, rest.subarray(0, read.lead)]), length: last.length };
  const tail = rest.subarray(read.end);
  const sameRest = same(tail, base.tail);
  const layout: Layout = {
    length: delta.prefix + delta.middle.length + delta.suffix,
    head: base.head,
    pieces: [...pieces, ...read.pieces],
    tail: sameRest ? base.tail : copy(rest, read.end, rest.length),
  };
  return { layout, reused, sameRest };
};

/** The text of one message. */
export const pieceText = (piece: Piece): string => textOf(piece.raw, 0, piece.length);

/** The body without its messages, as JSON text. */
export const restText = (layout: Layout): string => `${textOf(layout.head)}${textOf(layout.tail)}`;
