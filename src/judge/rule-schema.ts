import type { JsonObject } from '../core/json.ts';
import type { FieldType } from './event.ts';
import { testsFor } from './parse-match.ts';
import { RULES } from './rules/all.ts';
import { SOURCES } from './verifiers/all.ts';
import { COMMON_FIELDS, type Source } from './verifiers/source.ts';

/* The grammar as JSON Schema, for editors: made from the definitions that the parser reads by. */

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const strict = (properties: JsonObject, required: string[], more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
  ...more,
});
const list = (items: JsonObject): JsonObject => ({ type: 'array', items, minItems: 1 });

const RANGE: JsonObject = {
  description: '3, ">0", ">=0.9", "<=1", "1..4", "2.."',
  anyOf: [{ type: 'number' }, { type: 'string', pattern: '^\\s*((>=|<=|>|<)\\s*-?\\d|-?\\d|\\.\\.)' }],
};

/* Each type of field is one definition, referred to by its name: nothing is written out twice. */
const typeName = (type: FieldType): string => {
  if (typeof type === 'string') return type;
  if ('list' in type) return `list_of_${typeName(type.list)}`;
  if ('fields' in type) return `fields_${Object.keys(type.fields).join('_')}`;
  return type.words === null ? 'word' : `word_${type.words.join('_').slice(0, 40)}`;
};

const matchSchema = (type: FieldType): JsonObject => ref(`match_${typeName(type)}`);

const scalarSchema = (type: FieldType): JsonObject[] => {
  if (type === 'number') return [ref('range')];
  if (type === 'flag') return [{ enum: [true, false, null] }];
  if (type === 'json') return [{ type: ['string', 'number', 'boolean', 'null'] }];
  if (type === 'text' || type === 'path') return [{ type: 'string' }];
  if ('words' in type) return [type.words === null ? { type: 'string' } : { enum: type.words }];
  return [];
};

const testSchema = (type: FieldType): JsonObject[] => {
  if (typeof type === 'object' && 'fields' in type) {
    const fields = Object.entries(type.fields).map(([name, inner]) => [name, matchSchema(inner)]);
    return [{ type: 'object', properties: Object.fromEntries(fields), additionalProperties: false, minProperties: 1 }];
  }
  if (type === 'json') return [{ type: 'object', minProperties: 1 }];
  const tests = testsFor(type);
  if (tests.length === 0) return [];
  const properties = Object.fromEntries([
    ...tests.flatMap((t) => t.options.map((o) => [o, {}])),
    ...tests.map((t) => [t.name, { description: t.description, ...t.schema }]),
  ]);
  return [{ type: 'object', properties, additionalProperties: false, minProperties: 1 }];
};

const bodyOf = (type: FieldType): JsonObject => {
  const self = matchSchema(type);
  const common = [{ const: 'any' }, list(self), strict({ not: self }, ['not'])];
  const element = typeof type === 'object' && 'list' in type ? matchSchema(type.list) : type === 'json' ? self : null;
  if (element === null) return { anyOf: [...common, ...scalarSchema(type), ...testSchema(type)] };
  const onLists = [
    strict({ each: element }, ['each']),
    strict({ none: element }, ['none']),
    strict({ size: ref('range') }, ['size']),
  ];
  return {
    anyOf: [...common, ...onLists, ...(type === 'json' ? [...scalarSchema(type), ...testSchema(type)] : [element])],
  };
};

/* The type and those that it is made of. */
const within = (type: FieldType): FieldType[] => {
  if (typeof type === 'string' || 'words' in type) return [type];
  return [type, ...('list' in type ? within(type.list) : Object.values(type.fields).flatMap(within))];
};

const matchDefinitions = (): JsonObject => {
  const fields = [COMMON_FIELDS, ...SOURCES.map((s) => s.fields)].flatMap((f) => Object.values(f));
  const types: FieldType[] = ['text', 'path', 'number', 'flag', 'json', { words: null }, ...fields];
  return Object.fromEntries(types.flatMap(within).map((type) => [`match_${typeName(type)}`, bodyOf(type)]));
};

const PLACES: JsonObject = {
  in: { enum: ['main', 'subagents', 'all'] },
  since: ref('anchor'),
  until: ref('anchor'),
  while: strict({ from: ref('event'), to: ref('event') }, ['from', 'to']),
};

const sourceSchema = (source: Source): JsonObject => {
  const { [source.name]: _, ...common } = COMMON_FIELDS;
  const fields = { ...common, ...source.fields };
  const properties = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, matchSchema(type)]));
  const subject = fields[source.subject] ?? COMMON_FIELDS[source.subject] ?? 'json';
  return strict(
    { ...properties, ...PLACES, [source.name]: { description: source.description, allOf: [matchSchema(subject)] } },
    [source.name],
    source.fields.input === undefined ? {} : { patternProperties: { '^input\\.': ref('match_json') } },
  );
};

const conditionSchema = (): JsonObject => {
  const names = new Set([...Object.keys(COMMON_FIELDS), ...SOURCES.flatMap((s) => Object.keys(s.fields))]);
  const fields = Object.fromEntries([...names].map((name) => [name, true]));
  const same = list({ anyOf: [{ type: 'string' }, { type: 'object', minProperties: 1, maxProperties: 1 }] });
  return {
    type: 'object',
    minProperties: 1,
    properties: {
      ...fields,
      preceded_by: ref('event'),
      followed_by: ref('event'),
      alongside: ref('event'),
      same,
      within: { type: 'integer', minimum: 1 },
      and: list(ref('condition')),
      or: list(ref('condition')),
      not: ref('condition'),
    },
    patternProperties: { '^input\\.': true },
    additionalProperties: false,
  };
};

const RULE_FORMS: JsonObject[] = [
  strict({ never: ref('event') }, ['never']),
  strict({ some: ref('event') }, ['some']),
  strict({ every: ref('event'), must: ref('condition'), share: { anyOf: [{ const: 'all' }, ref('range')] } }, [
    'every',
    'must',
  ]),
  strict({ first: ref('event'), must: ref('condition') }, ['first', 'must']),
  strict({ last: ref('event'), must: ref('condition') }, ['last', 'must']),
  strict({ count: ref('event'), is: ref('range') }, ['count', 'is']),
  strict({ and: list(ref('rule')) }, ['and']),
  strict({ or: list(ref('rule')) }, ['or']),
  strict({ not: ref('rule') }, ['not']),
  strict({ offered: matchSchema({ words: null }) }, ['offered']),
  strict({ workspace: ref('workspace') }, ['workspace']),
  strict({ judge: { type: 'string', minLength: 1 }, facts: { type: 'array', items: ref('event') } }, ['judge']),
];

const namedSchema = (rule: (typeof RULES)[number]): JsonObject => {
  const { properties, required, ...rest } = rule.params as { properties?: JsonObject; required?: string[] };
  return {
    ...rest,
    properties: { use: { description: rule.description, const: rule.name }, ...properties },
    required: ['use', ...(required ?? [])],
  };
};

const WORKSPACE: JsonObject = {
  anyOf: [
    strict(
      {
        file: { type: 'string' },
        exists: { type: 'boolean' },
        text: ref('match_text'),
        lines: ref('range'),
        only: list({ type: 'string' }),
      },
      ['file'],
    ),
    strict({ run: { type: 'string' }, exit: ref('match_number'), output: ref('match_text') }, ['run']),
  ],
};

const ANCHOR: JsonObject = {
  anyOf: [
    strict({ first: ref('event') }, ['first']),
    strict({ last: ref('event') }, ['last']),
    strict({ query: { type: 'integer', minimum: 0 } }, ['query']),
  ],
};

/** The grammar of rules as JSON Schema (2020-12). It accepts what `parseRule` accepts; the parser is the stricter one. */
export const ruleSchema = (): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'octobench rule',
  ...ref('rule'),
  $defs: {
    range: RANGE,
    ...matchDefinitions(),
    event: { anyOf: [...SOURCES.map(sourceSchema), strict({ one_of: list(ref('event')) }, ['one_of'])] },
    anchor: ANCHOR,
    condition: conditionSchema(),
    workspace: WORKSPACE,
    rule: { anyOf: [...RULE_FORMS, ...RULES.map(namedSchema)] },
  },
});
