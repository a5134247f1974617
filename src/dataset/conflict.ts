import { isObject, type JsonObject } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import { type Place, problemAt } from './place.ts';

/** Fields of its base that a conflict may set anew: where the two orders stand. */
const CHANGES = ['user_query', 'system_prompt', 'system_prompt_mode'] as const;
const FIELDS: ReadonlySet<string> = new Set(['instance_id', 'base', 'type', 'a', 'b', 'reviewed', ...CHANGES]);

const holds = (row: JsonObject, side: unknown): boolean => {
  if (!isObject(side) || typeof side.text !== 'string') return true;
  const { source, text } = side;
  const query = Array.isArray(row.user_query) ? row.user_query.map(String) : [];
  if (source === 'UQ') return query.some((q) => q.includes(text));
  if (source === 'SP') return String(row.system_prompt ?? '').includes(text);
  return true;
};

/** An instance that conflicts are made from. */
export interface Base {
  row: JsonObject;
  place: Place;
}

/* What a conflict takes from its base stands in the base's file. */
const placeOf = (own: Place, base: Place, set: ReadonlySet<PropertyKey | undefined>): Place => ({
  own: own.own,
  at([first, ...rest]) {
    if (first === 'conflict') return own.at(rest);
    if (first === 'conflict_type') return own.at(['type']);
    return first === undefined || set.has(first)
      ? own.at(first === undefined ? [] : [first, ...rest])
      : base.at([first, ...rest]);
  },
});

/**
 * The row of a conflict file: its base's row with the places of the pair set anew. Everything else comes from the base, so that the
 * two differ in the pair only. `value` is null when the base is unknown.
 */
export const conflictRow = (
  file: { value: JsonObject | null; place: Place },
  bases: ReadonlyMap<string, Base>,
): { value: JsonObject | null; place: Place; problems: Problem[] } => {
  const { value, place } = file;
  if (value === null) return { value: null, place, problems: [] };
  const error = (path: readonly PropertyKey[], kind: string, message: string): Problem =>
    problemAt(place, path, kind, 'error', message);
  const problems = Object.keys(value)
    .filter((key) => !FIELDS.has(key))
    .map((key) => error([key], 'unknown_field', `unknown field "${key}"; a conflict sets: ${[...FIELDS].join(', ')}`));
  const base = typeof value.base === 'string' ? bases.get(value.base) : undefined;
  if (base === undefined) {
    return {
      value: null,
      place,
      problems: [...problems, error(['base'], 'no_base', 'is no instance of this benchmark')],
    };
  }
  if (typeof value.type !== 'string') problems.push(error(['type'], 'bad_row', 'is missing'));
  const changed = CHANGES.filter((key) => value[key] !== undefined);
  if (changed.length === 0) problems.push(error([], 'same_as_base', `sets none of: ${CHANGES.join(', ')}`));
  const row: JsonObject = {
    ...base.row,
    ...Object.fromEntries(changed.map((key) => [key, value[key]])),
    instance_id: value.instance_id,
    conflict_type: value.type,
    conflict: Object.fromEntries(
      ['base', 'a', 'b', 'reviewed'].filter((k) => value[k] !== undefined).map((k) => [k, value[k]]),
    ),
  };
  for (const side of ['a', 'b']) {
    if (!holds(row, value[side]))
      problems.push(error([side, 'text'], 'pair_absent', 'does not stand in the place that source names'));
  }
  return { value: row, place: placeOf(place, base.place, new Set(['instance_id', ...changed])), problems };
};
