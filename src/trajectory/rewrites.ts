import { lastAssistant, type Node, type Turn } from './forest.ts';

/*
 * A resumed session may send its history in another form than before, more than white space and reminders apart: results shortened or
 * cleared. Then the old replies stand under messages that are not those they answered. They are the same turns all the same.
 */

const resultIds = (from: Node | null): string[] => {
  const ids: string[] = [];
  for (let at = from; at !== null && at.content?.role !== 'assistant'; at = at.parent)
    for (const block of at.content?.blocks ?? []) if (block.type === 'tool_result') ids.push(block.id);
  return ids.sort();
};

const sameAnswers = (a: Node | null, b: Node): boolean => {
  const [x, y] = [resultIds(a), resultIds(b)];
  return x.length > 0 && x.length === y.length && x.every((id, i) => id === y[i]);
};

/** The assistant message that a rewritten one stands for, or itself. */
const originalOf = (node: Node | null): Node | null => node?.original ?? node;

/**
 * Gives replies that stand in a rewritten history the turn that generated them: the same reply, after the same reply, with results of the
 * same calls between. Walks from the root, so that what follows a rewritten message is found too.
 */
export const adoptRewritten = (root: Node, turns: readonly Turn[]): void => {
  const replies = new Map<Node | null, Map<string, Turn>>();
  for (const turn of turns) {
    if (turn.reply.content === null) continue;
    const before = lastAssistant(turn.node);
    const known = replies.get(before) ?? new Map<string, Turn>();
    known.set(turn.reply.content.key, turn);
    replies.set(before, known);
  }
  const open: Node[] = [...root.children.values()];
  for (let i = 0; i < open.length; i++) {
    const node = open[i] as Node;
    if (!node.used) continue;
    if (node.content?.role === 'assistant' && node.turn === null) adopt(node, replies);
    open.push(...node.children.values());
  }
};

const adopt = (node: Node, replies: ReadonlyMap<Node | null, ReadonlyMap<string, Turn>>): void => {
  const before = node.parent === null ? null : lastAssistant(node.parent);
  const raw = replies.get(before)?.get(node.content?.key ?? '');
  const turn = raw ?? replies.get(originalOf(before))?.get(node.content?.key ?? '');
  if (turn === undefined || turn.node === node.parent || !sameAnswers(node.parent, turn.node)) return;
  node.turn = turn;
  node.original = turn.next ?? node;
  turn.next ??= node;
};
