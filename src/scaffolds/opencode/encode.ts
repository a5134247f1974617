import type { ToolSchema } from '../../wire/schema.ts';
import type { ScriptAction, Todo } from '../dialect.ts';
import { type Encoded, inShort, type Offer, offerOf, toolCall, whenOffered } from '../offer.ts';
import { given } from '../reading.ts';

const run = ({ command, background }: { command: string; background?: boolean }, offer: Offer): Encoded =>
  whenOffered(offer, 'bash', {
    // There is no flag for it: the shell does it.
    command: background === true ? `(${command}) >/dev/null 2>&1 &` : command,
    ...(offer.takes('bash', 'description') ? { description: inShort(command) } : {}),
  });

const todoItem = (todo: Todo): Record<string, unknown> => ({
  content: todo.text,
  status: todo.status,
  priority: todo.priority ?? 'medium',
  ...given({ id: todo.id }),
});

const subagent = (action: { type: string; prompt: string; description?: string }, offer: Offer): Encoded =>
  whenOffered(offer, 'task', {
    description: action.description ?? inShort(action.prompt),
    prompt: action.prompt,
    subagent_type: action.type,
  });

const ask = ({ text, options }: { text: string; options?: string[] }, offer: Offer): Encoded =>
  whenOffered(offer, 'question', {
    questions: [
      {
        question: text,
        header: inShort(text).slice(0, 30),
        options: (options ?? ['Yes', 'No']).map((label) => ({ label, description: label })),
      },
    ],
  });

/** A script's action as a tool call of opencode or Kilo, with the arguments its schema asks for. */
export const encodeOpencode = (action: ScriptAction, tools: readonly ToolSchema[], workspace: string): Encoded => {
  const offer = offerOf(tools, workspace);
  if ('read' in action) {
    const { path, offset, limit } = action.read;
    return whenOffered(offer, 'read', { filePath: offer.absolute(path), ...given({ offset, limit }) });
  }
  if ('write' in action) {
    return whenOffered(offer, 'write', { content: action.write.content, filePath: offer.absolute(action.write.path) });
  }
  if ('edit' in action) {
    const { path, replace, with: by, all } = action.edit;
    const input = { filePath: offer.absolute(path), oldString: replace, newString: by };
    return whenOffered(offer, 'edit', all === true ? { ...input, replaceAll: true } : input);
  }
  if ('run' in action) return run(action.run, offer);
  if ('search' in action) {
    const { pattern, path, glob } = action.search;
    const where = path === undefined ? undefined : offer.absolute(path);
    return whenOffered(offer, 'grep', { pattern, ...given({ path: where, include: glob }) });
  }
  // Reading a folder lists it.
  if ('list' in action) return whenOffered(offer, 'read', { filePath: offer.absolute(action.list.path) });
  if ('glob' in action) return whenOffered(offer, 'glob', { pattern: action.glob.pattern });
  if ('todo' in action) return whenOffered(offer, 'todowrite', { todos: action.todo.items.map(todoItem) });
  if ('skill' in action) return whenOffered(offer, 'skill', { name: action.skill.name });
  if ('subagent' in action) return subagent(action.subagent, offer);
  if ('plan' in action) return whenOffered(offer, action.plan.phase === 'enter' ? 'plan_enter' : 'plan_exit', {});
  if ('ask' in action) return ask(action.ask, offer);
  if ('fetch' in action) return whenOffered(offer, 'webfetch', { url: action.fetch.url, format: 'markdown' });
  return 'finish' in action ? 'unsupported' : [toolCall(action.tool.name, action.tool.input)];
};
