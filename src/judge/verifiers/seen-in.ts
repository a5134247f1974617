import { queriesOf } from '../queries.ts';
import { truthOf } from '../truth.ts';
import type { ThreadView, World } from '../world.ts';
import { resultText } from './action.ts';
import { strings, type TextTest } from './test.ts';

const WHERE = ['query', 'given', 'output'] as const;
type Where = (typeof WHERE)[number];

/** Texts of one kind, one after the other, with the place from which on each was known. */
interface Known {
  text: string;
  starts: { offset: number; position: number }[];
}

const collect = (thread: ThreadView, world: World, where: Where): Known => {
  const parts: { text: string; position: number }[] =
    where === 'query'
      ? queriesOf(thread, world).map((q) => ({ text: q.text, position: 2 * q.turn }))
      : where === 'given'
        ? thread.thread.given.map((g) => ({ text: g.text, position: 2 * g.turn }))
        : thread.thread.actions.map((a) => ({ text: resultText(a.result) ?? '', position: 2 * a.turn + 1 }));
  let offset = 0;
  const starts = parts.map(({ text, position }) => {
    const start = { offset, position };
    offset += text.length + 1;
    return start;
  });
  return { text: parts.map((p) => p.text).join('\n'), starts };
};

const cache = new WeakMap<ThreadView, Partial<Record<Where, Known>>>();

const knownTo = (thread: ThreadView, world: World, where: Where): Known => {
  const of = cache.get(thread) ?? {};
  cache.set(thread, of);
  const known = of[where] ?? collect(thread, world, where);
  of[where] = known;
  return known;
};

/* Parts are in order of time: the first occurrence is the earliest. */
const firstSeen = (known: Known, value: string): number => {
  const at = known.text.indexOf(value);
  return at < 0 ? Number.POSITIVE_INFINITY : (known.starts.findLast((s) => s.offset <= at)?.position ?? 0);
};

export const seenIn: TextTest = {
  name: 'seen_in',
  description: 'the value occurs earlier in one of: query, given, output',
  on: 'both',
  options: [],
  schema: { anyOf: [{ enum: WHERE }, { type: 'array', items: { enum: WHERE }, minItems: 1 }] },
  bind(argument) {
    const places = strings(argument)?.map((w) => WHERE.find((known) => known === w));
    if (places === undefined || places.includes(undefined)) return `takes some of: ${WHERE.join(', ')}`;
    const wanted = places.flatMap((w) => w ?? []);
    return {
      holds(value, { event, world }) {
        const thread = world.byId.get(event.thread);
        if (thread === undefined || event.position === null) return 'U';
        const limit = event.position;
        return truthOf(wanted.some((w) => firstSeen(knownTo(thread, world, w), value.trim()) < limit));
      },
    };
  },
};
