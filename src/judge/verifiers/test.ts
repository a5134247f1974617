import type { RuleEvent } from '../event.ts';
import type { Truth } from '../truth.ts';
import type { World } from '../world.ts';

/** Where the tested value stands. */
export interface TestPlace {
  event: RuleEvent;
  world: World;
}

/** A test with its argument, ready for values. */
export interface BoundTest {
  holds(value: string, at: TestPlace): Truth;
  /** The part of the value that made it hold, for evidence. */
  find?(value: string, at: TestPlace): { start: number; end: number } | null;
}

/** A test on a text or path field: one entry in `verifiers/all.ts`. */
export interface TextTest {
  name: string;
  description: string;
  on: 'text' | 'path' | 'both';
  /** Keys beside its own that belong to it: `flags` of `regex`, `except` of `emoji`. */
  options: readonly string[];
  /** Argument as JSON Schema, for editors. */
  schema: object;
  /** Reads the argument (and `options` from the same object); a string says what is wrong with it. */
  bind(argument: unknown, options: Readonly<Record<string, unknown>>): BoundTest | string;
}

/** A list of strings, or one string as a list; null for anything else. */
export const strings = (json: unknown): string[] | null => {
  if (typeof json === 'string') return [json];
  return Array.isArray(json) && json.length > 0 && json.every((x) => typeof x === 'string') ? json : null;
};
