import type { SourceLabel } from '../../scaffolds/dialect.ts';
import { type FieldType, type RuleEvent, UNKNOWN } from '../event.ts';
import type { Match } from '../grammar.ts';
import type { ThreadView, World } from '../world.ts';

/** A kind of event that rules can speak of: one file in `verifiers/`, one line in `verifiers/all.ts`. */
export interface Source {
  name: string;
  description: string;
  /** The field that the source's own match is on: `command: git` matches `name`. */
  subject: string;
  fields: Readonly<Record<string, FieldType>>;
  /** Where it looks when a rule does not say. */
  scope: 'main' | 'all';
  /** Events of one thread, in order. */
  events(thread: ThreadView, world: World): RuleEvent[];
  /** Whether events that match could have happened: false = no tool for it was ever offered; null = not known. */
  offered?(thread: ThreadView, world: World, subject: Match): boolean | null;
}

/** Fields that every event has. */
export const COMMON_FIELDS: Readonly<Record<string, FieldType>> = {
  turn: 'number',
  query: 'number',
  thread: { words: null },
  parallel: 'number',
  calls_left: 'number',
};

export const SOURCE_LABELS: readonly SourceLabel[] = [
  'system_prompt',
  'system_reminder',
  'query',
  'agents_md',
  'skill',
  'memory',
  'tool_schema',
  'environment',
];

/** Turns after `turn` that call a tool, by binary search. */
const callsLeft = (thread: ThreadView, turn: number): number => {
  const turns = thread.callingTurns;
  let low = 0;
  let high = turns.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((turns[middle] ?? 0) > turn) high = middle;
    else low = middle + 1;
  }
  return turns.length - low;
};

/** An event of an assistant turn: the common fields are read from the turn, the others by `fields`. */
export const turnEvent = (
  source: string,
  thread: ThreadView,
  turn: number,
  fields: (name: string) => unknown,
  more: Partial<Pick<RuleEvent, 'toolCall' | 'index' | 'path' | 'text'>> = {},
): RuleEvent => ({
  source,
  thread: thread.id,
  position: 2 * turn + 1,
  turn,
  toolCall: null,
  index: null,
  ...more,
  read(name) {
    if (name === 'turn') return turn;
    if (name === 'thread') return thread.id;
    if (name === 'query') return thread.byTurn.get(turn)?.query ?? UNKNOWN;
    if (name === 'parallel') return thread.byTurn.get(turn)?.calls.length ?? UNKNOWN;
    if (name === 'calls_left') return callsLeft(thread, turn);
    return fields(name);
  },
});

/** An event of what the model was given: it is in the request of `turn` for the first time. */
export const givenEvent = (
  source: string,
  thread: ThreadView,
  turn: number,
  fields: (name: string) => unknown,
  more: Partial<Pick<RuleEvent, 'path' | 'text'>> = {},
  query: number | null = null,
): RuleEvent => {
  const event = turnEvent(source, thread, turn, fields, more);
  return {
    ...event,
    position: 2 * turn,
    read(name) {
      if (name === 'query') return query ?? event.read(name);
      return name === 'parallel' ? 0 : event.read(name);
    },
  };
};

/** Stands for what may have happened unseen in a thread. */
export const unseenEvent = (source: string, thread: ThreadView): RuleEvent => ({
  source,
  thread: thread.id,
  position: null,
  turn: null,
  toolCall: null,
  index: null,
  unseen: true,
  read: (name) => (name === 'thread' ? thread.id : UNKNOWN),
});
