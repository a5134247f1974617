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

/* The labelled parts of the message when there are any: a first user message also carries reminders and policy files. */
const queryText = (thread: ThreadView, segment: string, index: number, message: Message): string => {
  const parts = thread.thread.given.filter((g) => g.label === 'query' && g.segment === segment && g.message === index);
  return parts.length > 0 ? parts.map((g) => g.text).join('\n') : blockText(message);
};

const cache = new WeakMap<ThreadView, QueryView[]>();

/** The queries of a thread in order, worded as the dataset has them where it is known. */
export const queriesOf = (thread: ThreadView, world: World): QueryView[] => {
  const known = cache.get(thread);
  if (known !== undefined) return known;
  const found = new Map<number, QueryView>();
  for (const segment of thread.thread.segments) {
    let next = segment.at;
    segment.messages.forEach((message, index) => {
      if (message.role === 'assistant') {
        if (message.turn !== null) next = message.turn + 1;
        return;
      }
      if (message.role !== 'user' || message.query === null || found.has(message.query)) return;
      const own = thread.role === 'main' ? world.context.queries?.[message.query] : undefined;
      const text = own ?? queryText(thread, segment.id, index, message);
      found.set(message.query, { query: message.query, text, turn: next });
    });
  }
  const queries = [...found.values()].sort((a, b) => a.query - b.query);
  cache.set(thread, queries);
  return queries;
};
