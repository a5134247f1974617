import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isObject } from '../core/json.ts';
import type { ToolCall, ToolSchema } from '../wire/schema.ts';
import { regexPattern } from './pattern.ts';

export interface ArgumentCheck {
  /** null: the schema itself cannot be read. */
  valid: boolean | null;
  errors: string[];
}

/* `pattern` of a foreign schema meets foreign text: RE2 keeps it linear; what RE2 does not know leaves the schema unread. */
const linear = (source: string): { test(text: string): boolean } => {
  const pattern = regexPattern(source);
  if (typeof pattern === 'string') throw new Error(pattern);
  return pattern;
};
const regExp = Object.assign(linear, { code: 'linear' });

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false, code: { regExp } } as const;
const draft7 = new Ajv(OPTIONS);
const draft2020 = new Ajv2020(OPTIONS);
const compiled = new WeakMap<object, ValidateFunction | null>();

const validatorOf = (schema: object): ValidateFunction | null => {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    const { $schema, $id, ...rest } = schema as Record<string, unknown>;
    const modern = typeof $schema === 'string' ? /20(19|20)/.test($schema) : '$defs' in rest;
    try {
      validate = (modern ? draft2020 : draft7).compile(rest);
    } catch {
      validate = null;
    }
    compiled.set(schema, validate);
  }
  return validate;
};

/**
 * Whether a call's arguments fit the JSON Schema of the tool that was offered (draft 7 or 2020-12, formats not checked).
 * A tool that was not offered, and arguments that are not a JSON object, are not valid.
 */
export const checkArguments = (call: ToolCall, tools: readonly ToolSchema[]): ArgumentCheck => {
  const tool = tools.find((t) => t.name === call.name);
  if (tool === undefined) return { valid: false, errors: [`no tool "${call.name}" was offered`] };
  if (!isObject(call.input)) return { valid: false, errors: ['the arguments are not a JSON object'] };
  if (!isObject(tool.schema)) return { valid: null, errors: [] };
  const validate = validatorOf(tool.schema);
  if (validate === null) return { valid: null, errors: [] };
  const valid = validate(call.input);
  const errors = valid ? [] : (validate.errors ?? []);
  return { valid, errors: errors.map((e) => `${e.instancePath === '' ? 'arguments' : e.instancePath} ${e.message}`) };
};
