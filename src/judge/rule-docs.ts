import { isObject, type JsonObject } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import type { FieldType } from './event.ts';
import { RULES } from './rules/all.ts';
import type { NamedRule } from './rules/rule.ts';
import { SOURCES, TESTS } from './verifiers/all.ts';
import { COMMON_FIELDS } from './verifiers/source.ts';

/** A named rule as `octobench rule list` shows it. */
export interface RuleEntry {
  name: string;
  description: string;
  params: { name: string; required: boolean; description: string }[];
  example: JsonObject;
}

const paramsOf = (rule: NamedRule): RuleEntry['params'] => {
  const { properties, required } = rule.params;
  const needed: unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => ({
    name,
    required: needed.includes(name),
    description: isObject(schema) && typeof schema.description === 'string' ? schema.description : '',
  }));
};

/** All named rules, in the order of the list. */
export const listRules = (): RuleEntry[] =>
  RULES.map((rule) => ({
    name: rule.name,
    description: rule.description,
    params: paramsOf(rule),
    example: rule.example,
  }));

/** A named rule in full: what `octobench rule explain` shows. */
export interface RuleExplanation extends RuleEntry {
  notes: string | null;
  /** The example in the core grammar. */
  expansion: JsonObject;
}

/** Explains a named rule; a string names the nearest one when there is none of that name. */
export const explainRule = (name: string): RuleExplanation | string => {
  const rule = RULES.find((r) => r.name === name);
  const entry = listRules().find((r) => r.name === name);
  if (rule === undefined || entry === undefined) {
    const near = nearest(
      name,
      RULES.map((r) => r.name),
    );
    return `there is no named rule "${name}"${near === null ? '' : `; did you mean "${near}"?`}`;
  }
  const { use: _, ...params } = rule.example;
  const expanded = rule.expand(params);
  return { ...entry, notes: rule.notes ?? null, expansion: 'rule' in expanded ? expanded.rule : {} };
};

const typeName = (type: FieldType): string => {
  if (typeof type === 'string') return type;
  if ('words' in type) return type.words === null ? 'word' : type.words.join(' · ');
  if ('list' in type)
    return `list of ${typeof type.list === 'object' && 'words' in type.list && type.list.words !== null ? 'words' : typeName(type.list)}`;
  return `{${Object.keys(type.fields).join(', ')}}`;
};

const cell = (text: string): string => text.replaceAll('|', '\\|');
/* One line of flow YAML, as an author would write it. */
const flow = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (isObject(value))
    return `{ ${Object.entries(value)
      .map(([k, v]) => `${k}: ${flow(v)}`)
      .join(', ')} }`;
  if (typeof value !== 'string') return String(value);
  return /^[A-Za-z_][\w-]*$/.test(value) && value !== 'true' ? value : `'${value.replaceAll("'", "''")}'`;
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

/** The tables of docs/formats/rules.md that are made from the code, by the heading they stand under. */
export const rulesTables = (): Record<string, string> => ({
  Sources: table(
    ['source', 'one event is', 'its match is on', 'looks in', 'fields'],
    SOURCES.map((s) => [
      `\`${s.name}\``,
      s.description,
      `\`${s.subject}\``,
      s.scope,
      Object.entries(s.fields)
        .map(([name, type]) => `\`${name}\` (${typeName(type)})`)
        .join(', '),
    ]),
  ),
  'Fields of every event': table(
    ['field', 'type'],
    Object.entries(COMMON_FIELDS).map(([name, type]) => [`\`${name}\``, typeName(type)]),
  ),
  'Tests on texts and paths': table(
    ['test', 'on', 'holds when the value'],
    TESTS.map((t) => [
      [t.name, ...t.options].map((n) => `\`${n}\``).join(' '),
      t.on === 'both' ? 'text, path, word' : t.on,
      t.description,
    ]),
  ),
  'Named rules': table(
    ['rule', 'asks', 'parameters', 'example'],
    RULES.map((r) => [
      `\`${r.name}\``,
      r.notes === undefined ? r.description : `${r.description} ${r.notes}`,
      paramsOf(r)
        .map((p) => `\`${p.name}\`${p.required ? ' (needed)' : ''}: ${p.description}`)
        .join('; ') || 'none',
      `\`${flow(r.example)}\``,
    ]),
  ),
});
