import type { Problem } from '../core/problem.ts';

/** Deeper JSON than this is no message but an attack on whoever walks over it. */
const DEEPEST = 500;

/**
 * Makes somebody's JSON safe to walk over and to write as UTF-8: half a surrogate pair (JSON can escape one) becomes U+FFFD,
 * in keys too (`lossy_unicode`), and what is nested deeper than 500 levels becomes null (`too_deep`).
 * A value without either is returned as it is, not copied; the value handed in is never changed.
 */
export const wellFormed = (value: unknown, field = ''): { value: unknown; problems: Problem[] } => {
  const problems: Problem[] = [];
  return { value: repair(value, field, 0, problems, mendText), problems };
};

/** Only the limit on nesting: a text may be one half of what a stream has cut, so it is left as it is. */
export const shallow = (value: unknown): unknown => repair(value, '', 0, [], (text) => text);

const lossy = (field: string): Problem => ({
  kind: 'lossy_unicode',
  severity: 'warning',
  field,
  message: 'held half a surrogate pair, shown as U+FFFD',
});

type MendText = (text: string, field: string, problems: Problem[]) => string;

const mendText: MendText = (text, field, problems) => {
  if (text.isWellFormed()) return text;
  problems.push(lossy(field));
  return text.toWellFormed();
};

const repair = (value: unknown, field: string, depth: number, problems: Problem[], mend: MendText): unknown => {
  if (typeof value === 'string') return mend(value, field, problems);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) {
    problems.push({
      kind: 'too_deep',
      severity: 'warning',
      field: field.slice(0, 200),
      message: `nested deeper than ${DEEPEST} levels`,
    });
    return null;
  }
  if (Array.isArray(value)) {
    const items = value.map((item, i) => repair(item, `${field}[${i}]`, depth + 1, problems, mend));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]) => {
    const name = mend(key, field === '' ? key.toWellFormed() : `${field}.${key.toWellFormed()}`, problems);
    const at = field === '' ? name : `${field}.${name}`;
    const mended = repair(item, at, depth + 1, problems, mend);
    changed ||= name !== key || mended !== item;
    return [name, mended] as const;
  });
  return changed ? Object.fromEntries(entries) : value;
};
