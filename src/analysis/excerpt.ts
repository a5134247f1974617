import type { Coordinate, Message, Thread, Trajectory } from '../trajectory/schema.ts';

const threadOf = (t: Trajectory, id: string): Thread | undefined => t.threads.find((thread) => thread.id === id);

const messageAt = (t: Trajectory, { thread, turn }: Pick<Coordinate, 'thread' | 'turn'>): Message | undefined =>
  threadOf(t, thread)
    ?.segments.flatMap((s) => s.messages)
    .find((m) => m.role === 'assistant' && m.turn === turn);

/** What an agent said in a message, without its reasoning. */
export const textOf = (message: Message): string =>
  message.blocks.flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('\n');

/**
 * What stands at a coordinate: a command as it was called, else the coordinate's quote, another tool call with its input, or what
 * the agent said in that turn; null if nothing.
 */
export const excerptAt = (t: Trajectory, at: Coordinate): string | null => {
  const action = threadOf(t, at.thread)?.actions.find((a) => a.toolCall === at.toolCall);
  const ran = action?.commands !== undefined && action.commands.length > 0;
  if (at.quote !== undefined && !ran) return at.quote;
  if (action !== undefined) return `${action.tool} ${JSON.stringify(action.input)}`;
  const message = messageAt(t, at);
  const said = message === undefined ? '' : textOf(message);
  return said === '' ? (at.path ?? null) : said;
};

/** The last thing the main thread said; null if it never said anything. */
export const lastSaid = (t: Trajectory): { at: Coordinate; excerpt: string } | null => {
  const main = t.threads.find((thread) => thread.role === 'main');
  const messages = main?.segments.flatMap((s) => s.messages) ?? [];
  const last = messages.findLast((m) => m.role === 'assistant' && m.turn !== null && textOf(m).trim() !== '');
  if (main === undefined || last === undefined) return null;
  return { at: { thread: main.id, turn: last.turn ?? 0 }, excerpt: textOf(last) };
};
