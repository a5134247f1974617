import type { Action } from '../../scaffolds/dialect.ts';
import { type RuleEvent, UNKNOWN } from '../event.ts';
import type { WorkspaceChange } from '../schema.ts';
import type { ThreadView, World } from '../world.ts';
import { type Source, turnEvent, unseenEvent } from './source.ts';

const WRITES: ReadonlySet<string> = new Set(['write', 'edit', 'delete', 'move']);

const statusOf = (action: Action): unknown => {
  if (action.kind === 'delete') return 'deleted';
  if (action.kind === 'edit' || action.existed === true) return 'modified';
  return action.existed === false ? 'added' : UNKNOWN;
};

const ofAction = (thread: ThreadView, action: Action): RuleEvent =>
  turnEvent(
    'change',
    thread,
    action.turn,
    (field) => {
      if (field === 'rel') return action.rel ?? UNKNOWN;
      if (field === 'status') return statusOf(action);
      if (field === 'added') return action.added ?? action.content?.split('\n') ?? UNKNOWN;
      return field === 'removed' ? (action.removed ?? UNKNOWN) : undefined;
    },
    { toolCall: action.toolCall, ...(action.rel === undefined ? {} : { path: action.rel }) },
  );

/* Scratch files outside the workspace are no change of it. */
const ofCommands = (thread: ThreadView, action: Action): RuleEvent[] =>
  (action.commands ?? []).flatMap((command) =>
    command.writes
      .filter((rel) => !/^[/~]/.test(rel))
      .map((rel) =>
        turnEvent(
          'change',
          thread,
          action.turn,
          (field) => {
            if (field === 'rel') return rel;
            if (field === 'status') return command.does.includes('delete') ? 'deleted' : UNKNOWN;
            return field === 'added' || field === 'removed' ? UNKNOWN : undefined;
          },
          { toolCall: action.toolCall, path: rel },
        ),
      ),
  );

const seen = (thread: ThreadView): RuleEvent[] =>
  thread.thread.actions.flatMap((a) => {
    if (a.kind === 'run') return ofCommands(thread, a);
    return WRITES.has(a.kind) && a.ok !== false && !/^[/~]/.test(a.rel ?? '') ? [ofAction(thread, a)] : [];
  });

const opaque = (action: Action): boolean =>
  action.kind === 'run' && (action.commands === undefined || action.commands.some((c) => c.does.includes('opaque')));

const read = (change: WorkspaceChange, field: string): unknown =>
  field === 'rel' || field === 'status' || field === 'added' || field === 'removed' ? change[field] : undefined;

const cache = new WeakMap<World, Map<string, RuleEvent>>();

const lastOnPath = (world: World): Map<string, RuleEvent> => {
  const known = cache.get(world);
  if (known !== undefined) return known;
  const last = new Map<string, RuleEvent>();
  for (const t of world.threads) for (const e of seen(t)) if (e.path !== undefined) last.set(e.path, e);
  cache.set(world, last);
  return last;
};

/* The patch says what changed, the actions say when: the last one on the path. */
const ofPatch = (changes: readonly WorkspaceChange[], thread: ThreadView, world: World): RuleEvent[] => {
  const last = lastOnPath(world);
  const isFirst = world.threads.find((t) => t.role === 'main') === thread;
  return changes.flatMap((change): RuleEvent[] => {
    const by = last.get(change.rel);
    if (by === undefined ? !isFirst : by.thread !== thread.id) return [];
    const { unseen: _, ...place } = by ?? unseenEvent('change', thread);
    return [{ ...place, path: change.rel, read: (field) => read(change, field) ?? place.read(field) }];
  });
};

/** One event a path that changed: from the workspace's patch when there is one, else from actions and commands. */
export const change: Source = {
  name: 'change',
  description: 'a path of the workspace that changed',
  subject: 'rel',
  fields: {
    rel: 'path',
    status: { words: ['added', 'modified', 'deleted'] },
    added: { list: 'text' },
    removed: { list: 'text' },
  },
  scope: 'all',
  events(thread, world) {
    if (world.context.changes !== undefined) return ofPatch(world.context.changes, thread, world);
    const unseen = thread.thread.actions.some(opaque) ? [unseenEvent('change', thread)] : [];
    return [...seen(thread), ...unseen];
  },
};
