import { isObject } from '../../core/json.ts';
import type { ToolCall, ToolResult } from '../../wire/schema.ts';
import type { ActionDraft, DialectState, Todo } from '../dialect.ts';
import { draftOf, type Ending, endingOf } from '../ending.ts';
import { patchActions } from '../patch.ts';
import { editedLines, flagArg, given, listArg, readTodo, textArg } from '../reading.ts';

/* Droid's tools as actions; result texts as recorded (0.99.0 and 0.215.0). */

const REFUSED =
  /^Error: (Tool (not permitted|\w+ is registered but)|Not found: |\w+ is required and must|.{0,80}(permission|InputValidationError))/;
// 0.99.0 does not mark this one as an error.
const NOT_PERMITTED = /^Error: Tool not permitted in exec mode: /;
const MISSING = /ENOENT|no such file/i;
const EXISTS = /text to replace was not found|has been updated successfully/;

const existedBefore = (end: Ending): boolean | null => {
  if (end.ok === null) return null;
  if (end.ok === false && MISSING.test(end.text)) return false;
  return EXISTS.test(end.text) ? true : null;
};
const pathOf = (input: unknown): { path?: string } => given({ path: textArg(input, 'file_path') });

const EXIT = /\[Process exited with code (\d+)\]\s*$/;
const run = (input: unknown, end: Ending): ActionDraft => {
  const code = EXIT.exec(end.text)?.[1];
  const background = flagArg(input, 'fireAndForget');
  const ok = end.ok === true && background ? null : code === undefined ? end.ok : code === '0';
  return {
    ...draftOf('run', end),
    ok,
    ...given({ command: textArg(input, 'command') }),
    ...(background ? { background } : {}),
  };
};

const TODO_LINE = /^\s*(?:\d+[.)]|[-*])?\s*\[([\w -]+)\]\s*(.+)$/;
/** 0.99.0 takes the list as text, `1. [in_progress] ...`; a list of objects is read too. */
const todosOf = (input: unknown): Todo[] => {
  const text = textArg(input, 'todos');
  const items: unknown[] =
    text === undefined
      ? listArg(input, 'todos')
      : text.split('\n').map((line) => {
          const found = TODO_LINE.exec(line);
          return found === null ? null : { content: (found[2] ?? '').trim(), status: found[1] };
        });
  return items.map(readTodo).filter((t): t is Todo => t !== null);
};

const todo = (input: unknown, end: Ending, state: DialectState): ActionDraft => {
  if (end.ok !== false) state.todos = todosOf(input);
  return { ...draftOf('todo', end), todos: [...state.todos] };
};

const search = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('search', end),
  ...given({ path: textArg(input, 'path', 'folder', 'directory_path') }),
});

const ask = (input: unknown, end: Ending): ActionDraft => ({
  ...draftOf('ask', end),
  ...given({ text: textArg(input, 'question', 'questionnaire', 'questions') }),
});

type Reader = (input: unknown, end: Ending, state: DialectState) => ActionDraft | ActionDraft[];

const READERS: Readonly<Record<string, Reader>> = {
  Read: (input, end) => ({
    ...draftOf('read', end),
    ...pathOf(input),
    existed: end.ok === true ? true : existedBefore(end),
  }),
  Create: (input, end) => ({
    ...draftOf('write', end),
    ...pathOf(input),
    ...given({ content: textArg(input, 'content') }),
    // "created successfully" is said of a file that was there, too.
    existed: null,
  }),
  Edit: (input, end) => ({
    ...draftOf('edit', end),
    ...pathOf(input),
    existed: existedBefore(end),
    ...editedLines(textArg(input, 'old_str') ?? '', textArg(input, 'new_str') ?? ''),
  }),
  ApplyPatch: (input, end) =>
    patchActions(typeof input === 'string' ? input : (textArg(input, 'input', 'patch') ?? ''), end),
  Execute: run,
  Grep: search,
  Glob: search,
  LS: search,
  TodoWrite: todo,
  Skill: (input, end) => ({ ...draftOf('skill', end), ...given({ name: textArg(input, 'skill') }) }),
  Task: (input, end) => ({
    ...draftOf('subagent', end),
    ...given({ name: textArg(input, 'subagent_type'), prompt: textArg(input, 'prompt') }),
  }),
  FetchUrl: (input, end) => ({ ...draftOf('fetch', end), ...given({ url: textArg(input, 'url') }) }),
  WebSearch: (input, end) => ({ ...draftOf('fetch', end), ...given({ prompt: textArg(input, 'query') }) }),
  ExitSpecMode: (input, end) => ({
    ...draftOf('plan', end),
    phase: 'exit',
    ...given({ text: textArg(input, 'plan') }),
    ...(isObject(input) && Array.isArray(input.optionNames) ? { options: input.optionNames.map(String) } : {}),
  }),
  AskUser: ask,
};

/** Tools of both versions; what is offered depends on version, provider and mode. */
export const DROID_TOOLS: readonly string[] = [
  ...Object.keys(READERS),
  ...['GenerateDroid', 'GenerateImage', 'TaskOutput', 'TaskStop', 'ToolSearch', 'slack_post_file', 'Loop'],
];

/** A tool call of Droid as actions. */
export const decodeDroid = (call: ToolCall, result: ToolResult | null, state: DialectState): ActionDraft[] => {
  let end = endingOf(result, REFUSED);
  if (NOT_PERMITTED.test(end.text)) end = { ...end, ok: false, refused: true };
  const reader = Object.hasOwn(READERS, call.name) ? READERS[call.name] : undefined;
  const actions = reader === undefined ? draftOf('other', end) : reader(call.input, end, state);
  return Array.isArray(actions) ? actions : [actions];
};
