import type { ActionKind, Dialect } from '../scaffolds/dialect.ts';
import type { Message, Thread, Trajectory } from '../trajectory/schema.ts';
import type { ToolCall, ToolSchema } from '../wire/schema.ts';
import type { JudgeAnswer, WorkspaceAnswer, WorkspaceChange } from './schema.ts';

/** What a judge knows besides the trajectory; everything may be missing, and what it would have told is then U. */
export interface VerifyContext {
  /** Id of the scaffold that ran: checks for other scaffolds are left out. */
  scaffold?: string;
  /** The user's queries as the dataset has them; else they are read from the trajectory. */
  queries?: readonly string[];
  /** The instance's own system prompt. */
  systemPrompt?: string;
  /** What changed in the workspace (`changesOfPatch` of `workspace.patch`); else read from actions and commands. */
  changes?: readonly WorkspaceChange[];
  /** Answers of `workspaceNeeds`, by key. */
  workspace?: Readonly<Record<string, WorkspaceAnswer>>;
  /** An LLM judge's answers to open questions: check id -> question -> answer. */
  answers?: Readonly<Record<string, Readonly<Record<string, JudgeAnswer>>>>;
  /** Tells which kinds of action a tool set offers; else the tools' names do. */
  dialect?: Dialect;
  /** The rollout was imported: whether it ended or was cut is not known. */
  imported?: boolean;
}

/** One assistant turn of the kept line. */
export interface TurnView {
  turn: number;
  /** The user's query in force; of a subagent the one it was started under. */
  query: number | null;
  message: Message;
  calls: ToolCall[];
}

export interface ThreadView {
  id: string;
  role: 'main' | 'subagent';
  thread: Thread;
  turns: TurnView[];
  byTurn: ReadonlyMap<number, TurnView>;
  /** Turn of each tool call. */
  turnOf: ReadonlyMap<string, number>;
  /** Tools of every set the thread had; null when no message names a set. */
  tools: readonly ToolSchema[] | null;
  /** The last turn asked for tools: nothing shows that the thread came to its end. */
  unfinished: boolean;
  /** Turns that call a tool, ascending. */
  callingTurns: readonly number[];
}

/** A trajectory as the rules see it: main and subagent threads (auxiliary ones are no behaviour of the agent), by turn. */
export interface World {
  trajectory: Trajectory;
  context: VerifyContext;
  threads: readonly ThreadView[];
  byId: ReadonlyMap<string, ThreadView>;
  imported: boolean;
  /** Whether a tool of the kind was ever offered to the thread; null where no tool set is known. */
  offers(thread: ThreadView, kind: ActionKind): boolean | null;
}

const turnsOf = (thread: Thread): TurnView[] => {
  const seen = new Map<number, TurnView>();
  for (const segment of thread.segments) {
    for (const message of segment.messages) {
      if (message.role !== 'assistant' || message.turn === null || seen.has(message.turn)) continue;
      const calls = message.blocks.filter((b) => b.type === 'tool_call');
      seen.set(message.turn, { turn: message.turn, query: message.query, message, calls });
    }
  }
  return [...seen.values()].sort((a, b) => a.turn - b.turn);
};

const viewOf = (thread: Thread, trajectory: Trajectory): ThreadView => {
  const turns = turnsOf(thread);
  const sets = new Set(thread.segments.flatMap((s) => s.messages.flatMap((m) => m.toolset ?? [])));
  const tools = new Map<string, ToolSchema>();
  for (const set of trajectory.toolsets) {
    if (sets.has(set.id)) for (const tool of set.tools) tools.set(tool.name, tool);
  }
  return {
    id: thread.id,
    role: thread.role === 'main' ? 'main' : 'subagent',
    thread,
    turns,
    byTurn: new Map(turns.map((t) => [t.turn, t])),
    turnOf: new Map(turns.flatMap((t) => t.calls.map((c): [string, number] => [c.id, t.turn]))),
    tools: sets.size === 0 ? null : [...tools.values()],
    unfinished: (turns.at(-1)?.calls.length ?? 0) > 0,
    callingTurns: turns.filter((t) => t.calls.length > 0).map((t) => t.turn),
  };
};

/* What a tool's name says of its kind, where no dialect tells: only to see that a thing was never offered. */
const NAMED: readonly [ActionKind, RegExp][] = [
  ['todo', /todo/i],
  ['skill', /skill/i],
  ['subagent', /^(task|agent|new_task|subagent.*|spawn.*)$/i],
  ['plan', /plan|spec/i],
  ['ask', /ask|question/i],
  ['fetch', /fetch|web|browser/i],
  ['finish', /complet|finish|submit/i],
  ['run', /bash|shell|exec|command|terminal|^run/i],
  ['read', /read|view|cat/i],
  ['write', /write|create|edit|patch/i],
  ['edit', /edit|replace|patch|diff|insert|update|write/i],
  ['search', /grep|glob|search|find|^ls$|list/i],
];

const PROBES: Readonly<Partial<Record<ActionKind, Parameters<Dialect['encode']>[0]>>> = {
  todo: { todo: { items: [] } },
  skill: { skill: { name: 'x' } },
  subagent: { subagent: { type: 'x', prompt: 'x' } },
  plan: { plan: { phase: 'exit', text: 'x' } },
  ask: { ask: { text: 'x' } },
  fetch: { fetch: { url: 'https://example.org' } },
  finish: { finish: { text: 'x' } },
  run: { run: { command: 'true' } },
  read: { read: { path: 'x' } },
  write: { write: { path: 'x', content: 'x' } },
  edit: { edit: { path: 'x', replace: 'x', with: 'y' } },
  search: { search: { pattern: 'x' } },
};

const offerOf = (
  tools: readonly ToolSchema[],
  kind: ActionKind,
  dialect: Dialect | undefined,
  workspace: string,
): boolean => {
  const probe = PROBES[kind];
  if (dialect !== undefined && probe !== undefined) return dialect.encode(probe, tools, workspace) !== 'unsupported';
  const named = NAMED.find(([k]) => k === kind)?.[1];
  return named === undefined ? tools.length > 0 : tools.some((t) => named.test(t.name));
};

/* The user's query that was in force when the thread was started, by way of the threads that started it. */
const queryOfStart = (thread: ThreadView, byId: ReadonlyMap<string, ThreadView>): number | null => {
  const seen = new Set<string>();
  let view = thread;
  let query: number | null = null;
  while (!seen.has(view.id)) {
    seen.add(view.id);
    const parent = view.thread.parent;
    const above = parent === null ? undefined : byId.get(parent.thread);
    const turn = parent === null ? undefined : above?.turnOf.get(parent.toolCall);
    if (above === undefined || turn === undefined) return view.role === 'main' ? query : null;
    query = above.byTurn.get(turn)?.query ?? null;
    view = above;
  }
  return null;
};

/** Reads a trajectory once for all rules that will be put to it. */
export const createWorld = (trajectory: Trajectory, context: VerifyContext = {}): World => {
  const threads = trajectory.threads.filter((t) => t.role !== 'auxiliary').map((t) => viewOf(t, trajectory));
  const byId = new Map(threads.map((t) => [t.id, t]));
  for (const thread of threads.filter((t) => t.role === 'subagent')) {
    const query = queryOfStart(thread, byId);
    for (const turn of thread.turns) turn.query = query;
  }
  const known = new Map<string, boolean | null>();
  return {
    trajectory,
    context,
    threads,
    byId,
    imported: context.imported === true,
    offers(thread, kind) {
      const key = `${thread.id}\n${kind}`;
      let offered = known.get(key);
      if (offered === undefined) {
        offered =
          thread.tools === null
            ? null
            : thread.thread.actions.some((a) => a.kind === kind) ||
              offerOf(thread.tools, kind, context.dialect, trajectory.workspace ?? '/');
        known.set(key, offered);
      }
      return offered;
    },
  };
};
