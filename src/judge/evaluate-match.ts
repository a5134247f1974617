import { isObject } from '../core/json.ts';
import { UNKNOWN } from './event.ts';
import type { Match } from './grammar.ts';
import { inRange } from './range.ts';
import { allOf, anyOf, opposite, type Truth, truthOf } from './truth.ts';
import type { TestPlace } from './verifiers/test.ts';

/* null is a value of its own ("not told"): it is not `false`, and whether it is `true` cannot be known. */
const literalMatch = (wanted: string | number | boolean | null, value: unknown): Truth => {
  if (value === null) return wanted === null ? 'S' : 'U';
  if (typeof value === 'string' && typeof wanted === 'string') return truthOf(value.trim() === wanted);
  return truthOf(value === wanted);
};

const notMatch = (inner: Match, value: unknown, at: TestPlace): Truth => {
  if (value === null && inner.is === 'literal') return truthOf(inner.value !== null);
  return opposite(matchValue(inner, value, at));
};

const listMatch = (match: Match, list: readonly unknown[], at: TestPlace): Truth => {
  if (match.is === 'size') return truthOf(inRange(list.length, match.range));
  if (match.is === 'each') return list.length === 0 ? 'S' : allOf(list.map((x) => matchValue(match.match, x, at)));
  if (match.is === 'none')
    return list.length === 0 ? 'S' : opposite(anyOf(list.map((x) => matchValue(match.match, x, at))));
  return list.length === 0 ? 'F' : anyOf(list.map((x) => matchValue(match, x, at)));
};

const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const scalarMatch = (match: Match, value: unknown, at: TestPlace): Truth => {
  if (match.is === 'literal') return literalMatch(match.value, value);
  if (match.is === 'range') return truthOf(typeof value === 'number' && inRange(value, match.range));
  if (match.is === 'glob') return truthOf(typeof value === 'string' && match.glob.test(value.trim()));
  if (match.is === 'test') return typeof value === 'string' ? match.bound.holds(value, at) : 'F';
  if (match.is === 'fields') return allOf(match.fields.map((f) => matchValue(f.match, fieldOf(value, f.name), at)));
  return 'F';
};

/** Whether a field's value matches. An absent value matches nothing but a negation, an unknown one is U. */
export const matchValue = (match: Match, value: unknown, at: TestPlace): Truth => {
  if (match.is === 'any') return truthOf(value !== undefined);
  if (match.is === 'not') return notMatch(match.match, value, at);
  if (match.is === 'one_of') return anyOf(match.matches.map((m) => matchValue(m, value, at)));
  if (match.is === 'all') return allOf(match.matches.map((m) => matchValue(m, value, at)));
  if (value === UNKNOWN) return 'U';
  if (value === undefined) return truthOf(match.is === 'none');
  return Array.isArray(value) ? listMatch(match, value, at) : scalarMatch(match, value, at);
};
