/**
 * Bytes in the pieces in which they came. A body of a megabyte is never copied into one buffer: fresh memory of that size costs more
 * than everything else the recorder does with it.
 */
export class Rope {
  readonly pieces: readonly Buffer[];
  readonly length: number;

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
    this.length = pieces.reduce((n, p) => n + p.length, 0);
  }

  /** The pieces of a stretch; nothing is copied. */
  cut(from: number, to: number): Buffer[] {
    const out: Buffer[] = [];
    let at = 0;
    for (const piece of this.pieces) {
      if (at >= to) break;
      const start = Math.max(0, from - at);
      const end = Math.min(piece.length, to - at);
      if (start < end) out.push(piece.subarray(start, end));
      at += piece.length;
    }
    return out;
  }

  /** A stretch as one buffer. */
  bytes(from = 0, to: number = this.length): Buffer {
    const [only, ...more] = this.cut(from, to);
    if (only === undefined) return Buffer.alloc(0);
    return more.length === 0 ? only : Buffer.concat([only, ...more]);
  }
}

const STEP = 1 << 16;

/** How many leading bytes two stretches of equal length share. */
const sharedHead = (a: Buffer, b: Buffer): number => {
  let low = 0;
  let high = a.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (a.compare(b, low, middle, low, middle) === 0) low = middle;
    else high = middle - 1;
  }
  return low;
};

const sharedTail = (a: Buffer, b: Buffer): number => {
  let low = 0;
  let high = a.length;
  const end = a.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (a.compare(b, end - middle, end - low, end - middle, end - low) === 0) low = middle;
    else high = middle - 1;
  }
  return low;
};

/** Steps through the pieces of two ropes side by side; `compare` gets two stretches of equal length and says how much they share. */
const walk = (
  a: readonly Buffer[],
  b: readonly Buffer[],
  max: number,
  take: (piece: Buffer, done: number, length: number) => Buffer,
  compare: (x: Buffer, y: Buffer) => number,
): number => {
  let shared = 0;
  let i = 0;
  let j = 0;
  let usedA = 0;
  let usedB = 0;
  while (shared < max) {
    const x = a[i];
    const y = b[j];
    if (x === undefined || y === undefined) break;
    const length = Math.min(x.length - usedA, y.length - usedB, max - shared, STEP);
    const same = compare(take(x, usedA, length), take(y, usedB, length));
    shared += same;
    if (same < length) break;
    usedA += length;
    usedB += length;
    if (usedA === x.length) {
      i++;
      usedA = 0;
    }
    if (usedB === y.length) {
      j++;
      usedB = 0;
    }
  }
  return shared;
};

/** Length of the longest prefix two ropes share, at most `max`. */
export const commonPrefix = (a: Rope, b: Rope, max: number): number =>
  walk(a.pieces, b.pieces, max, (piece, done, n) => piece.subarray(done, done + n), sharedHead);

/** Length of the longest suffix two ropes share, at most `max`. */
export const commonSuffix = (a: Rope, b: Rope, max: number): number =>
  walk(
    a.pieces.toReversed(),
    b.pieces.toReversed(),
    max,
    (piece, done, n) => piece.subarray(piece.length - done - n, piece.length - done),
    sharedTail,
  );
