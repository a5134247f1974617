import { isObject } from '../core/json.ts';
import type { Block, ToolResult } from '../wire/schema.ts';
import type { Todo } from './dialect.ts';

/* What every dialect needs to read a tool call: arguments that may be anything, results that may be missing. */

/** A text argument, or undefined when it is none. */
export const textArg = (input: unknown, ...names: string[]): string | undefined => {
  if (!isObject(input)) return undefined;
  for (const name of names) if (typeof input[name] === 'string') return input[name];
  return undefined;
};

/** A list argument; empty when it is none. Some models send lists as JSON text, which scaffolds accept. */
export const listArg = (input: unknown, name: string): unknown[] => {
  const value = isObject(input) ? input[name] : undefined;
  return Array.isArray(value) ? value : [];
};

/** True only for `true`. */
export const flagArg = (input: unknown, name: string): boolean => isObject(input) && input[name] === true;

/** All text of a result, in order; empty for a missing one. */
export const resultText = (result: ToolResult | null): string =>
  (result?.blocks ?? [])
    .filter((b: Block) => b.type === 'text')
    .map((b) => b.text)
    .join('\n');

/** `{ key: value }` without the keys whose value is undefined (exactOptionalPropertyTypes). */
export const given = <T extends Record<string, unknown>>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const STATUS: Readonly<Record<string, string>> = {
  todo: 'pending',
  open: 'pending',
  'in-progress': 'in_progress',
  active: 'in_progress',
  done: 'completed',
  complete: 'completed',
  canceled: 'cancelled',
};

/** A todo item of any scaffold: its text under one of the usual names, its status in our words (an unknown one is kept). */
export const readTodo = (item: unknown): Todo | null => {
  const text = textArg(item, 'content', 'text', 'subject', 'title', 'description');
  if (text === undefined) return null;
  const raw = textArg(item, 'status') ?? 'pending';
  return {
    text,
    status: STATUS[raw] ?? raw,
    ...given({ id: textArg(item, 'id'), priority: textArg(item, 'priority') }),
  };
};

/** Lines of a text, without the empty one after a final newline. */
export const linesOf = (text: string): string[] => {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
};

/**
 * Lines that an edit brings in and takes out: the common head and tail are no change, and a line that stands on both sides of the
 * rest was moved, not added. Linear in the number of lines.
 */
export const editedLines = (before: string, after: string): { added: string[]; removed: string[] } => {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const out = a.slice(head, a.length - tail);
  const into = b.slice(head, b.length - tail);
  return { added: without(into, out), removed: without(out, into) };
};

const without = (lines: readonly string[], others: readonly string[]): string[] => {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const n = left.get(line) ?? 0;
    if (n > 0) left.set(line, n - 1);
    return n === 0;
  });
};
