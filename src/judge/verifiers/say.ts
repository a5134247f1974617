import type { Action } from '../../scaffolds/dialect.ts';
import type { FieldType, RuleEvent } from '../event.ts';
import type { ThreadView, TurnView } from '../world.ts';
import { type Source, turnEvent } from './source.ts';

interface Said {
  turn: number;
  query: number | null;
  text: string;
  via: string;
  calls: number;
  toolCall: string | null;
}

/* Neighbouring blocks are one utterance; a tool call between them parts it. */
const spoken = (view: TurnView, type: 'text' | 'thinking'): string[] => {
  const runs: string[][] = [[]];
  for (const block of view.message.blocks) {
    if (block.type === type) runs.at(-1)?.push(block.text);
    else if (block.type === 'tool_call') runs.push([]);
  }
  return runs.map((r) => r.join('\n')).filter((t) => t.trim() !== '');
};

const VIA: ReadonlySet<string> = new Set(['finish', 'ask', 'plan']);

const told = (actions: readonly Action[]): Map<number, Action[]> => {
  const byTurn = new Map<number, Action[]>();
  for (const a of actions) {
    if (!VIA.has(a.kind) || a.text === undefined || a.text.trim() === '') continue;
    byTurn.set(a.turn, [...(byTurn.get(a.turn) ?? []), a]);
  }
  return byTurn;
};

const utterances = (thread: ThreadView, type: 'text' | 'thinking'): Said[] => {
  const shown = type === 'text' ? told(thread.thread.actions) : new Map<number, Action[]>();
  return thread.turns.flatMap((view): Said[] => {
    const base = { turn: view.turn, query: view.query, calls: view.calls.length };
    return [
      ...spoken(view, type).map((text): Said => ({ ...base, text, via: 'text', toolCall: null })),
      ...(shown.get(view.turn) ?? []).map(
        (a): Said => ({ ...base, text: a.text ?? '', via: a.kind, toolCall: a.toolCall }),
      ),
    ];
  });
};

const FIELDS: Readonly<Record<string, FieldType>> = {
  text: 'text',
  via: { words: ['text', 'finish', 'ask', 'plan'] },
  calls: 'number',
  final: 'flag',
};

const events = (source: string, type: 'text' | 'thinking', thread: ThreadView): RuleEvent[] => {
  const all = utterances(thread, type);
  const last = new Map(all.map((s) => [s.query, s]));
  return all.map((s) =>
    turnEvent(
      source,
      thread,
      s.turn,
      (field) => {
        if (field === 'text') return s.text;
        if (field === 'via') return s.via;
        if (field === 'calls') return s.calls;
        return field === 'final' ? last.get(s.query) === s : undefined;
      },
      { text: s.text, toolCall: s.toolCall },
    ),
  );
};

/** One event a visible text of the assistant, also those shown through finish, ask and plan. */
export const say: Source = {
  name: 'say',
  description: 'a text of the assistant that the user sees; `via` tells how, `final` is the last of its query',
  subject: 'text',
  fields: FIELDS,
  scope: 'main',
  events: (thread) => events('say', 'text', thread),
};

/** One event a reasoning text. */
export const think: Source = {
  name: 'think',
  description: 'a reasoning text of the assistant',
  subject: 'text',
  fields: FIELDS,
  scope: 'main',
  events: (thread) => events('think', 'thinking', thread),
};
