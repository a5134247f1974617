import { isObject, type JsonObject } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value);

/**
 * Reads fields of somebody else's JSON: a value of another type than expected becomes a Problem and a default, never an
 * exception. An absent field (undefined) is no problem; whoever needs it says so with `wrong`.
 */
export class Notes {
  readonly problems: Problem[] = [];

  add(kind: string, field: string, message: string, severity: Problem['severity'] = 'warning'): void {
    this.problems.push({ kind, severity, field, message });
  }

  wrong(field: string, expected: string, value: unknown): void {
    const found = value === undefined ? 'nothing' : kindOf(value);
    this.add('wrong_type', field, `expected ${expected}, found ${found}`, value === null ? 'info' : 'warning');
  }

  text(value: unknown, field: string): string {
    if (typeof value === 'string') return value;
    this.wrong(field, 'a string', value);
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  }

  optionalText(value: unknown, field: string): string {
    return value === undefined ? '' : this.text(value, field);
  }

  list(value: unknown, field: string): unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.wrong(field, 'a list', value);
    return [];
  }

  /** The objects of a list with their places; anything else in it is reported and left out. */
  objects(value: unknown, field: string): { item: JsonObject; at: string }[] {
    return this.list(value, field).flatMap((item, i) => {
      const at = `${field}[${i}]`;
      if (isObject(item)) return [{ item, at }];
      this.wrong(at, 'an object', item);
      return [];
    });
  }
}
