import type { Action, ActionDraft, Dialect, DialectState } from '../scaffolds/dialect.ts';
import type { ToolCall, ToolResult } from '../wire/schema.ts';
import { chooseDialect } from './detect.ts';
import { Existence } from './existence.ts';
import { givenOf } from './given.ts';
import { relativePath, workspaceOf } from './paths.ts';
import { cleanResult } from './reminders.ts';
import type { Message, Thread, Trajectory } from './schema.ts';
import { parseCommands } from './shell.ts';

/** What `withActions` may be told of a run. */
export interface ActionOptions {
  /** Paths (as in Action.rel) that were in the workspace before the run; leave out when not known. */
  baseFiles?: ReadonlySet<string>;
  /** The system prompt that the run gave, for dialects that cannot tell it from the scaffold's own. */
  appended?: string;
}

/**
 * A trajectory with its actions, and with the instruction material the model was given. `dialect` is a dialect, the id of one of
 * `dialects`, or `detect`: the one whose tools fit the tools that were offered best. Without a dialect every call is `other`.
 * The trajectory handed in is not changed.
 */
export const withActions = (
  t: Trajectory,
  dialect: Dialect | string | 'detect',
  dialects: readonly Dialect[] = [],
  options: ActionOptions = {},
): Trajectory => {
  const chosen = chooseDialect(t, dialect, dialects);
  const workspace = t.workspace ?? workspaceOf(t);
  const existence = new Existence(options.baseFiles);
  const threads = t.threads.map((thread) => ({
    ...thread,
    actions: chosen.dialect === null ? [] : actionsOf(thread, chosen.dialect, workspace, existence),
    given: chosen.dialect === null ? [] : givenOf(t, thread, chosen.dialect, options.appended),
  }));
  return { ...t, workspace, dialect: chosen.named, threads, problems: [...t.problems, ...chosen.problems] };
};

/** The messages of a thread that count: those of the kept line, over all segments. */
const keptMessages = (thread: Thread): Message[] =>
  thread.segments.flatMap((segment) => segment.messages.filter((message) => message.abandoned !== true));

/** Results of a thread by the id of their call; the first one stands (a client may send a shortened one later). */
const resultsOf = (messages: readonly Message[]): Map<string, ToolResult> => {
  const results = new Map<string, ToolResult>();
  for (const message of messages)
    for (const block of message.blocks)
      if (block.type === 'tool_result' && !results.has(block.id)) results.set(block.id, block);
  return results;
};

const actionsOf = (thread: Thread, dialect: Dialect, workspace: string | null, existence: Existence): Action[] => {
  const messages = keptMessages(thread);
  const results = resultsOf(messages);
  const state: DialectState = { workspace, todos: [] };
  const actions: Action[] = [];
  for (const { turn, blocks } of messages) {
    if (turn === null) continue;
    const calls = blocks.filter((block): block is ToolCall => block.type === 'tool_call');
    for (const call of calls) {
      const result = results.get(call.id) ?? null;
      const clean = result === null ? null : cleanResult(result, dialect);
      for (const draft of decodeCall(dialect, call, clean, state)) {
        const action = complete(draft, { turn, call, parallel: calls.length, result: clean, state, existence });
        actions.push(action);
        if (action.todos !== undefined) state.todos = action.todos;
      }
    }
  }
  return actions;
};

/** What a dialect makes of a call; one that fails on hostile arguments costs only the meaning of that call. */
const decodeCall = (
  dialect: Dialect,
  call: ToolCall,
  result: ToolResult | null,
  state: DialectState,
): ActionDraft[] => {
  const other: ActionDraft = { kind: 'other', ok: result === null ? null : result.isError !== true };
  try {
    const drafts = dialect.decode(call, result, state);
    return drafts.length > 0 ? drafts : [other];
  } catch {
    return [other];
  }
};

interface Context {
  turn: number;
  call: ToolCall;
  parallel: number;
  result: ToolResult | null;
  state: DialectState;
  existence: Existence;
}

const complete = (draft: ActionDraft, context: Context): Action => {
  const { command, background, cwd, existed, ...rest } = draft;
  const { workspace } = context.state;
  const rel = draft.path === undefined ? undefined : relativePath(draft.path, workspace, cwd);
  const action: Action = {
    ...rest,
    turn: context.turn,
    toolCall: context.call.id,
    parallel: context.parallel,
    tool: context.call.name,
    input: context.call.rawInput ?? context.call.input,
    result: context.result?.blocks ?? null,
    ...(rel !== undefined && { rel }),
  };
  if (command !== undefined) {
    const output = (context.result?.blocks ?? []).map((b) => (b.type === 'text' ? b.text : '')).join('\n');
    action.commands = parseCommands(command, {
      cwd: cwd ?? workspace,
      workspace,
      ok: draft.ok,
      output: context.result === null ? null : output,
      background: background ?? false,
      written: (path) => context.existence.content(path),
    });
  }
  context.existence.note(action, existed);
  return action;
};
