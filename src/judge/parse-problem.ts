import { isObject, type JsonObject } from '../core/json.ts';
import { suggestion } from '../core/nearest.ts';
import type { JsonPath } from './grammar.ts';

/** What is wrong with a rule, where in its JSON. */
export interface RuleProblem {
  path: (string | number)[];
  message: string;
}

/** Collects what is wrong while a rule is read; parsing goes on, so that all of it is told at once. */
export interface Reader {
  problems: RuleProblem[];
  /** Depth of nesting so far, so that a hostile rule cannot exhaust the stack. */
  depth: number;
}

export const DEEPEST = 60;

/** Notes a problem; gives null, so that a reader can `return wrong(…)`. */
export const wrong = (reader: Reader, path: JsonPath, message: string): null => {
  reader.problems.push({ path: [...path], message });
  return null;
};

/** The object at `path`, or null with a problem. */
export const objectAt = (reader: Reader, json: unknown, path: JsonPath, what: string): JsonObject | null =>
  isObject(json) ? json : wrong(reader, path, `${what} must be a map, this is ${kindOf(json)}`);

/** A problem for each key that is not known. */
export const onlyKeys = (
  reader: Reader,
  json: JsonObject,
  known: readonly string[],
  path: JsonPath,
  what: string,
): void => {
  for (const key of Object.keys(json)) {
    if (!known.includes(key)) wrong(reader, [...path, key], `"${key}" is no ${what}${suggestion(key, known)}`);
  }
};

/** The JSON kind of a value, for messages. */
export const kindOf = (json: unknown): string => {
  if (json === null || json === undefined) return 'empty';
  if (Array.isArray(json)) return 'a list';
  return typeof json === 'object'
    ? 'a map'
    : `${typeof json === 'string' ? 'the text' : `the ${typeof json}`} ${JSON.stringify(json)?.slice(0, 60)}`;
};
