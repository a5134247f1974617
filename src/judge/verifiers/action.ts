import { isObject } from '../../core/json.ts';
import { ACTION_KINDS, type Action, type ActionKind } from '../../scaffolds/dialect.ts';
import type { Block } from '../../wire/schema.ts';
import { type FieldType, type RuleEvent, UNKNOWN } from '../event.ts';
import type { Match } from '../grammar.ts';
import type { ThreadView, World } from '../world.ts';
import { type Source, turnEvent } from './source.ts';

/** The text of a result; undefined where there is none. */
export const resultText = (blocks: readonly Block[] | null): string | undefined =>
  blocks === null
    ? undefined
    : blocks
        .map((b) => (b.type === 'text' ? b.text : ''))
        .filter((t) => t !== '')
        .join('\n');

/** `input.file_path` -> that value of the arguments; undefined where there is none. */
export const inputField = (input: unknown, field: string): unknown => {
  let value = input;
  for (const key of field.split('.').slice(1)) {
    value = isObject(value) ? value[key] : Array.isArray(value) ? value[Number(key)] : undefined;
  }
  return value;
};

/* The grammar's names and the schema's: the one place where they meet. */
const READERS: Readonly<Record<string, (a: Action) => unknown>> = {
  kind: (a) => a.kind,
  tool: (a) => a.tool,
  ok: (a) => a.ok,
  refused: (a) => a.refused === true,
  path: (a) => a.path,
  rel: (a) => a.rel,
  existed: (a) => (a.existed === null || (a.existed === undefined && a.path !== undefined) ? UNKNOWN : a.existed),
  content: (a) => a.content,
  added: (a) => a.added,
  removed: (a) => a.removed,
  name: (a) => a.name,
  prompt: (a) => a.prompt,
  url: (a) => a.url,
  text: (a) => a.text,
  phase: (a) => a.phase,
  options: (a) => a.options,
  output: (a) => resultText(a.result),
};

const readAction = (action: Action, field: string): unknown =>
  field === 'input' || field.startsWith('input.') ? inputField(action.input, field) : READERS[field]?.(action);

/** The event of an action, for the sources that stand on one. */
export const actionEvent = (
  source: string,
  thread: ThreadView,
  action: Action,
  more: (field: string) => unknown = () => undefined,
): RuleEvent => {
  const quote = action.text ?? action.prompt ?? action.url ?? action.name;
  return turnEvent(source, thread, action.turn, (field) => more(field) ?? readAction(action, field), {
    toolCall: action.toolCall,
    ...(action.rel === undefined && action.path === undefined ? {} : { path: action.rel ?? action.path ?? '' }),
    ...(quote === undefined ? {} : { text: quote }),
  });
};

/** Kinds that a match on `kind` accepts; null when all may be. */
const kindsOf = (match: Match): ActionKind[] | null => {
  if (match.is === 'literal') return ACTION_KINDS.filter((k) => k === match.value);
  if (match.is !== 'one_of') return null;
  const kinds = match.matches.map(kindsOf);
  return kinds.some((k) => k === null) ? null : kinds.flatMap((k) => k ?? []);
};

/** Whether one of the kinds was offered to the thread. */
export const kindsOffered = (kinds: readonly ActionKind[] | null, thread: ThreadView, world: World): boolean | null => {
  if (kinds === null) return thread.tools === null ? null : thread.tools.length > 0;
  const offered = kinds.map((kind) => world.offers(thread, kind));
  return offered.includes(true) ? true : offered.includes(null) ? null : false;
};

const FIELDS: Readonly<Record<string, FieldType>> = {
  kind: { words: ACTION_KINDS },
  tool: { words: null },
  ok: 'flag',
  refused: 'flag',
  path: 'path',
  rel: 'path',
  existed: 'flag',
  content: 'text',
  added: { list: 'text' },
  removed: { list: 'text' },
  name: { words: null },
  prompt: 'text',
  url: 'text',
  text: 'text',
  phase: { words: ['enter', 'exit'] },
  options: { list: 'text' },
  input: 'json',
  output: 'text',
};

/** One event a tool call and path, in canonical form. */
export const action: Source = {
  name: 'action',
  description: 'a tool call in canonical form, one event for each path it touches',
  subject: 'kind',
  fields: FIELDS,
  scope: 'main',
  events: (thread) => thread.thread.actions.map((a) => actionEvent('action', thread, a)),
  offered: (thread, world, match) => kindsOffered(kindsOf(match), thread, world),
};
