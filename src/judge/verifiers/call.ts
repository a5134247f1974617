import { type ArgumentCheck, checkArguments } from '../arguments.ts';
import { type RuleEvent, UNKNOWN } from '../event.ts';
import type { Match } from '../grammar.ts';
import type { TurnView, World } from '../world.ts';
import { inputField } from './action.ts';
import { type Source, turnEvent } from './source.ts';

const checked = (view: TurnView, index: number, world: World): ArgumentCheck | null => {
  const call = view.calls[index];
  const set = view.message.toolset;
  const tools = set === undefined ? undefined : world.trajectory.toolsets.find((t) => t.id === set)?.tools;
  return call === undefined || tools === undefined ? null : checkArguments(call, tools);
};

const accepts = (match: Match, tool: string): boolean => {
  if (match.is === 'literal') return match.value === tool;
  return match.is === 'one_of' ? match.matches.some((m) => accepts(m, tool)) : true;
};

/** One event a tool call as it was sent. */
export const call: Source = {
  name: 'call',
  description: 'a tool call as sent: `valid` against the schema that was offered, `errors` tell what is not',
  subject: 'tool',
  fields: { tool: { words: null }, ok: 'flag', valid: 'flag', errors: { list: 'text' }, input: 'json' },
  scope: 'main',
  events(thread, world) {
    const results = new Map(thread.thread.actions.map((a) => [a.toolCall, a.ok]));
    return thread.turns.flatMap((view) =>
      view.calls.map((c, index): RuleEvent => {
        let check: ArgumentCheck | null | undefined;
        const validity = (): ArgumentCheck | null => {
          check = check === undefined ? checked(view, index, world) : check;
          return check;
        };
        return turnEvent(
          'call',
          thread,
          view.turn,
          (field) => {
            if (field === 'tool') return c.name;
            if (field === 'ok') return results.get(c.id) ?? null;
            if (field === 'valid') return validity()?.valid ?? UNKNOWN;
            if (field === 'errors') return validity()?.errors ?? UNKNOWN;
            return field.startsWith('input') ? inputField(c.input, field) : undefined;
          },
          { toolCall: c.id, text: c.name },
        );
      }),
    );
  },
  offered: (thread, _, match) => (thread.tools === null ? null : thread.tools.some((t) => accepts(match, t.name))),
};
