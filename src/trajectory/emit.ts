import { type Content, holdsResults, splitUser, spokenText } from './content.ts';
import type { Conversation } from './conversation.ts';
import { byTime, type Node, pathTo, type Turn } from './forest.ts';
import type { Message, Segment, Thread } from './schema.ts';

/** How a thread grows: its segments so far and the numbers that go on over all of them. */
export interface Growing {
  thread: Thread;
  turn: number;
  query: number;
}

/** A side call that leaves a conversation where it ends: a summary for a compaction. */
export interface Fork {
  turn: Turn;
  segment: Segment;
  from: number;
}

/** What it takes to write a conversation down. */
export interface Plan {
  conversation: Conversation;
  because: Segment['because'];
  /** Segment that the first one continues. */
  continues: Segment | null;
  /** Calls that are no part of the conversation's own line. */
  side: ReadonlySet<Turn>;
  /** Assistant messages that stand in an earlier segment already. */
  known: ReadonlySet<string>;
}

interface Place {
  segment: Segment;
  /** Messages of the segment up to and with this one. */
  length: number;
}

const isFailed = (turn: Turn): boolean => turn.reply.content === null;

/**
 * Writes the segments of one conversation into its thread: one for the line that came first, one more for every rewind. The line
 * that was kept (the one with the latest call) has the numbered turns. Returns the side calls with the place they leave from.
 */
export const emitConversation = (growing: Growing, plan: Plan): Fork[] => new Emitter(growing, plan).run();

class Emitter {
  readonly #growing: Growing;
  readonly #plan: Plan;
  #places = new Map<Node, Place>();
  #kept = new Set<Node | Turn>();
  #forks: Fork[] = [];
  /** Calls whose reply is written already. */
  #written = new Set<Turn>();
  readonly #turns: ReadonlySet<Turn>;

  constructor(growing: Growing, plan: Plan) {
    this.#growing = growing;
    this.#plan = plan;
    this.#turns = new Set(plan.conversation.turns);
  }

  run(): Fork[] {
    const { conversation, side } = this.#plan;
    const leaves = conversation.turns.filter((turn) => turn.next === null);
    const lines = linesOf(
      leaves.filter((turn) => !side.has(turn)),
      innerNodes(conversation),
    );
    const sides = leaves.filter((turn) => side.has(turn));
    const main = lines.at(-1) ?? sides.at(-1);
    if (main === undefined) return [];
    for (const node of pathTo(main.node)) this.#kept.add(node);
    this.#kept.add(main);
    for (const line of lines.length > 0 ? lines : [main]) this.#emitLine(line);
    for (const turn of sides) this.#emitSide(turn);
    return this.#forks;
  }

  #segment(first: Turn, because: Segment['because'], continues: Segment | null, from: number | null): Segment {
    const { thread, turn } = this.#growing;
    const segment: Segment = {
      id: `${thread.id}.${thread.segments.length}`,
      continues: continues?.id ?? null,
      because,
      at: turn,
      ...(first.setting.model !== null && { model: first.setting.model }),
      toolset: first.setting.toolset,
      protocol: first.setting.protocol,
      params: first.setting.params,
      system: first.setting.system,
      messages: [],
      ...(from !== null && { from }),
    };
    thread.segments.push(segment);
    return segment;
  }

  /** Writes the messages from the last place that is written already to the end of a line. */
  #emitLine(leaf: Turn): void {
    const path = pathTo(leaf.node);
    const fork = path.findLastIndex((node) => node.content?.role === 'assistant' && this.#places.has(node));
    const place = fork < 0 ? undefined : this.#places.get(path[fork] as Node);
    const tip = place !== undefined && place.length === place.segment.messages.length;
    const rest = path.slice(fork + 1);
    const opening = this.#opening(rest, leaf);
    const segment =
      place === undefined
        ? this.#segment(opening, this.#plan.because, this.#plan.continues, null)
        : tip
          ? place.segment
          : this.#segment(opening, 'rewind', place.segment, place.length);
    const asking = this.#asking(rest, fork >= 0);
    for (const node of rest) {
      if (node.content?.role === 'assistant') this.#emitTurn(segment, node);
      else this.#emitNode(segment, node, asking.has(node));
      this.#places.set(node, { segment, length: segment.messages.length });
    }
    this.#emitLeaf(segment, leaf);
  }

  /** The first recorded call of a stretch: its request tells system prompt and parameters. */
  #opening(rest: readonly Node[], leaf: Turn): Turn {
    for (const node of rest) {
      if (node.turn !== null) return node.turn;
      const here = node.turns.find((turn) => this.#turns.has(turn));
      if (here !== undefined) return here;
    }
    return leaf;
  }

  /**
   * Where a user speaks anew: at the beginning of the thread, and after a reply whose calls (if any) are left without results.
   * Text beside results, and what a compaction begins with, is no new query.
   */
  #asking(rest: readonly Node[], afterReply: boolean): Set<Node> {
    const asking = new Set<Node>();
    let begun = this.#growing.query >= 0;
    let open = afterReply || !begun;
    for (const [i, node] of rest.entries()) {
      if (node.content?.role === 'assistant') open = true;
      else if (open && node.content?.role === 'user' && spokenText(node.content.blocks) !== '') {
        open = false;
        if (begun && bringsResults(rest, i)) continue;
        begun = true;
        asking.add(node);
      } else if (holdsResults(node.content?.blocks ?? [])) open = false;
    }
    return asking;
  }

  #emitNode(segment: Segment, node: Node, asks: boolean): void {
    const content = node.content;
    if (content === null) return;
    const growing = this.#growing;
    const kept = this.#kept.has(node);
    if (asks && kept) growing.query++;
    for (const message of incoming(content, growing.query < 0 ? null : growing.query))
      segment.messages.push({ ...message, ...(!kept && { abandoned: true as const }) });
    this.#emitSilent(segment, node);
  }

  /** A reply that says nothing is not sent back: it stands where the next user message follows its request. */
  #emitSilent(segment: Segment, node: Node): void {
    if (![...node.children.values()].some((child) => this.#kept.has(child) && child.content?.role === 'user')) return;
    for (const turn of this.#turnsAt(node))
      if (turn.next === null && turn.reply.content !== null && !this.#plan.side.has(turn) && !this.#written.has(turn))
        this.#push(segment, turn, turn.reply.content.blocks, this.#kept.has(node), null);
  }

  #turnsAt(node: Node): Turn[] {
    return node.turns.filter((turn) => this.#turns.has(turn)).sort(byTime);
  }

  /** An assistant message of the history: as it was generated, with what else was tried before it. */
  #emitTurn(segment: Segment, node: Node): void {
    const { turn, content } = node;
    const kept = this.#kept.has(node);
    if (turn === null) {
      const repeated = this.#plan.known.has(content?.key ?? '');
      this.#push(segment, null, content?.blocks ?? [], kept && !repeated, null);
      return;
    }
    const others = this.#before(node).filter((t) => t !== turn && t.next === null && !this.#plan.side.has(t));
    this.#emitAttempts(segment, others);
    this.#push(segment, turn, turn.reply.content?.blocks ?? content?.blocks ?? [], kept, others);
  }

  /** Calls at the messages between the assistant message before and this one. */
  #before(node: Node): Turn[] {
    const turns: Turn[] = [];
    for (let at = node.parent; at !== null && at.content?.role !== 'assistant'; at = at.parent)
      turns.unshift(...this.#turnsAt(at));
    return turns;
  }

  #emitAttempts(segment: Segment, attempts: readonly Turn[]): void {
    for (const turn of attempts) {
      if (turn.reply.content === null || this.#written.has(turn)) continue;
      this.#push(segment, turn, turn.reply.content.blocks, false, null);
    }
  }

  /** The end of a line: the reply that nothing follows, or the calls that failed. */
  #emitLeaf(segment: Segment, leaf: Turn): void {
    const here = this.#turnsAt(leaf.node).filter((turn) => turn.next === null);
    const others = here.filter((turn) => turn !== leaf && !this.#plan.side.has(turn));
    if (this.#plan.side.has(leaf)) {
      this.#dropAsked(segment);
      return;
    }
    if (isFailed(leaf)) {
      segment.failed = here.filter(isFailed).map((turn) => turn.id);
      return;
    }
    this.#emitAttempts(segment, others);
    this.#push(segment, leaf, leaf.reply.content?.blocks ?? [], this.#kept.has(leaf), others);
  }

  /** A line that ends in a side call ends before what that call asked; results it carried stay. */
  #dropAsked(segment: Segment): void {
    while (segment.messages.at(-1)?.role === 'user') segment.messages.pop();
  }

  #emitSide(turn: Turn): void {
    const path = pathTo(turn.node);
    const fork = path.findLastIndex((node) => node.content?.role === 'assistant' && this.#places.has(node));
    const place = fork < 0 ? undefined : this.#places.get(path[fork] as Node);
    const segment = place?.segment ?? this.#growing.thread.segments.at(-1);
    if (segment !== undefined) this.#forks.push({ turn, segment, from: place?.length ?? 0 });
  }

  #push(segment: Segment, turn: Turn | null, blocks: Message['blocks'], kept: boolean, attempts: Turn[] | null): void {
    const growing = this.#growing;
    const others = [...(attempts ?? []).map((t) => t.id), ...(turn?.imported === false ? turn.copies : [])];
    if (turn !== null) this.#written.add(turn);
    segment.messages.push({
      role: 'assistant',
      turn: kept ? growing.turn++ : null,
      query: growing.query < 0 ? null : growing.query,
      call: turn?.id ?? null,
      blocks,
      ...describe(turn),
      ...(turn === null ? { seeded: true as const } : !kept && { abandoned: true as const }),
      ...(others.length > 0 && { attempts: others }),
    });
  }
}

/** Do results come before the next reply, from the message at `from` on? */
const bringsResults = (nodes: readonly Node[], from: number): boolean => {
  for (let i = from; i < nodes.length && nodes[i]?.content?.role !== 'assistant'; i++)
    if (holdsResults(nodes[i]?.content?.blocks ?? [])) return true;
  return false;
};

/** A message of the client: its tool results stand apart from what else it says, everything in its place. */
const incoming = (content: Content, query: number | null): Message[] =>
  splitUser(content.blocks).map(({ role, blocks }) => ({
    role,
    turn: null,
    query,
    call: null,
    blocks,
    ...(content.lossy && { lossy: true as const }),
  }));

/** What a message keeps of the call that generated it. */
const describe = (turn: Turn | null): Partial<Message> => {
  if (turn === null) return {};
  const { content, incomplete, stop, usage, model } = turn.reply;
  const name = turn.setting.model ?? model;
  return {
    ...(name !== null && { model: name }),
    toolset: turn.setting.toolset,
    at: turn.at,
    stop,
    usage,
    ...(incomplete !== null && { incomplete }),
    ...(content?.lossy && { lossy: true as const }),
  };
};

/** Of the leaves, those that end a line: one a request, the last whole reply to it; what was tried beside it is not a line. */
const linesOf = (leaves: readonly Turn[], inner: ReadonlySet<Node>): Turn[] => {
  const byNode = new Map<Node, Turn>();
  for (const turn of leaves) {
    if (inner.has(turn.node)) continue;
    const known = byNode.get(turn.node);
    if (known === undefined || rank(turn) >= rank(known)) byNode.set(turn.node, turn);
  }
  return [...byNode.values()].sort(byTime);
};

/** Messages that others of the conversation follow. */
const innerNodes = (conversation: Conversation): Set<Node> => {
  const inner = new Set<Node>();
  for (const turn of conversation.turns)
    for (let at = turn.node.parent; at !== null && !inner.has(at); at = at.parent) inner.add(at);
  return inner;
};

const rank = (turn: Turn): number => (turn.reply.content === null ? 0 : turn.reply.incomplete !== null ? 1 : 2);

/** The messages of a side call from where it left, its answer last. */
export const emitFork = (thread: Thread, fork: Fork): void => {
  const path = pathTo(fork.turn.node);
  const asked = path.slice(path.findLastIndex((node) => node.content?.role === 'assistant') + 1);
  const segment: Segment = {
    id: `${thread.id}.0`,
    continues: fork.segment.id,
    from: fork.from,
    because: 'compaction',
    at: 0,
    params: fork.turn.setting.params,
    system: fork.turn.setting.system,
    messages: asked.flatMap((node) => (node.content === null ? [] : incoming(node.content, null))),
  };
  const { reply, id } = fork.turn;
  if (reply.content === null) segment.failed = [id];
  else
    segment.messages.push({
      role: 'assistant',
      turn: 0,
      query: null,
      call: id,
      blocks: reply.content.blocks,
      ...describe(fork.turn),
    });
  thread.segments.push(segment);
};
