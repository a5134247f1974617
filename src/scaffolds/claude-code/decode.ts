import { isObject } from '../../core/json.ts';
import type { ToolCall, ToolResult } from '../../wire/schema.ts';
import type { ActionDraft, DialectState, Todo } from '../dialect.ts';
import { draftOf, type Ending, endingOf } from '../ending.ts';
import { editedLines, flagArg, given, linesOf, listArg, readTodo, textArg } from '../reading.ts';

/* Claude Code's tools as actions. Result texts are those of 2.0.69 and 2.1.332 as they were recorded. */

// The tool did not try: unknown tool or arguments, a file it has not read, no permission.
const REFUSED =
  /^(<tool_use_error>)?\s*(Error: No such tool available|InputValidationError|File has not been read yet|File has been modified since read|Exit plan mode\?|.{0,200}(you haven't granted it yet|requested permissions? to|has been denied|was denied|user doesn't want))/s;

const MISSING = /File does not exist|No such file|ENOENT/;
const EXISTS =
  /has been updated|has not been read yet|modified since read|String to replace not found|matches of the string/;
/** Whether the file was there before, as the result tells; null = it does not. */
const existedBefore = (end: Ending): boolean | null => {
  if (end.ok === null || end.text === '') return null;
  if (end.text.startsWith('File created successfully') || MISSING.test(end.text)) return false;
  return EXISTS.test(end.text) ? true : null;
};

const read = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('read', end),
  ...given({ path: textArg(input, 'file_path', 'notebook_path') }),
  existed: end.ok === true ? true : existedBefore(end),
});

const write = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('write', end),
  ...given({ path: textArg(input, 'file_path'), content: textArg(input, 'content') }),
  existed: existedBefore(end),
});

const edit = (input: unknown, end: Ending): ActionDraft => {
  const edits = isObject(input) && Array.isArray(input.edits) ? input.edits : [input];
  const added: string[] = [];
  const removed: string[] = [];
  for (const one of edits) {
    const lines = editedLines(textArg(one, 'old_string') ?? '', textArg(one, 'new_string') ?? '');
    added.push(...lines.added);
    removed.push(...lines.removed);
  }
  return {
    ...draftOf('edit', end),
    ...given({ path: textArg(input, 'file_path') }),
    existed: existedBefore(end),
    added,
    removed,
  };
};

const notebook = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('edit', end),
  ...given({ path: textArg(input, 'notebook_path') }),
  existed: end.ok === true ? true : existedBefore(end),
  added: textArg(input, 'edit_mode') === 'delete' ? [] : linesOf(textArg(input, 'new_source') ?? ''),
  removed: [],
});

const run = (input: unknown, end: Ending): ActionDraft => {
  const background = flagArg(input, 'run_in_background') || end.text.startsWith('Command running in background');
  return {
    ...draftOf('run', end),
    // The shell was started; how the command ends is told later, elsewhere.
    ...(background && end.ok === true ? { ok: null } : {}),
    ...given({ command: textArg(input, 'command') }),
    ...(background ? { background } : {}),
  };
};

const todoWrite = (input: unknown, end: Ending, state: DialectState): ActionDraft => {
  const sent = listArg(input, 'todos')
    .map(readTodo)
    .filter((t): t is Todo => t !== null);
  if (end.ok !== false) state.todos = sent;
  return { ...draftOf('todo', end), todos: [...state.todos] };
};

const taskCreate = (input: unknown, end: Ending, state: DialectState): ActionDraft => {
  const todo = readTodo(input);
  if (todo !== null && end.ok !== false) {
    const id = /#(\w+)/.exec(end.text)?.[1] ?? String(state.todos.length + 1);
    state.todos = [...state.todos, { ...todo, status: 'pending', id }];
  }
  return { ...draftOf('todo', end), todos: [...state.todos] };
};

const taskUpdate = (input: unknown, end: Ending, state: DialectState): ActionDraft => {
  const id = textArg(input, 'taskId');
  if (end.ok !== false) {
    const status = textArg(input, 'status');
    const changed = { ...given({ text: textArg(input, 'subject') }), ...(status === undefined ? {} : { status }) };
    state.todos =
      status === 'deleted'
        ? state.todos.filter((t) => t.id !== id)
        : state.todos.map((t) => (t.id === id ? { ...t, ...changed } : t));
  }
  return { ...draftOf('todo', end), todos: [...state.todos] };
};

const ask = (input: unknown, end: Ending): ActionDraft => {
  const questions = listArg(input, 'questions');
  return {
    ...draftOf('ask', end),
    text: questions.map((q) => textArg(q, 'question') ?? '').join('\n'),
    options: questions.flatMap((q) => listArg(q, 'options').map((o) => textArg(o, 'label') ?? String(o))),
  };
};

type Reader = (input: unknown, end: Ending, state: DialectState) => ActionDraft;

const subagent: Reader = (input, end) => ({
  ...draftOf('subagent', end),
  ...given({ name: textArg(input, 'subagent_type'), prompt: textArg(input, 'prompt') }),
});

const READERS: Readonly<Record<string, Reader>> = {
  Read: read,
  NotebookRead: read,
  Write: write,
  Edit: edit,
  MultiEdit: edit,
  NotebookEdit: notebook,
  Bash: run,
  Grep: (input, end) => ({ ...draftOf('search', end), ...given({ path: textArg(input, 'path') }) }),
  Glob: (input, end) => ({ ...draftOf('search', end), ...given({ path: textArg(input, 'path') }) }),
  LS: (input, end) => ({ ...draftOf('search', end), ...given({ path: textArg(input, 'path') }) }),
  TodoWrite: todoWrite,
  TaskCreate: taskCreate,
  TaskUpdate: taskUpdate,
  Skill: (input, end) => ({ ...draftOf('skill', end), ...given({ name: textArg(input, 'skill', 'command') }) }),
  Task: subagent,
  Agent: subagent,
  WebFetch: (input, end) => ({
    ...draftOf('fetch', end),
    ...given({ url: textArg(input, 'url'), prompt: textArg(input, 'prompt') }),
  }),
  WebSearch: (input, end) => ({ ...draftOf('fetch', end), ...given({ prompt: textArg(input, 'query') }) }),
  EnterPlanMode: (_, end) => ({ ...draftOf('plan', end), phase: 'enter' }),
  ExitPlanMode: (input, end) => ({
    ...draftOf('plan', end),
    phase: 'exit',
    ...given({ text: textArg(input, 'plan') }),
  }),
  AskUserQuestion: ask,
};

/** Names of the tools that Claude Code has had; the ones it offers differ by version and settings. */
export const CLAUDE_CODE_TOOLS: readonly string[] = [
  ...Object.keys(READERS),
  'BashOutput',
  'KillShell',
  'SlashCommand',
  'TaskOutput',
  'TaskStop',
  'ToolSearch',
];

/** A tool call of Claude Code as actions; a tool that is not known (MCP, ToolSearch, KillShell) is one action `other`. */
export const decodeClaudeCode = (call: ToolCall, result: ToolResult | null, state: DialectState): ActionDraft[] => {
  const end = endingOf(result, REFUSED);
  const reader = Object.hasOwn(READERS, call.name) ? READERS[call.name] : undefined;
  return [reader === undefined ? draftOf('other', end) : reader(call.input, end, state)];
};
