import type { Action, Todo } from '../../scaffolds/dialect.ts';
import { type RuleEvent, UNKNOWN } from '../event.ts';
import { actionEvent, kindsOffered } from './action.ts';
import type { Source } from './source.ts';

const CLOSED = new Set(['completed', 'cancelled']);

const doneTexts = (items: readonly Todo[]): Set<string> =>
  new Set(items.filter((i) => i.status === 'completed').map((i) => i.id ?? i.text));

const reader = (action: Action, before: ReadonlySet<string>): ((field: string) => unknown) => {
  const items = action.todos;
  const count = (test: (i: Todo) => boolean): unknown => (items === undefined ? UNKNOWN : items.filter(test).length);
  return (field) => {
    if (field === 'items') return items ?? UNKNOWN;
    if (field === 'total') return count(() => true);
    if (field === 'open') return count((i) => !CLOSED.has(i.status));
    if (field === 'active') return count((i) => i.status === 'in_progress');
    if (field === 'done') return count((i) => i.status === 'completed');
    if (field === 'newly_done') return count((i) => i.status === 'completed' && !before.has(i.id ?? i.text));
    return undefined;
  };
};

/** One event a change of the todo list, with the list as it stands after it. */
export const todo: Source = {
  name: 'todo',
  description: 'a change of the todo list; its fields show the list after the call',
  subject: 'tool',
  fields: {
    tool: { words: null },
    ok: 'flag',
    items: {
      list: { fields: { text: 'text', status: { words: null }, id: { words: null }, priority: { words: null } } },
    },
    total: 'number',
    open: 'number',
    active: 'number',
    done: 'number',
    newly_done: 'number',
    input: 'json',
    output: 'text',
  },
  scope: 'main',
  events(thread) {
    let before: ReadonlySet<string> = new Set();
    const events: RuleEvent[] = [];
    for (const action of thread.thread.actions) {
      if (action.kind !== 'todo') continue;
      events.push(actionEvent('todo', thread, action, reader(action, before)));
      if (action.todos !== undefined && action.ok !== false) before = doneTexts(action.todos);
    }
    return events;
  },
  offered: (thread, world) => kindsOffered(['todo'], thread, world),
};
