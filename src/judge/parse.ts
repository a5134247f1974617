import { sha256 } from '../core/ids.ts';
import { canonicalJson, type JsonObject } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { JsonPath, Rule, WorkspaceCondition } from './grammar.ts';
import { parseCondition, parseEvent, sourcesOf } from './parse-event.ts';
import { parseMatch } from './parse-match.ts';
import { DEEPEST, kindOf, objectAt, onlyKeys, type Reader, type RuleProblem, wrong } from './parse-problem.ts';
import { globPattern } from './pattern.ts';
import { parseRange, type Range } from './range.ts';
import { findNamedRule, RULES } from './rules/all.ts';

/** A rule that was read, or all that is wrong with it. */
export type ParsedRule = { rule: Rule } | { problems: RuleProblem[] };

const rangeAt = (reader: Reader, json: unknown, path: JsonPath): Range | null =>
  parseRange(json) ??
  wrong(reader, path, `takes a number or a range (3, ">0", ">=0.9", "1..4"), this is ${kindOf(json)}`);

type ReadForm = (reader: Reader, json: JsonObject, path: JsonPath) => Rule | null;

const single =
  (is: 'never' | 'some'): ReadForm =>
  (reader, json, path) => {
    const event = parseEvent(reader, json[is], [...path, is]);
    return event === null ? null : { is, event };
  };

const paired =
  (is: 'every' | 'first' | 'last'): ReadForm =>
  (reader, json, path) => {
    const event = parseEvent(reader, json[is], [...path, is]);
    if (json.must === undefined) return wrong(reader, path, `"${is}" needs "must": what holds of the event`);
    if (event === null) return null;
    const must = parseCondition(reader, json.must, sourcesOf(event), [...path, 'must']);
    if (must === null) return null;
    if (is !== 'every') return { is, event, must };
    const { share } = json;
    return {
      is,
      event,
      must,
      share: share === undefined || share === 'all' ? null : rangeAt(reader, share, [...path, 'share']),
    };
  };

const counted: ReadForm = (reader, json, path) => {
  const event = parseEvent(reader, json.count, [...path, 'count']);
  if (json.is === undefined) return wrong(reader, path, '"count" needs "is": the number or range it must be in');
  const range = rangeAt(reader, json.is, [...path, 'is']);
  return event === null || range === null ? null : { is: 'count', event, range };
};

const joined =
  (is: 'and' | 'or'): ReadForm =>
  (reader, json, path) => {
    const list = json[is];
    if (!Array.isArray(list) || list.length === 0) return wrong(reader, [...path, is], 'takes a list of rules');
    return { is, rules: list.flatMap((r, i) => readRule(reader, r, [...path, is, i]) ?? []) };
  };

const judged: ReadForm = (reader, json, path) => {
  const { judge, facts } = json;
  if (typeof judge !== 'string' || judge.trim() === '') return wrong(reader, [...path, 'judge'], 'takes a question');
  if (facts !== undefined && !Array.isArray(facts)) return wrong(reader, [...path, 'facts'], 'takes a list of events');
  const events = (facts ?? []).flatMap((f: unknown, i: number) => parseEvent(reader, f, [...path, 'facts', i]) ?? []);
  return { is: 'judge', question: judge.trim(), facts: events };
};

const FILE_KEYS = ['file', 'exists', 'text', 'lines', 'only'];

const fileCondition = (reader: Reader, json: JsonObject, path: JsonPath, key: string): WorkspaceCondition | null => {
  onlyKeys(reader, json, FILE_KEYS, path, 'key of a file condition');
  if (typeof json.file !== 'string') return wrong(reader, [...path, 'file'], 'takes a glob');
  if (json.exists !== undefined && typeof json.exists !== 'boolean')
    wrong(reader, [...path, 'exists'], 'takes true or false');
  const only = typeof json.only === 'string' ? [json.only] : json.only;
  if (only !== undefined && !(Array.isArray(only) && only.every((g) => typeof g === 'string'))) {
    return wrong(reader, [...path, 'only'], 'takes a list of globs');
  }
  return {
    key,
    is: 'file',
    file: json.file,
    exists: typeof json.exists === 'boolean' ? json.exists : null,
    text: json.text === undefined ? null : parseMatch(reader, json.text, 'text', [...path, 'text']),
    lines: json.lines === undefined ? null : rangeAt(reader, json.lines, [...path, 'lines']),
    only: only === undefined ? null : only.map(globPattern),
  };
};

const looked: ReadForm = (reader, json, path) => {
  const at = [...path, 'workspace'];
  const object = objectAt(reader, json.workspace, at, '"workspace"');
  if (object === null) return null;
  const key = sha256(canonicalJson(object)).slice(0, 16);
  if ('file' in object) {
    const condition = fileCondition(reader, object, at, key);
    return condition === null ? null : { is: 'workspace', condition };
  }
  if (typeof object.run !== 'string') return wrong(reader, at, 'takes {file: glob, …} or {run: command, …}');
  onlyKeys(reader, object, ['run', 'exit', 'output'], at, 'key of a run condition');
  const exit = object.exit === undefined ? null : parseMatch(reader, object.exit, 'number', [...at, 'exit']);
  const output = object.output === undefined ? null : parseMatch(reader, object.output, 'text', [...at, 'output']);
  return { is: 'workspace', condition: { key, is: 'run', command: object.run, exit, output } };
};

const named: ReadForm = (reader, json, path) => {
  const { use, ...params } = json;
  const rule = typeof use === 'string' ? findNamedRule(use) : undefined;
  if (rule === undefined) {
    const names = RULES.map((r) => r.name);
    const near = typeof use === 'string' ? nearest(use, names) : null;
    const hint = near === null ? 'see `octobench rule list`' : `did you mean "${near}"?`;
    return wrong(reader, [...path, 'use'], `there is no named rule ${JSON.stringify(use)}; ${hint}`);
  }
  const expanded = rule.expand(params);
  if ('rule' in expanded) return readRule(reader, expanded.rule, path);
  for (const p of expanded.problems) wrong(reader, [...path, ...p.path], p.message);
  return null;
};

const FORMS: Readonly<Record<string, { keys: readonly string[]; read: ReadForm }>> = {
  use: { keys: [], read: named },
  never: { keys: [], read: single('never') },
  some: { keys: [], read: single('some') },
  every: { keys: ['must', 'share'], read: paired('every') },
  first: { keys: ['must'], read: paired('first') },
  last: { keys: ['must'], read: paired('last') },
  count: { keys: ['is'], read: counted },
  and: { keys: [], read: joined('and') },
  or: { keys: [], read: joined('or') },
  not: {
    keys: [],
    read: (reader, json, path) => {
      const rule = readRule(reader, json.not, [...path, 'not']);
      return rule === null ? null : { is: 'not', rule };
    },
  },
  offered: {
    keys: [],
    read: (reader, json, path) => {
      const match = parseMatch(reader, json.offered, { words: null }, [...path, 'offered']);
      return match === null ? null : { is: 'offered', match };
    },
  },
  workspace: { keys: [], read: looked },
  judge: { keys: ['facts'], read: judged },
};

const readRule = (reader: Reader, json: unknown, path: JsonPath): Rule | null => {
  if (reader.depth > DEEPEST) return wrong(reader, path, 'is nested too deep');
  const object = objectAt(reader, json, path, 'a rule');
  if (object === null) return null;
  const names = Object.keys(FORMS);
  const found = names.filter((n) => n in object);
  const [name] = found;
  if (name === undefined) {
    const first = Object.keys(object)[0];
    const near = first === undefined ? null : nearest(first, names);
    const hint = near === null ? '' : `; did you mean "${near}"?`;
    return wrong(reader, path, `is no rule: it has none of ${names.join(', ')}${hint}`);
  }
  if (found.length > 1) return wrong(reader, path, `mixes "${found.join('" and "')}": put them in a list under "and"`);
  const form = FORMS[name];
  if (form === undefined) return null;
  if (name !== 'use') onlyKeys(reader, object, [name, ...form.keys], path, `key of "${name}"`);
  reader.depth++;
  try {
    return form.read(reader, object, path);
  } finally {
    reader.depth--;
  }
};

/**
 * Reads a rule (`verify`, `when`) strictly: unknown words, wrong kinds and empty parts are problems that say where they
 * are and what is allowed. Named rules are expanded.
 */
export const parseRule = (json: unknown): ParsedRule => {
  const reader: Reader = { problems: [], depth: 0 };
  const rule = readRule(reader, json, []);
  if (rule !== null && reader.problems.length === 0) return { rule };
  return { problems: reader.problems.length > 0 ? reader.problems : [{ path: [], message: 'is no rule' }] };
};
