import type { ToolCall, ToolResult } from '../../wire/schema.ts';
import type { ActionDraft, DialectState, Todo } from '../dialect.ts';
import { draftOf, type Ending, endingOf } from '../ending.ts';
import { patchActions } from '../patch.ts';
import { editedLines, given, listArg, readTodo, textArg } from '../reading.ts';

/* Tools of opencode and of its fork Kilo 7 as actions; result texts as recorded (opencode 1.18.33, Kilo 7.0.33 and 7.7.7). */

const REFUSED =
  /^(Error: )?(You must read file|The \w+ tool was called with invalid arguments|Model tried to call unavailable tool|The user (has )?(rejected|dismissed)|.{0,80}permission)/;
const MISSING = /File not found|No such file|does not exist/;
const UNREAD = /You must read file|Could not find oldString|multiple matches/;

const existedBefore = (end: Ending): boolean | null => {
  if (end.ok === false && MISSING.test(end.text)) return false;
  return end.ok === false && UNREAD.test(end.text) ? true : null;
};

const pathOf = (input: unknown): { path?: string } => given({ path: textArg(input, 'filePath', 'path') });

const read = (input: unknown, end: Ending): ActionDraft => {
  if (end.text.includes('<type>directory</type>')) return { ...draftOf('search', end), ...pathOf(input) };
  return { ...draftOf('read', end), ...pathOf(input), existed: end.ok === true ? true : existedBefore(end) };
};

const edit = (input: unknown, end: Ending): ActionDraft => {
  const before = textArg(input, 'oldString') ?? '';
  // An edit of nothing makes the file.
  const existed = end.ok === true && before !== '' ? true : existedBefore(end);
  return {
    ...draftOf('edit', end),
    ...pathOf(input),
    existed,
    ...editedLines(before, textArg(input, 'newString') ?? ''),
  };
};

// The shell's exit code is not told: a command that failed and one that did not look the same.
const run = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('run', end),
  ...(end.ok === true ? { ok: null } : {}),
  ...given({ command: textArg(input, 'command'), cwd: textArg(input, 'workdir') }),
});

const todo = (input: unknown, end: Ending, state: DialectState): ActionDraft => {
  if (end.ok !== false) {
    state.todos = listArg(input, 'todos')
      .map(readTodo)
      .filter((t): t is Todo => t !== null);
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

const search = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('search', end),
  ...given({ path: textArg(input, 'path') }),
});

const fetched = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('fetch', end),
  ...given({ url: textArg(input, 'url'), prompt: textArg(input, 'query') }),
});

type Reader = (input: unknown, end: Ending, state: DialectState) => ActionDraft | ActionDraft[];

const READERS: Readonly<Record<string, Reader>> = {
  read,
  write: (input, end) => ({
    ...draftOf('write', end),
    ...pathOf(input),
    ...given({ content: textArg(input, 'content') }),
    existed: existedBefore(end),
  }),
  edit,
  apply_patch: (input, end) => patchActions(textArg(input, 'patchText', 'patch') ?? '', end),
  patch: (input, end) => patchActions(textArg(input, 'patchText', 'patch') ?? '', end),
  bash: run,
  background_process: (input, end) => ({ ...run(input, end), background: true }),
  grep: search,
  glob: search,
  list: search,
  todowrite: todo,
  skill: (input, end) => ({ ...draftOf('skill', end), ...given({ name: textArg(input, 'name') }) }),
  task: (input, end) => ({
    ...draftOf('subagent', end),
    ...given({ name: textArg(input, 'subagent_type'), prompt: textArg(input, 'prompt') }),
  }),
  webfetch: fetched,
  websearch: fetched,
  codesearch: fetched,
  question: ask,
  plan_enter: (_, end) => ({ ...draftOf('plan', end), phase: 'enter' }),
  plan_exit: (_, end) => ({ ...draftOf('plan', end), phase: 'exit' }),
};

/** Tools that both programs have. */
export const SHARED_TOOLS: readonly string[] = ['bash', 'edit', 'glob', 'grep', 'question', 'read', 'skill', 'task']
  .concat(['todowrite', 'webfetch', 'write', 'apply_patch', 'patch', 'list', 'todoread', 'websearch', 'codesearch'])
  .concat(['plan_enter', 'plan_exit', 'invalid']);

/** A tool call of opencode or Kilo as actions. `invalid` stands in their history for a call of a tool there is not. */
export const decodeOpencode = (call: ToolCall, result: ToolResult | null, state: DialectState): ActionDraft[] => {
  const end = endingOf(result, REFUSED);
  if (call.name === 'invalid') return [{ ...draftOf('other', end), ok: false, refused: true }];
  const reader = Object.hasOwn(READERS, call.name) ? READERS[call.name] : undefined;
  const actions = reader === undefined ? draftOf('other', end) : reader(call.input, end, state);
  return Array.isArray(actions) ? actions : [actions];
};
