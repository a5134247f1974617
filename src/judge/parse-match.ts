import { isObject, type JsonObject } from '../core/json.ts';
import { suggestion } from '../core/nearest.ts';
import type { FieldType } from './event.ts';
import type { JsonPath, Match } from './grammar.ts';
import { DEEPEST, kindOf, onlyKeys, type Reader, wrong } from './parse-problem.ts';
import { globPattern } from './pattern.ts';
import { parseRange } from './range.ts';
import { TESTS } from './verifiers/all.ts';
import type { TextTest } from './verifiers/test.ts';

const byName = new Map(TESTS.map((t) => [t.name, t]));

/** Tests that a field of this type takes. */
export const testsFor = (type: FieldType): readonly TextTest[] => {
  if (type === 'text') return TESTS.filter((t) => t.on !== 'path');
  if (type === 'path') return TESTS.filter((t) => t.on !== 'text');
  if (type === 'json') return TESTS;
  return typeof type === 'object' && 'words' in type ? TESTS.filter((t) => t.on === 'both') : [];
};

const literal = (value: string | number | boolean | null): Match => ({ is: 'literal', value });

const words = (reader: Reader, json: unknown, known: readonly string[] | null, path: JsonPath): Match | null => {
  if (typeof json !== 'string') return wrong(reader, path, `takes a word, this is ${kindOf(json)}`);
  if (known !== null && !known.includes(json.trim())) {
    return wrong(reader, path, `"${json}" does not occur here${suggestion(json, known)}`);
  }
  return literal(json.trim());
};

const rangeMatch = (reader: Reader, json: unknown, path: JsonPath): Match | null => {
  const range = parseRange(json);
  return range === null
    ? wrong(reader, path, `takes a number or a range (">0", "<=1", "1..4", "2.."), this is ${kindOf(json)}`)
    : { is: 'range', range };
};

/* A value that stands alone: a word, a number, a flag, a text, a path. */
const scalar = (reader: Reader, json: unknown, type: FieldType, path: JsonPath): Match | null => {
  if (typeof type === 'object') {
    if ('words' in type) return words(reader, json, type.words, path);
    if ('list' in type) return scalar(reader, json, type.list, path);
    return wrong(reader, path, `takes a map of ${Object.keys(type.fields).join(', ')}, this is ${kindOf(json)}`);
  }
  if (type === 'number') return rangeMatch(reader, json, path);
  if (type === 'flag') {
    if (typeof json === 'boolean' || json === null) return literal(json);
    return wrong(reader, path, `takes true, false or null, this is ${kindOf(json)}`);
  }
  if (type === 'path') {
    if (typeof json !== 'string') return wrong(reader, path, `takes a path or glob, this is ${kindOf(json)}`);
    return { is: 'glob', glob: globPattern(json) };
  }
  if (type === 'json' && typeof json === 'string' && parseRange(json) !== null && /[<>]|\.\./.test(json)) {
    return { is: 'one_of', matches: [{ is: 'range', range: parseRange(json) ?? never() }, literal(json)] };
  }
  if (typeof json === 'string') return literal(json.trim());
  if (type === 'json' && (typeof json === 'number' || typeof json === 'boolean' || json === null)) return literal(json);
  return wrong(reader, path, `takes a text, this is ${kindOf(json)}`);
};

const never = (): never => {
  throw new Error('a range that was read once');
};

const fieldsMatch = (
  reader: Reader,
  json: JsonObject,
  typeOf: (name: string) => FieldType | null,
  path: JsonPath,
): Match | null => {
  const fields = Object.entries(json).flatMap(([name, value]) => {
    const type = typeOf(name);
    const match = type === null ? null : parseMatch(reader, value, type, [...path, name]);
    return match === null ? [] : [{ name, match }];
  });
  return { is: 'fields', fields };
};

const testMatch = (reader: Reader, json: JsonObject, type: FieldType, path: JsonPath): Match | null => {
  const allowed = testsFor(type);
  const options = new Set(allowed.flatMap((t) => (t.name in json ? t.options : [])));
  onlyKeys(reader, json, [...allowed.map((t) => t.name), ...options, ...WRAPPERS], path, 'test of this field');
  const matches = Object.keys(json).flatMap((name): Match[] => {
    const test = byName.get(name);
    if (test === undefined || options.has(name) || !allowed.includes(test)) return [];
    const bound = test.bind(json[name], json);
    if (typeof bound !== 'string') return [{ is: 'test', test: name, bound }];
    wrong(reader, [...path, name], bound.startsWith('"') ? bound : `"${name}" ${bound}`);
    return [];
  });
  return matches.length === 1 ? (matches[0] ?? null) : { is: 'all', matches };
};

const WRAPPERS = ['not', 'each', 'none', 'size'] as const;

const wrapper = (reader: Reader, json: JsonObject, type: FieldType, path: JsonPath): Match | null => {
  const key = WRAPPERS.find((w) => w in json) ?? 'not';
  const inner: JsonPath = [...path, key];
  onlyKeys(reader, json, [key], path, `key beside "${key}"`);
  if (key === 'not') {
    const match = parseMatch(reader, json.not, type, inner);
    return match === null ? null : { is: 'not', match };
  }
  const isList = type === 'json' || (typeof type === 'object' && 'list' in type);
  if (!isList) return wrong(reader, inner, `"${key}" is for lists; this field is none`);
  if (key === 'size') {
    const range = parseRange(json.size);
    return range === null ? wrong(reader, inner, 'takes a number or a range') : { is: 'size', range };
  }
  const match = parseMatch(reader, json[key], typeof type === 'object' && 'list' in type ? type.list : type, inner);
  return match === null ? null : { is: key, match };
};

const objectMatch = (reader: Reader, json: JsonObject, type: FieldType, path: JsonPath): Match | null => {
  if (Object.keys(json).length === 0) return wrong(reader, path, 'is an empty map: it tests nothing');
  if (WRAPPERS.some((w) => w in json)) return wrapper(reader, json, type, path);
  const element = typeof type === 'object' && 'list' in type ? type.list : type;
  if (typeof element === 'object' && 'fields' in element) {
    const { fields } = element;
    onlyKeys(reader, json, Object.keys(fields), path, 'field');
    return fieldsMatch(reader, json, (name) => fields[name] ?? null, path);
  }
  if (element === 'json' && !Object.keys(json).some((k) => byName.has(k))) {
    return fieldsMatch(reader, json, () => 'json', path);
  }
  if (element === 'number' || element === 'flag') {
    return wrong(reader, path, `takes ${element === 'flag' ? 'true or false' : 'a number or a range'}, this is a map`);
  }
  return testMatch(reader, json, element, path);
};

/** Reads a match for a field of the given type; null with problems noted. */
export const parseMatch = (reader: Reader, json: unknown, type: FieldType, path: JsonPath): Match | null => {
  if (reader.depth > DEEPEST) return wrong(reader, path, 'is nested too deep');
  reader.depth++;
  try {
    if (json === 'any') return { is: 'any' };
    if (Array.isArray(json)) {
      if (json.length === 0) return wrong(reader, path, 'is an empty list: nothing can match');
      const matches = json.flatMap((m, i) => parseMatch(reader, m, type, [...path, i]) ?? []);
      return { is: 'one_of', matches };
    }
    return isObject(json) ? objectMatch(reader, json, type, path) : scalar(reader, json, type, path);
  } finally {
    reader.depth--;
  }
};
