import type { Block, ToolCall, ToolResult, ToolSchema } from '../wire/schema.ts';

/** What a tool call does, the same for every scaffold. */
export const ACTION_KINDS = [
  'read',
  'write',
  'edit',
  'delete',
  'move',
  'run',
  'search',
  'todo',
  'plan',
  'skill',
  'subagent',
  'ask',
  'fetch',
  'finish',
  'other',
] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/** What a simple shell command does; `rules` use these words. */
export type CommandDoes =
  | 'read'
  | 'search'
  | 'list'
  | 'edit'
  | 'write'
  | 'delete'
  | 'move'
  | 'talk'
  | 'probe'
  | 'test'
  | 'lint'
  | 'build'
  | 'typecheck'
  | 'format'
  | 'install'
  | 'commit'
  | 'push'
  | 'network'
  | 'opaque';

/** One simple command that really runs: also inside `bash -c`, `$( )`, pipes, xargs and find -exec; never a quoted word. */
export interface Command {
  name: string;
  /** Wrappers taken off the front: sudo, env, timeout, npx, ... */
  via: string[];
  /** `commit` of git commit, `pr create` of gh, the script of npm run. */
  sub: string | null;
  args: string[];
  stdin: 'none' | 'pipe' | 'file' | 'heredoc';
  stdout: 'terminal' | 'pipe' | 'file';
  /** Directory it runs in, `cd` followed; null where not known. */
  cwd: string | null;
  commitMessage: string | null;
  commitTitle: string | null;
  /** Paths (as in Action.rel) of operands and redirections; null where an operand is not static. */
  reads: string[];
  writes: string[];
  does: CommandDoes[];
  /** No other command in the call. */
  alone: boolean;
  background: boolean;
  /** True, false, or null where the shell does not tell. */
  ok: boolean | null;
  /** Output of the call when the command is alone in it, else null. */
  output: string | null;
}

/** A todo item as the list stands after the call. */
export interface Todo {
  text: string;
  status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | (string & {});
  id?: string;
  priority?: string;
}

/** A tool call in canonical form; one per path (a call that reads or patches several files is several actions). */
export interface Action {
  /** Assistant turn of its thread that made the call; counting starts at 0. */
  turn: number;
  toolCall: string;
  kind: ActionKind;
  /** The tool's own result: null = no result, or not told. */
  ok: boolean | null;
  /** Refused by the tool itself: unread file, permission, schema. */
  refused?: true;
  /** As sent. */
  path?: string;
  /** Normalized: relative to the workspace inside it, absolute outside, `~` kept. */
  rel?: string;
  /** Did the file exist before; null = unknown. */
  existed?: boolean | null;
  content?: string;
  /** Lines (of an edit) that come in and go out. */
  added?: string[];
  removed?: string[];
  prompt?: string;
  url?: string;
  options?: string[];
  commands?: Command[];
  todos?: Todo[];
  /** Skill name or subagent type. */
  name?: string;
  /** The text the user sees, of finish, ask and plan. */
  text?: string;
  phase?: 'enter' | 'exit';
  /** Tool calls in the same message, this one included. */
  parallel: number;
  tool: string;
  input: unknown;
  /** What the tool answered, reminders cut out; null = unanswered. */
  result: Block[] | null;
}

/** What a dialect says of a call; turn, parallel, commands and rel are filled by the trajectory stage. `command` is the raw shell text of a `run`. */
export type ActionDraft = Omit<
  Action,
  'turn' | 'toolCall' | 'parallel' | 'rel' | 'commands' | 'tool' | 'input' | 'result'
> & {
  command?: string;
  background?: boolean;
  cwd?: string;
};

/** Memory of a dialect over one thread: what it needs to know of earlier calls. */
export interface DialectState {
  workspace: string | null;
  todos: Todo[];
}

/** An instruction source that material given to the model belongs to. */
export type SourceLabel =
  | 'system_prompt'
  | 'system_reminder'
  | 'query'
  | 'agents_md'
  | 'skill'
  | 'memory'
  | 'tool_schema'
  | 'environment';

/** A stretch of a text that belongs to a source. `part` tells the scaffold's preamble, the appended prompt and so on apart. */
export interface SourceSpan {
  start: number;
  end: number;
  label: SourceLabel;
  path?: string;
  part?: string;
}

/** What a script asks for, as an action; `encode` turns it into the scaffold's own tool call. */
export type ScriptAction =
  | { read: { path: string; offset?: number; limit?: number } }
  | { write: { path: string; content: string } }
  | { edit: { path: string; replace: string; with: string; all?: boolean } }
  | { run: { command: string; background?: boolean; expect?: unknown } }
  | { search: { pattern: string; path?: string; glob?: string } }
  | { list: { path: string } }
  | { glob: { pattern: string } }
  | { todo: { items: Todo[] } }
  | { skill: { name: string; args?: string } }
  | { subagent: { type: string; prompt: string; description?: string } }
  | { plan: { phase: 'enter' | 'exit'; text?: string } }
  | { ask: { text: string; options?: string[] } }
  | { fetch: { url: string; prompt?: string } }
  | { finish: { text: string } }
  | { tool: { name: string; input: unknown } };

/** Where a text stands in a request. */
export type TextPlace = 'system' | 'first_user' | 'user' | 'tool_result' | 'tool_description';

/** How one scaffold's tools map to actions and back. */
export interface Dialect {
  id: string;
  /** Names of its tools, for detection; a set that fits better wins. */
  tools: readonly string[];
  decode(call: ToolCall, result: ToolResult | null, state: DialectState): ActionDraft[];
  /**
   * A script's action as tool calls (ids are given by the caller, `id: ''` here); `first` = a prerequisite turn, after which the
   * action is asked for again; `unsupported` = this scaffold has no such tool among `tools`.
   */
  encode(
    action: ScriptAction,
    tools: readonly ToolSchema[],
    workspace: string,
  ): ToolCall[] | { first: ToolCall[] } | 'unsupported';
  /**
   * Source spans of a text, by the place it stands in, sorted and disjoint; text that no span covers keeps the place's own label.
   * `hints.appended` is the system prompt the run gave, where it is known: a scaffold that does not mark it off can then be read.
   */
  spans(text: string, place: TextPlace, hints?: { appended?: string }): SourceSpan[];
}
