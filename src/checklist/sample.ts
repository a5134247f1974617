import { pick, seeded } from '../stats/random.ts';

const shuffled = <T>(items: readonly T[], random: () => number): T[] => {
  const list = [...items];
  for (let i = list.length - 1; i > 0; i--) {
    const j = pick(random, i + 1);
    const [a, b] = [list[i] as T, list[j] as T];
    list[i] = b;
    list[j] = a;
  }
  return list;
};

/**
 * A sample in which each stratum has its share (largest remainders get what rounding leaves), drawn at random within the strata.
 * The same seed over the same items draws the same sample, in the order of the items. Pure.
 * @param size how many; all items when there are fewer
 */
export const stratifiedSample = <T>(
  items: readonly T[],
  stratumOf: (item: T) => string,
  size: number,
  seed: number | string,
): T[] => {
  if (size >= items.length) return [...items];
  const random = seeded(seed);
  const strata = [...Map.groupBy(items, stratumOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  const quotas = strata.map(([name, own]) => {
    const exact = (own.length * size) / items.length;
    return { name, own, take: Math.floor(exact), rest: exact - Math.floor(exact) };
  });
  let left = size - quotas.reduce((n, q) => n + q.take, 0);
  for (const quota of quotas.toSorted((a, b) => b.rest - a.rest || (a.name < b.name ? -1 : 1))) {
    if (left === 0) break;
    quota.take++;
    left--;
  }
  const drawn = new Set(quotas.flatMap(({ own, take }) => shuffled(own, random).slice(0, take)));
  return items.filter((item) => drawn.has(item));
};
