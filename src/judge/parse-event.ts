import { isObject, type JsonObject } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { FieldType } from './event.ts';
import type { Anchor, Condition, EventSet, FieldMatch, JsonPath, Relation, Scope, SourceEvent } from './grammar.ts';
import { parseMatch } from './parse-match.ts';
import { DEEPEST, kindOf, objectAt, onlyKeys, type Reader, wrong } from './parse-problem.ts';
import { SOURCES } from './verifiers/all.ts';
import { COMMON_FIELDS, type Source } from './verifiers/source.ts';

const PLACES = ['in', 'since', 'until', 'while'] as const;
const RELATIONS: readonly Relation[] = ['preceded_by', 'followed_by', 'alongside'];
const sourceNames = SOURCES.map((s) => s.name);

/** The type of a source's field; `input.x` is a field of the arguments. */
const fieldType = (source: Source, field: string): FieldType | null => {
  if (field.startsWith('input.') && source.fields.input !== undefined) return 'json';
  return source.fields[field] ?? COMMON_FIELDS[field] ?? null;
};

const fieldNames = (source: Source): string[] => [...Object.keys(source.fields), ...Object.keys(COMMON_FIELDS)];

const unknownField = (reader: Reader, sources: readonly Source[], field: string, path: JsonPath): null => {
  const names = [...new Set(sources.flatMap(fieldNames))];
  const near = nearest(field, names);
  const of = [...new Set(sources.map((s) => s.name))].join(', ');
  return wrong(
    reader,
    path,
    `${of} has no field "${field}"${near === null ? `; it has ${names.join(', ')}` : `; did you mean "${near}"?`}`,
  );
};

const parseScope = (reader: Reader, json: unknown, path: JsonPath): Scope | null => {
  if (json === undefined || json === 'main' || json === 'subagents' || json === 'all') return json ?? null;
  return wrong(reader, path, `"in" takes main, subagents or all, this is ${kindOf(json)}`);
};

const parseAnchor = (reader: Reader, json: unknown, path: JsonPath): Anchor | null => {
  const object = objectAt(reader, json, path, 'an anchor');
  if (object === null) return null;
  const key = (['first', 'last', 'query'] as const).find((k) => k in object);
  if (key === undefined) return wrong(reader, path, 'an anchor is {first: event}, {last: event} or {query: n}');
  onlyKeys(reader, object, [key], path, `key beside "${key}"`);
  if (key === 'query') {
    const n = object.query;
    return typeof n === 'number' && Number.isInteger(n) && n >= 0
      ? { query: n }
      : wrong(reader, [...path, 'query'], 'takes the number of a query, from 0');
  }
  const event = parseEvent(reader, object[key], [...path, key]);
  return event === null ? null : { pick: key, event };
};

const parseWhile = (reader: Reader, json: unknown, path: JsonPath): SourceEvent['while'] => {
  const object = objectAt(reader, json, path, '"while"');
  if (object === null) return null;
  onlyKeys(reader, object, ['from', 'to'], path, 'key of "while"');
  const from = parseEvent(reader, object.from, [...path, 'from']);
  const to = parseEvent(reader, object.to, [...path, 'to']);
  return from === null || to === null ? null : { from, to };
};

const sourceEvent = (reader: Reader, json: JsonObject, source: Source, path: JsonPath): SourceEvent => {
  const fields = Object.entries(json).flatMap(([key, value]): FieldMatch[] => {
    if (PLACES.some((p) => p === key)) return [];
    const field = key === source.name ? source.subject : key;
    const type = fieldType(source, field);
    if (type === null) {
      unknownField(reader, [source], key, [...path, key]);
      return [];
    }
    const match = parseMatch(reader, value, type, [...path, key]);
    return match === null || (key === source.name && match.is === 'any') ? [] : [{ field, match }];
  });
  return {
    is: 'event',
    source: source.name,
    fields,
    scope: parseScope(reader, json.in, [...path, 'in']),
    since: json.since === undefined ? null : parseAnchor(reader, json.since, [...path, 'since']),
    until: json.until === undefined ? null : parseAnchor(reader, json.until, [...path, 'until']),
    while: json.while === undefined ? null : parseWhile(reader, json.while, [...path, 'while']),
  };
};

const oneOf = (reader: Reader, json: JsonObject, path: JsonPath): EventSet | null => {
  onlyKeys(reader, json, ['one_of'], path, 'key beside "one_of"');
  if (!Array.isArray(json.one_of) || json.one_of.length === 0) {
    return wrong(reader, [...path, 'one_of'], 'takes a list of events');
  }
  return { is: 'one_of', events: json.one_of.flatMap((e, i) => parseEvent(reader, e, [...path, 'one_of', i]) ?? []) };
};

/** Reads an event; null with problems noted. */
export const parseEvent = (reader: Reader, json: unknown, path: JsonPath): EventSet | null => {
  if (reader.depth > DEEPEST) return wrong(reader, path, 'is nested too deep');
  const object = objectAt(reader, json, path, 'an event');
  if (object === null) return null;
  reader.depth++;
  try {
    if ('one_of' in object) return oneOf(reader, object, path);
    /* `turn` and `query` are also fields of every event: another source beside them is the one that is meant. */
    const named = Object.keys(object).filter((k) => sourceNames.includes(k));
    const name = named.find((k) => COMMON_FIELDS[k] === undefined) ?? named[0];
    const source = SOURCES.find((s) => s.name === name);
    if (source !== undefined) return sourceEvent(reader, object, source, path);
    const first = Object.keys(object)[0];
    const near = first === undefined ? null : nearest(first, sourceNames);
    return wrong(
      reader,
      path,
      `names no source of events (${sourceNames.join(', ')}, or one_of)${near === null ? '' : `; did you mean "${near}"?`}`,
    );
  } finally {
    reader.depth--;
  }
};

/** The sources that an event set draws from. */
export const sourcesOf = (event: EventSet): Source[] =>
  event.is === 'one_of' ? event.events.flatMap(sourcesOf) : SOURCES.filter((s) => s.name === event.source);

const parseSame = (
  reader: Reader,
  json: unknown,
  inner: readonly Source[],
  outer: readonly Source[],
  path: JsonPath,
): { inner: string; outer: string }[] => {
  if (json === undefined) return [];
  if (!Array.isArray(json)) {
    wrong(reader, path, `"same" takes a list of fields, this is ${kindOf(json)}`);
    return [];
  }
  return json.flatMap((entry: unknown, i) => {
    const [pair] = isObject(entry) ? Object.entries(entry) : [[entry, entry]];
    const [a, b] = pair ?? [];
    if (typeof a !== 'string' || typeof b !== 'string' || (isObject(entry) && Object.keys(entry).length !== 1)) {
      wrong(reader, [...path, i], 'takes a field, or {inner field: outer field}');
      return [];
    }
    if (inner.some((s) => fieldType(s, a) === null)) unknownField(reader, inner, a, [...path, i]);
    if (outer.some((s) => fieldType(s, b) === null)) unknownField(reader, outer, b, [...path, i]);
    return [{ inner: a, outer: b }];
  });
};

const parseRelation = (
  reader: Reader,
  json: JsonObject,
  relation: Relation,
  outer: readonly Source[],
  path: JsonPath,
): Condition | null => {
  const event = parseEvent(reader, json[relation], [...path, relation]);
  if (event === null) return null;
  const { within } = json;
  if (within !== undefined && !(typeof within === 'number' && Number.isInteger(within) && within >= 1)) {
    wrong(reader, [...path, 'within'], '"within" takes a number of turns, from 1');
  }
  return {
    is: 'order',
    relation,
    event,
    same: parseSame(reader, json.same, sourcesOf(event), outer, [...path, 'same']),
    within: typeof within === 'number' ? within : null,
  };
};

const parseList = (reader: Reader, json: unknown, outer: readonly Source[], path: JsonPath): Condition[] => {
  if (Array.isArray(json) && json.length > 0) {
    return json.flatMap((c, i) => parseCondition(reader, c, outer, [...path, i]) ?? []);
  }
  wrong(reader, path, 'takes a list of conditions');
  return [];
};

const entry = (
  reader: Reader,
  json: JsonObject,
  key: string,
  outer: readonly Source[],
  path: JsonPath,
): Condition | null => {
  const at = [...path, key];
  if (key === 'and' || key === 'or') return { is: key, conditions: parseList(reader, json[key], outer, at) };
  if (key === 'not') {
    const condition = parseCondition(reader, json.not, outer, at);
    return condition === null ? null : { is: 'not', condition };
  }
  const relation = RELATIONS.find((r) => r === key);
  if (relation !== undefined) return parseRelation(reader, json, relation, outer, path);
  const types = outer.flatMap((s) => fieldType(s, key) ?? []);
  const [type] = types;
  if (type === undefined || types.length < outer.length) return unknownField(reader, outer, key, at);
  const match = parseMatch(reader, json[key], type, at);
  return match === null ? null : { is: 'field', field: key, match };
};

/** Reads what must hold of an event of the `outer` sources; null with problems noted. */
export const parseCondition = (
  reader: Reader,
  json: unknown,
  outer: readonly Source[],
  path: JsonPath,
): Condition | null => {
  if (reader.depth > DEEPEST) return wrong(reader, path, 'is nested too deep');
  const object = objectAt(reader, json, path, 'a condition');
  if (object === null) return null;
  reader.depth++;
  try {
    const keys = Object.keys(object).filter((k) => k !== 'same' && k !== 'within');
    const relations = keys.filter((k) => RELATIONS.some((r) => r === k));
    if (keys.length === 0) return wrong(reader, path, 'is an empty condition: it asks nothing');
    if (relations.length > 1)
      wrong(reader, path, `"${relations.join('" and "')}" each need a map of their own, under "and"`);
    if (relations.length === 0 && keys.length < Object.keys(object).length) {
      wrong(reader, path, `"same" and "within" belong to ${RELATIONS.join(', ')}`);
    }
    const conditions = keys.flatMap((key) => entry(reader, object, key, outer, path) ?? []);
    return conditions.length === 1 ? (conditions[0] ?? null) : { is: 'and', conditions };
  } finally {
    reader.depth--;
  }
};
