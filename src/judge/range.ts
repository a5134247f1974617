/** Numbers from `low` to `high`; an end that is not `closed` is left out. */
export interface Range {
  low: number;
  lowClosed: boolean;
  high: number;
  highClosed: boolean;
}

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const BOUND = new RegExp(`^(>=|<=|>|<)\\s*(${NUMBER})$`);
const SPAN = new RegExp(`^(${NUMBER})?\\s*\\.\\.\\s*(${NUMBER})?$`);

/** `3`, `">0"`, `">=0.9"`, `"<=1"`, `"1..4"`, `"2.."`, `"..5"`; null when it is no range. */
export const parseRange = (json: unknown): Range | null => {
  if (typeof json === 'number') {
    return Number.isFinite(json) ? { low: json, lowClosed: true, high: json, highClosed: true } : null;
  }
  if (typeof json !== 'string') return null;
  const text = json.trim();
  if (new RegExp(`^${NUMBER}$`).test(text)) return parseRange(Number(text));
  const bound = BOUND.exec(text);
  if (bound !== null) {
    const n = Number(bound[2]);
    const closed = bound[1]?.endsWith('=') === true;
    return bound[1]?.startsWith('>') === true
      ? { low: n, lowClosed: closed, high: Number.POSITIVE_INFINITY, highClosed: true }
      : { low: Number.NEGATIVE_INFINITY, lowClosed: true, high: n, highClosed: closed };
  }
  const span = SPAN.exec(text);
  if (span === null || (span[1] === undefined && span[2] === undefined)) return null;
  const low = span[1] === undefined ? Number.NEGATIVE_INFINITY : Number(span[1]);
  const high = span[2] === undefined ? Number.POSITIVE_INFINITY : Number(span[2]);
  return low <= high ? { low, lowClosed: true, high, highClosed: true } : null;
};

export const inRange = (n: number, r: Range): boolean =>
  (r.lowClosed ? n >= r.low : n > r.low) && (r.highClosed ? n <= r.high : n < r.high);

/** Whether all numbers from `low` to `high` are in the range, none, or some. */
export const spanInRange = (low: number, high: number, r: Range): 'inside' | 'outside' | 'overlaps' => {
  const below = r.lowClosed ? high < r.low : high <= r.low;
  const above = r.highClosed ? low > r.high : low >= r.high;
  if (below || above) return 'outside';
  return inRange(low, r) && inRange(high, r) ? 'inside' : 'overlaps';
};

/** The range as it would be written. */
export const showRange = (r: Range): string => {
  if (r.low === r.high) return String(r.low);
  if (r.high === Number.POSITIVE_INFINITY) return `${r.lowClosed ? '>=' : '>'}${r.low}`;
  if (r.low === Number.NEGATIVE_INFINITY) return `${r.highClosed ? '<=' : '<'}${r.high}`;
  return `${r.low}..${r.high}`;
};
