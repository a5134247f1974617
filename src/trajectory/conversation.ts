import { isSilent, looseText } from './content.ts';
import { byTime, type Node, type Turn } from './forest.ts';

/** Calls that share their beginning up to and including the first assistant message. */
export interface Conversation {
  /** In the order of `byTime`. */
  turns: Turn[];
  /** Node of the first request: what it was asked. */
  start: Node;
}

const toolIds = (node: Node): string[] =>
  (node.content?.blocks ?? []).flatMap((b) => (b.type === 'tool_call' && b.id !== '' ? [b.id] : []));

const textOf = (node: Node | Turn): string => {
  const content = 'reply' in node ? node.reply.content : node.content;
  return looseText((content?.blocks ?? []).map((b) => (b.type === 'text' ? b.text : '')).join(''));
};

/** A client may alter a reply before it sends it back (two attempts joined, a cut one used as it is): is `node` made of it? */
const resembles = (turn: Turn, node: Node): boolean => {
  const ids = new Set(toolIds(node));
  const calls = (turn.reply.content?.blocks ?? []).flatMap((b) => (b.type === 'tool_call' ? [b.id] : []));
  if (calls.some((id) => ids.has(id))) return true;
  if (calls.length > 0 || ids.size > 0) return false;
  const said = textOf(turn);
  const sent = textOf(node);
  return said !== '' && sent !== '' && (sent.startsWith(said) || sent.endsWith(said) || said.startsWith(sent));
};

const adopt = (turn: Turn, child: Node): void => {
  turn.next = child;
  child.turn ??= turn;
};

/** Finds for every reply the message in later requests that is it: by content first, then by what resembles it. */
export const matchReplies = (turns: readonly Turn[]): void => {
  for (const turn of turns) {
    const child = turn.reply.content === null ? undefined : turn.node.children.get(turn.reply.content.key);
    if (child?.used && child.turn === null) adopt(turn, child);
  }
  for (const turn of turns) {
    if (turn.next !== null || turn.reply.content === null || isSilent(turn.reply.content.blocks)) continue;
    for (const child of turn.node.children.values())
      if (child.used && child.turn === null && child.content?.role === 'assistant' && resembles(turn, child)) {
        adopt(turn, child);
        break;
      }
  }
};

/** The reply that another call at the same place gave too, or that said nothing: no conversation can begin with it. */
export const isFloating = (turn: Turn): boolean => {
  const { content, incomplete } = turn.reply;
  return turn.next === null && (content === null || incomplete !== null || isSilent(content.blocks));
};

const beginsWith = (turn: Turn): Node | Turn | null => turn.node.first ?? turn.next ?? (isFloating(turn) ? null : turn);

const isBefore = (node: Node, other: Node): boolean => {
  for (let at: Node | null = other; at !== null; at = at.parent) if (at === node) return true;
  return false;
};

/** Failed and empty first calls belong to the conversation that went on from the same request, the next in time first. */
const placeFloating = (floating: readonly Turn[], conversations: Conversation[]): void => {
  for (const turn of floating) {
    const going = conversations.filter((c) => isBefore(turn.node, c.start));
    const after = going.find((c) => c.turns.some((t) => byTime(turn, t) < 0));
    const home = after ?? going.at(-1);
    if (home === undefined) conversations.push({ turns: [turn], start: turn.node });
    else home.turns.push(turn);
  }
  for (const conversation of conversations) conversation.turns.sort(byTime);
};

/** All conversations of a session, by the time of their first call. `turns` are in the order of `byTime`. */
export const conversationsOf = (turns: readonly Turn[]): Conversation[] => {
  const byBeginning = new Map<Node | Turn, Conversation>();
  const floating: Turn[] = [];
  for (const turn of turns) {
    const key = beginsWith(turn);
    if (key === null) {
      floating.push(turn);
      continue;
    }
    const known = byBeginning.get(key);
    if (known !== undefined) known.turns.push(turn);
    else byBeginning.set(key, { turns: [turn], start: turn.node });
  }
  const conversations = [...byBeginning.values()];
  for (const c of conversations) c.start = startOf(c);
  placeFloating(floating, conversations);
  return conversations.sort((a, b) => byTime(a.turns[0] as Turn, b.turns[0] as Turn));
};

/** The last message before the first assistant one. */
const startOf = (conversation: Conversation): Node => {
  const shortest = conversation.turns[0] as Turn;
  return shortest.node.first?.parent ?? shortest.node;
};

/** Turns of a conversation that nothing follows. */
export const leavesOf = (conversation: Conversation): Turn[] => conversation.turns.filter((turn) => turn.next === null);
