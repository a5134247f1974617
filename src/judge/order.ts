import type { RuleEvent } from './event.ts';
import type { ThreadView, World } from './world.ts';

/*
 * A precedes B when A's result was in the request that produced B: an earlier turn of the same thread. A subagent's
 * events stand, for other threads, at the turn of the call that started it; siblings are concurrent.
 */

/** The thread itself and those that started it, each with the place of the one below in it. */
const lineage = (thread: ThreadView, world: World): Map<string, number | null> => {
  const line = new Map<string, number | null>([[thread.id, null]]);
  let below = thread;
  for (;;) {
    const parent = below.thread.parent;
    const above = parent === null ? undefined : world.byId.get(parent.thread);
    if (parent === null || above === undefined || line.has(above.id)) return line;
    const turn = above.turnOf.get(parent.toolCall);
    if (turn === undefined) return line;
    line.set(above.id, 2 * turn + 1);
    below = above;
  }
};

/** Gives an event's place among the events of a thread. */
export type Placing = (event: RuleEvent) => number | null;

/**
 * Where events of the thread `from` stand for events of the thread `to`, as a position there: -Infinity before all of
 * them, Infinity after all, null neither before nor after.
 */
export const placing = (from: ThreadView, to: ThreadView, world: World): Placing => {
  if (from.id === to.id) return (event) => event.position;
  const own = lineage(from, world);
  const other = lineage(to, world);
  for (const [id, startedAt] of own) {
    if (!other.has(id)) continue;
    const limit = other.get(id) ?? null;
    if (limit === null) return () => startedAt;
    return (event) => {
      const place = startedAt ?? event.position;
      if (place === null || place === limit) return null;
      return place < limit ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    };
  }
  return () => null;
};

/** Turns from one position to a later one: 1 = the next turn. */
export const turnsBetween = (earlier: number, later: number): number => Math.ceil((later - earlier) / 2);

/** Whether `a` came before `b` within one call: commands run in order. */
export const earlierInCall = (a: RuleEvent, b: RuleEvent): boolean =>
  a.toolCall !== null &&
  a.toolCall === b.toolCall &&
  a.thread === b.thread &&
  a.index !== null &&
  b.index !== null &&
  a.index < b.index;
