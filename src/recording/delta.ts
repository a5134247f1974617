/** What a body shares with an earlier one: it is `base[0, prefix)`, then new bytes, then the last `suffix` bytes of the base. */
export interface Shared {
  prefix: number;
  suffix: number;
}

const STEPS = [1 << 16, 1 << 12, 1 << 8, 1 << 4, 1] as const;

const commonPrefix = (a: Buffer, b: Buffer): number => {
  const max = Math.min(a.length, b.length);
  let n = 0;
  for (const step of STEPS) {
    while (n + step <= max && a.compare(b, n, n + step, n, n + step) === 0) n += step;
  }
  return n;
};

const commonSuffix = (a: Buffer, b: Buffer, max: number): number => {
  let n = 0;
  for (const step of STEPS) {
    while (
      n + step <= max &&
      a.compare(b, b.length - n - step, b.length - n, a.length - n - step, a.length - n) === 0
    ) {
      n += step;
    }
  }
  return n;
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** Both ends moved to where no UTF-8 character is cut, so that the bytes between are text when the whole is. */
const atCharacters = (next: Buffer, shared: Shared): Shared => {
  let { prefix, suffix } = shared;
  while (prefix > 0 && isContinuation(next[prefix])) prefix--;
  while (suffix > 0 && isContinuation(next[next.length - suffix])) suffix--;
  return { prefix, suffix };
};

/** What `next` shares with `base`: the longest prefix, then the longest suffix of the rest, both at character boundaries. */
export const findShared = (base: Buffer, next: Buffer): Shared => {
  const prefix = commonPrefix(base, next);
  const suffix = commonSuffix(base, next, Math.min(base.length, next.length) - prefix);
  return atCharacters(next, { prefix, suffix });
};

/** Rebuilds a body from its base and the bytes between. @throws RangeError when the base is too short for it */
export const rebuild = (base: Uint8Array, shared: Shared, middle: Uint8Array): Buffer => {
  if (shared.prefix + shared.suffix > base.length) throw new RangeError('the delta reaches outside its base');
  return Buffer.concat([base.subarray(0, shared.prefix), middle, base.subarray(base.length - shared.suffix)]);
};
