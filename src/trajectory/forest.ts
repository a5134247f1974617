import type { CallEnd } from '../recording/schema.ts';
import type { Usage } from '../wire/schema.ts';
import type { Content } from './content.ts';
import type { Setting } from './decode.ts';

/** What came back for a call. */
export interface Reply {
  /** What the model said; null when the call failed without a word. */
  content: Content | null;
  /** Why it is not whole: a broken stream, an error in the middle; null when it is. */
  incomplete: string | null;
  stop: string | null;
  model: string | null;
  usage: Usage;
}

/** A call that asked for a turn, at its place in the forest. */
export interface Turn {
  id: number;
  /** Order of the calls as far as the log tells it: time, then place in the log. */
  at: number;
  order: number;
  imported: boolean;
  attempt: string | null;
  end: CallEnd;
  setting: Setting;
  node: Node;
  reply: Reply;
  /** Calls that were logged or made again with the same answer. */
  copies: number[];
  /** The message in later requests that is this reply. */
  next: Node | null;
}

/** A message with all that stands before it. Requests that say the same up to here share it. */
export interface Node {
  parent: Node | null;
  /** Null at the root. */
  content: Content | null;
  /** The first assistant message on the way to it, itself included. */
  first: Node | null;
  children: Map<string, Node>;
  /** Calls whose requests end here. */
  turns: Turn[];
  /** The call that generated it. */
  turn: Turn | null;
  /** Of an assistant message in a rewritten history: the one it stands for. */
  original: Node | null;
  /** A request goes through it or ends at it. */
  used: boolean;
  /** It was sent in another form too (reminders dropped, blocks joined). */
  rewritten: boolean;
}

export const createNode = (parent: Node | null, content: Content | null): Node => {
  const first = parent?.first ?? null;
  const node = {
    parent,
    content,
    first,
    children: new Map(),
    turns: [],
    turn: null,
    original: null,
    used: false,
    rewritten: false,
  };
  return content?.role === 'assistant' && first === null ? Object.assign(node, { first: node }) : node;
};

/** The node of `content` after `node`. Two assistant messages in a row are one (some protocols send one item a block). */
export const descend = (node: Node, content: Content, merge: (a: Content, b: Content) => Content): Node => {
  const joins = content.role === 'assistant' && node.content?.role === 'assistant' && node.parent !== null;
  const parent = joins ? (node.parent as Node) : node;
  const said = joins ? merge(node.content as Content, content) : content;
  const known = parent.children.get(said.key);
  if (known !== undefined) {
    if (said.role !== 'assistant' && known.content?.exact !== said.exact) known.rewritten = true;
    return known;
  }
  const child = createNode(parent, said);
  parent.children.set(said.key, child);
  return child;
};

/** What stands before a message: where a history was rewritten, as the model saw it when it answered. */
const before = (node: Node): Node | null =>
  node.content?.role === 'assistant' && node.turn !== null ? node.turn.node : node.parent;

/** Nodes from the first message to this one. */
export const pathTo = (node: Node): Node[] => {
  const path: Node[] = [];
  for (let at: Node | null = node; at !== null && at.parent !== null; at = before(at)) path.push(at.original ?? at);
  return path.reverse();
};

/** The nearest assistant message before a node (the node itself not counted), or null. */
export const lastAssistant = (node: Node): Node | null => {
  for (let at: Node | null = node; at !== null; at = at.parent) if (at.content?.role === 'assistant') return at;
  return null;
};

/** Calls in the order of their times, then of the log. */
export const byTime = (a: Turn, b: Turn): number => a.at - b.at || a.order - b.order;
