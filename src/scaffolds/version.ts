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

/**
 * The version nearest to `wanted`: first by distance of the major number, then of the minor, then of the patch; the older of two that
 * are equally far. Null when `wanted` has no numbers or there is nothing to choose from.
 */
export const nearestVersion = (wanted: string, known: readonly string[]): string | null => {
  const target = numbers(wanted);
  if (target === null) return null;
  const ranked = known.flatMap((version) => {
    const n = numbers(version);
    return n === null ? [] : [{ version, n, far: target.map((t, i) => Math.abs(t - (n[i] ?? 0))) }];
  });
  ranked.sort((a, b) => compare(a.far, b.far) || compare(a.n, b.n));
  return ranked[0]?.version ?? null;
};
