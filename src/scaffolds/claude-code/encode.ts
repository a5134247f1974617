import type { ToolSchema } from '../../wire/schema.ts';
import type { ScriptAction, Todo } from '../dialect.ts';
import { type Encoded, inShort, type Offer, offerOf, toolCall, whenOffered } from '../offer.ts';
import { given } from '../reading.ts';
import { quoteShell } from '../shell-quote.ts';

/** A tool that newer versions offer only after it was searched for. */
const deferred = (offer: Offer, name: string, input: Record<string, unknown>): Encoded => {
  if (offer.has(name)) return [toolCall(name, input)];
  return offer.has('ToolSearch') && DEFERRED.has(name)
    ? { first: [toolCall('ToolSearch', { query: `select:${name}`, max_results: 1 })] }
    : 'unsupported';
};
// 2.1.332 lists these as deferred in a headless session; the rest of what it lacks cannot be searched for.
const DEFERRED: ReadonlySet<string> = new Set(['NotebookEdit', 'WebFetch', 'WebSearch', 'TaskStop']);

/** The first of the tools that is offered; with none, the shell, as the scaffold itself tells models to do. */
const orShell = (offer: Offer, name: string, input: Record<string, unknown>, command: string): Encoded =>
  offer.has(name) ? [toolCall(name, input)] : whenOffered(offer, 'Bash', { command });

// TodoWrite knows three states; the form in progress has to be given.
const todoItem = (todo: Todo): Record<string, unknown> => ({
  content: todo.text,
  status: todo.status,
  activeForm: todo.text,
});

// Claude Code's own names of what scripts call by plain words.
const AGENT_TYPES: Readonly<Record<string, string>> = {
  explore: 'Explore',
  plan: 'Plan',
  general: 'general-purpose',
  default: 'general-purpose',
};

const subagent = (action: { type: string; prompt: string; description?: string }, offer: Offer): Encoded => {
  const name = offer.has('Agent') ? 'Agent' : 'Task';
  return whenOffered(offer, name, {
    description: action.description ?? inShort(action.prompt),
    prompt: action.prompt,
    subagent_type: AGENT_TYPES[action.type] ?? action.type,
    // 2.1 starts agents in the background; a script's next turn needs the answer.
    ...(name === 'Agent' && offer.takes(name, 'run_in_background') ? { run_in_background: false } : {}),
  });
};

const ask = (action: { text: string; options?: string[] }, offer: Offer): Encoded =>
  whenOffered(offer, 'AskUserQuestion', {
    questions: [
      {
        question: action.text,
        header: 'Question',
        multiSelect: false,
        options: (action.options ?? ['Yes', 'No']).map((label) => ({ label, description: label })),
      },
    ],
  });

const search = (action: { pattern: string; path?: string; glob?: string }, offer: Offer): Encoded => {
  const path = action.path === undefined ? undefined : offer.absolute(action.path);
  const include = action.glob === undefined ? '' : ` --include=${quoteShell(action.glob)}`;
  return orShell(
    offer,
    'Grep',
    { pattern: action.pattern, ...given({ path, glob: action.glob }), output_mode: 'content' },
    `grep -rn${include} -e ${quoteShell(action.pattern)} ${quoteShell(action.path ?? '.')}`,
  );
};

const glob = (pattern: string, offer: Offer): Encoded =>
  orShell(offer, 'Glob', { pattern }, `find . -path ${quoteShell(`./${pattern.replace(/\*\*\/?/g, '*')}`)}`);

/**
 * A script's action as Claude Code's tool call, with the arguments its schema asks for.
 * @param workspace absolute path inside the sandbox: the file tools want absolute paths
 */
export const encodeClaudeCode = (action: ScriptAction, tools: readonly ToolSchema[], workspace: string): Encoded => {
  const offer = offerOf(tools, workspace);
  if ('read' in action) {
    const { path, offset, limit } = action.read;
    return whenOffered(offer, 'Read', { file_path: offer.absolute(path), ...given({ offset, limit }) });
  }
  if ('write' in action) {
    return whenOffered(offer, 'Write', { file_path: offer.absolute(action.write.path), content: action.write.content });
  }
  if ('edit' in action) {
    const { path, replace, with: by, all } = action.edit;
    const input = { file_path: offer.absolute(path), old_string: replace, new_string: by };
    return whenOffered(offer, 'Edit', all === true ? { ...input, replace_all: true } : input);
  }
  if ('run' in action) {
    const { command, background } = action.run;
    return whenOffered(offer, 'Bash', background === true ? { command, run_in_background: true } : { command });
  }
  return encodeOther(action, offer);
};

const encodeOther = (
  action: Exclude<ScriptAction, { read: unknown } | { write: unknown } | { edit: unknown } | { run: unknown }>,
  offer: Offer,
): Encoded => {
  if ('search' in action) return search(action.search, offer);
  if ('list' in action) {
    const path = offer.absolute(action.list.path);
    if (offer.has('LS')) return [toolCall('LS', { path })];
    return orShell(offer, 'Glob', { pattern: '*', path }, `ls -a ${quoteShell(action.list.path)}`);
  }
  if ('glob' in action) return glob(action.glob.pattern, offer);
  if ('todo' in action) {
    const open = action.todo.items.filter((t) => t.status !== 'cancelled');
    return whenOffered(offer, 'TodoWrite', { todos: open.map(todoItem) });
  }
  if ('skill' in action) {
    const { name, args } = action.skill;
    return whenOffered(
      offer,
      'Skill',
      offer.takes('Skill', 'args') ? { skill: name, ...given({ args }) } : { skill: name },
    );
  }
  if ('subagent' in action) return subagent(action.subagent, offer);
  if ('plan' in action) {
    const { phase, text } = action.plan;
    return whenOffered(
      offer,
      phase === 'enter' ? 'EnterPlanMode' : 'ExitPlanMode',
      phase === 'exit' ? given({ plan: text }) : {},
    );
  }
  if ('ask' in action) return ask(action.ask, offer);
  if ('fetch' in action) {
    return deferred(offer, 'WebFetch', { url: action.fetch.url, prompt: action.fetch.prompt ?? 'Summarize the page.' });
  }
  if ('finish' in action) return 'unsupported'; // a text without a call ends the turn
  return [toolCall(action.tool.name, action.tool.input)];
};
