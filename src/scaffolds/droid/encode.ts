import type { ToolSchema } from '../../wire/schema.ts';
import type { ScriptAction, Todo } from '../dialect.ts';
import { type Encoded, inShort, type Offer, offerOf, toolCall, whenOffered } from '../offer.ts';
import { given } from '../reading.ts';

const run = ({ command, background }: { command: string; background?: boolean }, offer: Offer): Encoded =>
  whenOffered(offer, 'Execute', {
    ...(offer.takes('Execute', 'summary') ? { summary: inShort(command) } : {}),
    command,
    ...(offer.takes('Execute', 'riskLevel') ? { riskLevelReason: 'Needed for the task', riskLevel: 'medium' } : {}),
    ...(background === true ? { fireAndForget: true } : {}),
  });

const todoText = (items: readonly Todo[]): string =>
  items
    .filter((t) => t.status !== 'cancelled')
    .map((t, i) => `${i + 1}. [${t.status}] ${t.text}`)
    .join('\n');

// A fetch and the like are offered from 0.215.0 on only after they were searched for.
const DEFERRED: ReadonlySet<string> = new Set(['WebSearch', 'FetchUrl', 'GenerateDroid']);
const deferred = (offer: Offer, name: string, input: Record<string, unknown>): Encoded => {
  if (offer.has(name)) return [toolCall(name, input)];
  return offer.has('ToolSearch') && DEFERRED.has(name)
    ? { first: [toolCall('ToolSearch', { query: `select:${name}` })] }
    : 'unsupported';
};

const subagent = (action: { type: string; prompt: string; description?: string }, offer: Offer): Encoded =>
  whenOffered(offer, 'Task', {
    // The one type every session has; the others are the user's own.
    subagent_type: ['explore', 'general', 'default'].includes(action.type) ? 'worker' : action.type,
    description: action.description ?? inShort(action.prompt),
    prompt: action.prompt,
    ...(offer.takes('Task', 'await') ? { await: true } : {}),
  });

/** A script's action as a tool call of Droid, with the arguments its schema asks for. */
export const encodeDroid = (action: ScriptAction, tools: readonly ToolSchema[], workspace: string): Encoded => {
  const offer = offerOf(tools, workspace);
  if ('read' in action) {
    const { path, offset, limit } = action.read;
    return whenOffered(offer, 'Read', { file_path: offer.absolute(path), ...given({ offset, limit }) });
  }
  if ('write' in action) {
    return whenOffered(offer, 'Create', {
      file_path: offer.absolute(action.write.path),
      content: action.write.content,
    });
  }
  if ('edit' in action) {
    const { path, replace, with: by, all } = action.edit;
    const input = { file_path: offer.absolute(path), old_str: replace, new_str: by };
    return whenOffered(offer, 'Edit', all === true ? { ...input, change_all: true } : input);
  }
  if ('run' in action) return run(action.run, offer);
  if ('search' in action) {
    const { pattern, path, glob } = action.search;
    const where = path === undefined ? undefined : offer.absolute(path);
    return whenOffered(offer, 'Grep', {
      pattern,
      ...given({ path: where, glob_pattern: glob }),
      output_mode: 'content',
    });
  }
  if ('list' in action) return whenOffered(offer, 'LS', { directory_path: offer.absolute(action.list.path) });
  if ('glob' in action) return whenOffered(offer, 'Glob', { patterns: [action.glob.pattern] });
  if ('todo' in action) return whenOffered(offer, 'TodoWrite', { todos: todoText(action.todo.items) });
  if ('skill' in action) return whenOffered(offer, 'Skill', { skill: action.skill.name });
  if ('subagent' in action) return subagent(action.subagent, offer);
  if ('plan' in action) {
    return action.plan.phase === 'exit'
      ? whenOffered(offer, 'ExitSpecMode', { plan: action.plan.text ?? '' })
      : 'unsupported';
  }
  if ('ask' in action) return 'unsupported'; // there is no tool for it in exec mode
  if ('fetch' in action) return deferred(offer, 'FetchUrl', { url: action.fetch.url });
  return 'finish' in action ? 'unsupported' : [toolCall(action.tool.name, action.tool.input)];
};
