import { type Source, turnEvent } from './source.ts';

/** One event an assistant turn. */
export const turn: Source = {
  name: 'turn',
  description: 'an assistant turn: `calls` tool calls, the `kinds` of its actions, `empty` when it holds nothing',
  subject: 'turn',
  fields: { turn: 'number', calls: 'number', kinds: { list: { words: null } }, empty: 'flag' },
  scope: 'main',
  events(thread) {
    const kinds = new Map<number, string[]>();
    for (const a of thread.thread.actions) kinds.set(a.turn, [...(kinds.get(a.turn) ?? []), a.kind]);
    return thread.turns.map((view) =>
      turnEvent('turn', thread, view.turn, (field) => {
        if (field === 'calls') return view.calls.length;
        if (field === 'kinds') return kinds.get(view.turn) ?? [];
        if (field !== 'empty') return undefined;
        return view.message.blocks.every((b) => (b.type === 'text' || b.type === 'thinking') && b.text.trim() === '');
      }),
    );
  },
};
