import type { Message } from '../trajectory/schema.ts';
import type { ThreadView, World } from './world.ts';

/** A user query as a thread got it. */
export interface QueryView {
  query: number;
  text: string;
  /** First assistant turn that had it in its request. */
  turn: number;
}

const blockText = (message: Message): string =>
  message.blocks.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('\n');

const cache = new WeakMap<ThreadView, QueryView[]>();

/* A query may come in several user messages, and a message may also carry reminders and policy files: its labelled parts say it. */
const collect = (thread: ThreadView, world: World): QueryView[] => {
  const labelled = new Map<string, string[]>();
  for (const g of thread.thread.given) {
    if (g.label !== 'query') continue;
    const key = `${g.segment}\n${g.message}`;
    labelled.set(key, [...(labelled.get(key) ?? []), g.text]);
  }
  const found = new Map<number, { turn: number; parts: string[]; whole: string }>();
  for (const segment of thread.thread.segments) {
    let next = segment.at;
    segment.messages.forEach((message, index) => {
      if (message.role === 'assistant' && message.turn !== null) next = message.turn + 1;
      if (message.role !== 'user' || message.query === null || message.abandoned === true) return;
      const parts = labelled.get(`${segment.id}\n${index}`) ?? [];
      const known = found.get(message.query);
      if (known === undefined) found.set(message.query, { turn: next, parts, whole: blockText(message) });
      else if (known.turn === next) known.parts = [...known.parts, ...parts];
    });
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([query, { turn, parts, whole }]) => {
      const own = thread.role === 'main' ? world.context.queries?.[query] : undefined;
      return { query, turn, text: own ?? (parts.length > 0 ? parts.join('\n') : whole) };
    });
};

/** The queries of a thread in order, worded as the dataset has them where it is known. */
export const queriesOf = (thread: ThreadView, world: World): QueryView[] => {
  const known = cache.get(thread) ?? collect(thread, world);
  cache.set(thread, known);
  return known;
};
