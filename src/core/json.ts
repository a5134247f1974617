/** A plain object whose values are not looked at yet. */
export type JsonObject = Record<string, unknown>;

/** True for a plain object (not null, not a list). */
export const isObject = (x: unknown): x is JsonObject => typeof x === 'object' && x !== null && !Array.isArray(x);

/** JSON with keys sorted at every level: equal values give equal text, so it can be digested. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, v: unknown) =>
    isObject(v)
      ? Object.fromEntries(
          Object.keys(v)
            .sort()
            .map((k) => [k, v[k]]),
        )
      : v,
  ) ?? 'null';

/** Parses JSON; `undefined` when the text is none (JSON itself has no `undefined`). */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
