import { isObject, type JsonObject } from '../../../core/json.ts';

const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/**
 * A tool's schema as every provider takes it: an object with a type and properties. A union at the top, which Anthropic
 * refuses, becomes one object: all properties, and as required what every branch requires (of `allOf`: what any does).
 * The schema handed in is not changed.
 */
export const repairSchema = (schema: unknown): JsonObject => {
  const given: JsonObject = isObject(schema) ? schema : {};
  const { anyOf, oneOf, allOf, ...rest } = given;
  const repaired: JsonObject = {
    ...rest,
    type: 'object',
    properties: isObject(rest.properties) ? rest.properties : {},
  };
  for (const union of UNIONS) {
    const branches = listOf(given[union]).filter(isObject);
    if (branches.length === 0) continue;
    repaired.properties = Object.assign({}, ...branches.map((branch) => branch.properties ?? {}), repaired.properties);
    const lists = branches.map((branch) => listOf(branch.required));
    const shared =
      union === 'allOf' ? lists.flat() : (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)));
    const required = [...new Set([...listOf(repaired.required), ...shared])];
    if (required.length > 0) repaired.required = required;
  }
  return repaired;
};

/** True when the schema has a union at its top, which a repair loosens. */
export const hasTopUnion = (schema: unknown): boolean =>
  isObject(schema) && UNIONS.some((union) => schema[union] !== undefined);
