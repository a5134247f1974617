import { sha256 } from '../core/ids.ts';
import { spokenText } from './content.ts';
import { type Conversation, conversationsOf, leavesOf, matchReplies } from './conversation.ts';
import { emitConversation, emitFork, type Fork, type Growing } from './emit.ts';
import { byTime, pathTo, type Turn } from './forest.ts';
import { adoptRewritten } from './rewrites.ts';
import { type Role, rolesOf } from './roles.ts';
import type { Thread, Trajectory } from './schema.ts';
import type { Session } from './session.ts';

const SUMMARY = /summar|compact|continuation/i;

/** The trajectories of a session: one a run. */
export const trajectoriesOf = (session: Session, labels: Record<string, string>): Trajectory[] => {
  const turns = [...session.turns].sort(byTime);
  matchReplies(turns);
  adoptRewritten(session.root, turns);
  const roles = rolesOf(conversationsOf(turns), session.root, session.decoder.toolsets, session.kind);
  const runs = new Map<number, Role[]>();
  for (const role of roles) {
    const run = runs.get(role.run) ?? [];
    run.push(role);
    runs.set(role.run, run);
  }
  if (runs.size === 0) {
    if (session.problems.length === 0 && session.counts.length === 0) return [];
    runs.set(0, []);
  }
  const again = roles.some((role) => role.again);
  return [...runs]
    .sort(([a], [b]) => a - b)
    .map(([run, members], i) => {
      const builder = new Builder(session, members);
      const threads = builder.threads();
      if (i === 0 && session.counts.length > 0) threads.push(countingThread(session, threads.length));
      const nameless = session.kind === 'nameless';
      return {
        version: 1 as const,
        session: nameless ? namelessId(members[0]) : session.key,
        run: nameless ? 0 : run,
        labels: {
          ...session.labels,
          ...labels,
          ...(again && !nameless && { runs: String(runs.size) }),
          ...(nameless && { nameless: 'true' }),
        },
        workspace: null,
        dialect: null,
        threads,
        toolsets: session.decoder.toolsets.map((tools, id) => ({ id, tools })),
        problems: problemsOf(session, threads, i === 0),
      };
    });
};

/** The same for the same beginning. */
const namelessId = (role: Role | undefined): string => {
  const node = role?.conversation.start;
  return `unnamed-${sha256(
    node === undefined
      ? ''
      : pathTo(node)
          .map((n) => n.content?.key)
          .join(),
  ).slice(0, 10)}`;
};

const problemsOf = (session: Session, threads: readonly Thread[], isFirst: boolean): Trajectory['problems'] => {
  const calls = new Set(threads.flatMap((thread) => thread.calls));
  const placed = new Set(session.turns.flatMap((turn) => [turn.id, ...turn.copies]));
  return session.problems.filter((p) => (p.call === undefined || !placed.has(p.call) ? isFirst : calls.has(p.call)));
};

const emptyThread = (id: string, role: Thread['role'], kind?: string): Thread => ({
  id,
  role,
  ...(kind !== undefined && { kind }),
  parent: null,
  segments: [],
  actions: [],
  given: [],
  calls: [],
});

const countingThread = (session: Session, index: number): Thread => ({
  ...emptyThread(`t${index}`, 'auxiliary', 'count_tokens'),
  calls: session.counts,
});

/** Writes the threads of one run: main first, then subagents and auxiliary ones by time. */
class Builder {
  readonly #session: Session;
  readonly #roles: Role[];
  #threads: Thread[] = [];
  #threadOf = new Map<Conversation, Growing>();

  constructor(session: Session, roles: readonly Role[]) {
    this.#session = session;
    const order = { main: 0, subagent: 1, auxiliary: 2 };
    this.#roles = [...roles].sort((a, b) => order[a.role] - order[b.role]);
  }

  threads(): Thread[] {
    const forks: Fork[] = [];
    for (const role of this.#roles) if (role.continues === null) forks.push(...this.#chain(role));
    for (const fork of forks) {
      const thread = emptyThread(`t${this.#threads.length}`, 'auxiliary', 'compaction');
      emitFork(thread, fork);
      thread.calls = [fork.turn.id, ...fork.turn.copies];
      this.#threads.push(thread);
    }
    for (const role of this.#roles) {
      const growing = this.#threadOf.get(role.conversation);
      const parent = role.spawn === null ? undefined : this.#threadOf.get(role.spawn.conversation);
      if (growing !== undefined && parent !== undefined && role.spawn !== null)
        growing.thread.parent = { thread: parent.thread.id, toolCall: role.spawn.toolCall };
    }
    return this.#threads;
  }

  /** A conversation and those that continue it, one after the other. */
  #chain(role: Role): Fork[] {
    const thread = emptyThread(`t${this.#threads.length}`, role.role, role.kind);
    const growing: Growing = { thread, turn: 0, query: -1 };
    const forks: Fork[] = [];
    const known = new Set<string>();
    this.#threads.push(thread);
    for (let at: Role | undefined = role; at !== undefined; at = this.#successor(at)) {
      const { conversation } = at;
      this.#threadOf.set(conversation, growing);
      const continues = thread.segments.at(-1) ?? null;
      const side = this.#sideCalls(at);
      const { because } = at;
      forks.push(...emitConversation(growing, { conversation, because, continues, side, known }));
      for (const turn of conversation.turns) {
        if (turn.reply.content !== null) known.add(turn.reply.content.key);
        if (!side.has(turn)) thread.calls.push(turn.id, ...turn.copies);
      }
    }
    return forks;
  }

  #successor(role: Role): Role | undefined {
    return this.#roles.find((other) => other.continues === role.conversation);
  }

  /** Last calls of a conversation that asked for a summary of it, with other tools than its own or for its successor. */
  #sideCalls(role: Role): Set<Turn> {
    const { conversation } = role;
    const successor = this.#successor(role);
    const next = successor?.conversation.turns[0];
    const quoted = successor === undefined ? '' : startText(successor.conversation);
    const tools = (turn: Turn): number => this.#session.decoder.toolsets[turn.setting.toolset]?.length ?? 0;
    const most = Math.max(...conversation.turns.map(tools));
    return new Set(
      leavesOf(conversation).filter((turn) => {
        if (conversation.turns.length === 1 || turn.reply.content === null) return false;
        const asked = turn.node.content?.role === 'user' ? spokenText(turn.node.content.blocks) : '';
        const said = squash(spokenText(turn.reply.content.blocks));
        const handed = next !== undefined && byTime(turn, next) < 0 && said.length >= 8 && quoted.includes(said);
        return handed || (SUMMARY.test(asked) && tools(turn) < most);
      }),
    );
  }
}

const squash = (text: string): string => text.replace(/\s+/g, '');

/** All that a conversation was asked before its first reply, without white space. */
const startText = (conversation: Conversation): string =>
  squash(
    pathTo(conversation.start)
      .map((node) => spokenText(node.content?.blocks ?? []))
      .join(''),
  );
