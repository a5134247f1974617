import { commonPrefix, commonSuffix, Rope } from './rope.ts';

/** What a body shares with an earlier one: it is `base[0, prefix)`, then new bytes, then the last `suffix` bytes of the base. */
export interface Shared {
  prefix: number;
  suffix: number;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
const byteAt = (rope: Rope, at: number): number | undefined => rope.cut(at, at + 1)[0]?.[0];

/** Both ends moved to where no UTF-8 character is cut, so that the bytes between are text when the whole is. */
const atCharacters = (next: Rope, shared: Shared): Shared => {
  let { prefix, suffix } = shared;
  while (prefix > 0 && isContinuation(byteAt(next, prefix))) prefix--;
  while (suffix > 0 && isContinuation(byteAt(next, next.length - suffix))) suffix--;
  return { prefix, suffix };
};

/** What `next` shares with `base`: the longest prefix, then the longest suffix of the rest, both at character boundaries. */
export const findShared = (base: Rope, next: Rope): Shared => {
  const shorter = Math.min(base.length, next.length);
  const prefix = commonPrefix(base, next, shorter);
  const suffix = commonSuffix(base, next, shorter - prefix);
  return atCharacters(next, { prefix, suffix });
};

/** Neighbours shorter than this are copied into one, so that a rope stays a list of large pieces however long a session goes on. */
const SMALL = 1 << 14;

const joinSmall = (pieces: readonly Buffer[]): Buffer[] => {
  const out: Buffer[] = [];
  let run: Buffer[] = [];
  let size = 0;
  const close = (): void => {
    if (run.length > 0) out.push(run.length === 1 ? (run[0] as Buffer) : Buffer.concat(run));
    run = [];
    size = 0;
  };
  for (const piece of pieces) {
    if (size + piece.length > SMALL) close();
    run.push(piece);
    size += piece.length;
  }
  close();
  return out;
};

/**
 * `next` made of its base's memory and a copy of what is new, so that requests which share a history share its memory, and what was
 * read from the socket can go.
 */
export const onBase = (base: Rope, shared: Shared, middle: Buffer): Rope =>
  new Rope(
    joinSmall([
      ...base.cut(0, shared.prefix),
      Buffer.from(middle),
      ...base.cut(base.length - shared.suffix, base.length),
    ]),
  );

/** Rebuilds a body from its base and the bytes between. @throws RangeError when the base is too short for it */
export const rebuild = (base: Uint8Array, shared: Shared, middle: Uint8Array): Buffer => {
  if (shared.prefix + shared.suffix > base.length) throw new RangeError('the delta reaches outside its base');
  return Buffer.concat([base.subarray(0, shared.prefix), middle, base.subarray(base.length - shared.suffix)]);
};
