import { scanObject, skipSpace, skipValue, textOf } from './json-scan.ts';
import { SharedList } from './shared-list.ts';

/** One item of the list of messages: its bytes with the separator before it, so that pieces in a row are the body itself. */
export interface Piece {
  raw: Uint8Array;
  /** Length of the separator. */
  lead: number;
  /** Offset in the body after its last byte. */
  end: number;
}

/** A request body cut into what stands before its messages (with the opening bracket), the messages, and what follows. */
export interface Layout {
  length: number;
  head: Uint8Array;
  pieces: SharedList<Piece>;
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

/** Reads pieces from `start` up to the closing bracket; offsets begin at `offset`. Null when the text is cut or malformed. */
const readPieces = (bytes: Uint8Array, start: number, offset: number): { pieces: Piece[]; end: number } | null => {
  const pieces: Piece[] = [];
  let at = start;
  for (;;) {
    let item = skipSpace(bytes, at);
    if (bytes[item] === 0x5d) return { pieces, end: at };
    if (bytes[item] === 0x2c) item = skipSpace(bytes, item + 1);
    const end = skipValue(bytes, item);
    if (end <= item) return null;
    pieces.push({ raw: copy(bytes, at, end), lead: item - at, end: offset + end - start });
    at = end;
  }
};

/** Cuts a body; null when it is no object with a list of messages, or is cut short. */
export const layoutOf = (bytes: Uint8Array): Layout | null => {
  const start = skipSpace(bytes, 0);
  const lists = scanObject(bytes, start)?.members.filter((m) => LISTS.has(m.key) && bytes[m.start] === 0x5b);
  const list = lists?.[0];
  if (list === undefined || lists?.length !== 1) return null;
  const from = list.start + 1;
  const read = readPieces(bytes, from, from);
  if (read === null) return null;
  return {
    length: bytes.length,
    head: copy(bytes, 0, from),
    pieces: SharedList.of(read.pieces),
    tail: copy(bytes, read.end, bytes.length),
  };
};

/** Bytes `from` up to `to` of the body that a layout stands for; none of them in its head. */
const sliceOf = (layout: Layout, from: number, to: number): Uint8Array[] => {
  const parts: Uint8Array[] = [];
  const take = (bytes: Uint8Array, end: number): void => {
    const start = end - bytes.length;
    if (end > from && start < to)
      parts.push(bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, to - start)));
  };
  if (to > from) take(layout.tail, layout.length);
  // From the end: what is asked for is mostly there.
  for (let i = layout.pieces.length - 1; i >= 0; i--) {
    const piece = layout.pieces.at(i) as Piece;
    if (piece.end <= from) break;
    take(piece.raw, piece.end);
  }
  return parts.reverse();
};

/** How many pieces stand whole in the first bytes of a body. Only an object is known to be whole where it ends. */
const piecesWithin = (layout: Layout, prefix: number): number => {
  let count = layout.pieces.length;
  for (; count > 0; count--) {
    const piece = layout.pieces.at(count - 1) as Piece;
    if (piece.end <= prefix && piece.raw[piece.lead] === 0x7b) return count;
  }
  return 0;
};

/**
 * Cuts a body that shares `prefix` and `suffix` bytes with a known one, looking only at what is new. Null when too little is
 * shared to know where its list of messages is: the whole body must be read then.
 */
export const relayout = (
  base: Layout,
  delta: { prefix: number; suffix: number; middle: Uint8Array },
): Relayout | null => {
  if (delta.prefix < base.head.length || delta.prefix + delta.suffix > base.length) return null;
  const reused = piecesWithin(base, delta.prefix);
  const resume = base.pieces.at(reused - 1)?.end ?? base.head.length;
  const rest = Buffer.concat([
    ...sliceOf(base, resume, delta.prefix),
    delta.middle,
    ...sliceOf(base, base.length - delta.suffix, base.length),
  ]);
  const read = readPieces(rest, 0, resume);
  if (read === null) return null;
  const tail = rest.subarray(read.end);
  const sameRest = Buffer.compare(tail, base.tail) === 0;
  const layout: Layout = {
    length: delta.prefix + delta.middle.length + delta.suffix,
    head: base.head,
    pieces: base.pieces.extend(reused, read.pieces),
    tail: sameRest ? base.tail : copy(tail, 0, tail.length),
  };
  return { layout, reused, sameRest };
};

/** The bytes of one message. */
export const pieceBytes = (piece: Piece): Uint8Array => piece.raw.subarray(piece.lead);

/** The body without its messages, as JSON text. */
export const restText = (layout: Layout): string => `${textOf(layout.head)}${textOf(layout.tail)}`;
