const numbers = (version: string): number[] | null => {
  const found = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version);
  return found === null ? null : [found[1], found[2], found[3]].map((n) => Number(n ?? 0));
};

const compare = (a: readonly number[], b: readonly number[]): number => {
  for (const i of [0, 1, 2]) {
    const d = (a[i] ?? 0) - (b[i] ?? 0);
    if (d !== 0) return d;
  }
  return 0;
};

/** Components that two versions share from the left. */
const shared = (a: readonly number[], b: readonly number[]): number => {
  const at = [0, 1, 2].find((i) => a[i] !== b[i]);
  return at ?? 3;
};

/** Which of two neighbours is nearer: the one that shares more of the number, then the one less far where they differ; else the older. */
const nearer = (target: readonly number[], below: readonly number[], above: readonly number[]): 'below' | 'above' => {
  const down = shared(target, below);
  const up = shared(target, above);
  if (down !== up) return down > up ? 'below' : 'above';
  return (target[down] ?? 0) - (below[down] ?? 0) <= (above[up] ?? 0) - (target[up] ?? 0) ? 'below' : 'above';
};

/**
 * The version nearest to `wanted` in the order of versions. Null when `wanted` has no numbers or there is nothing to choose from.
 */
export const nearestVersion = (wanted: string, known: readonly string[]): string | null => {
  const target = numbers(wanted);
  if (target === null) return null;
  const ordered = known
    .flatMap((version) => {
      const n = numbers(version);
      return n === null ? [] : [{ version, n }];
    })
    .sort((a, b) => compare(a.n, b.n));
  const below = ordered.findLast(({ n }) => compare(n, target) <= 0);
  const above = ordered.find(({ n }) => compare(n, target) >= 0);
  if (below === undefined || above === undefined) return (below ?? above)?.version ?? null;
  return nearer(target, below.n, above.n) === 'below' ? below.version : above.version;
};
