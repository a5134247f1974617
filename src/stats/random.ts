/** A stream of numbers in [0, 1), the same for the same seed on every machine. */
export type Random = () => number;

/** 32 bits of a string (FNV-1a), so that a seed can be a name. */
const seedOf = (text: string): number => {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
};

/** Seeded random numbers (the public-domain generator sfc32, its state filled from `seed` and stirred 15 times). */
export const seeded = (seed: number | string): Random => {
  let a = 0x9e3779b9;
  let b = 0x243f6a88;
  let c = typeof seed === 'string' ? seedOf(seed) : seed >>> 0;
  let counter = 1;
  const next = (): number => {
    const t = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 15; i++) next();
  return next;
};

/** A whole number from 0 to `below` - 1. */
export const pick = (random: Random, below: number): number => Math.floor(random() * below);
