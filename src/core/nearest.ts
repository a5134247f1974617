const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** The known name a person most likely meant, or null when none is near. */
export const nearest = (name: string, known: readonly string[]): string | null => {
  const ranked = known
    .map((k) => ({ k, d: distance(name.toLowerCase().slice(0, 60), k.toLowerCase()) }))
    .sort((a, b) => a.d - b.d);
  const best = ranked[0];
  return best !== undefined && best.d <= Math.max(2, Math.floor(name.length / 3)) ? best.k : null;
};

/** ` (did you mean "x"?)`, or the list of what there is. */
export const suggestion = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return near === null ? `; known: ${known.join(', ')}` : `; did you mean "${near}"?`;
};
