/** A wording with a name of its own. */
export interface Wording {
  id: string;
  text: string;
}

/** Two wordings that say nearly the same; `similarity` is the Jaccard index of their shingles. */
export interface NearDuplicate {
  a: string;
  b: string;
  similarity: number;
}

/** Words in a shingle. */
const SIZE = 2;
/** What all checks begin with tells none of them apart. */
const OPENING = /^check whether (the assistant )?/;

const shinglesOf = (text: string): string[] => {
  const words =
    text
      .toLowerCase()
      .replace(OPENING, '')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length <= SIZE) return [words.join(' ')];
  return [...new Set(words.slice(SIZE - 1).map((_, i) => words.slice(i, i + SIZE).join(' ')))];
};

const jaccard = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0;
  for (const x of a) if (b.has(x)) shared++;
  return shared / (a.size + b.size - shared);
};

/**
 * Pairs of wordings whose shingles of two words overlap by at least `threshold` (Jaccard), the most alike first.
 * Only pairs that share one of their rarest shingles are compared: two sets that are alike by t share one of the
 * |x| - ceil(t |x|) + 1 rarest of each (prefix filter of Chaudhuri et al. 2006), so that time grows with what is alike. Pure.
 * @param threshold above 0, up to 1
 */
export const nearDuplicates = (wordings: readonly Wording[], threshold = 0.6): NearDuplicate[] => {
  const sets = wordings.map((w) => shinglesOf(w.text));
  const count = new Map<string, number>();
  for (const shingle of sets.flat()) count.set(shingle, (count.get(shingle) ?? 0) + 1);
  const rarity = (x: string, y: string): number => (count.get(x) ?? 0) - (count.get(y) ?? 0) || (x < y ? -1 : 1);
  const owners = new Map<string, number[]>();
  const found: NearDuplicate[] = [];
  const whole = sets.map((s) => new Set(s));
  for (const [i, shingles] of sets.entries()) {
    const prefix = shingles.toSorted(rarity).slice(0, shingles.length - Math.ceil(threshold * shingles.length) + 1);
    const candidates = new Set(prefix.flatMap((shingle) => owners.get(shingle) ?? []));
    for (const j of candidates) {
      const similarity = jaccard(whole[i] ?? new Set(), whole[j] ?? new Set());
      if (similarity >= threshold) found.push({ a: wordings[j]?.id ?? '', b: wordings[i]?.id ?? '', similarity });
    }
    for (const shingle of prefix) {
      const own = owners.get(shingle);
      if (own === undefined) owners.set(shingle, [i]);
      else own.push(i);
    }
  }
  return found.sort((x, y) => y.similarity - x.similarity || (x.a + x.b < y.a + y.b ? -1 : 1));
};
