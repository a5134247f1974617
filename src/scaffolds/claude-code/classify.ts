import type { Block, DecodedRequest } from '../../wire/schema.ts';
import type { CallRole } from '../scaffold.ts';

const textsOf = (blocks: readonly Block[]): string[] => blocks.flatMap((b) => (b.type === 'text' ? [b.text] : []));

const lastUserText = (request: DecodedRequest): string => {
  const message = request.messages.findLast((m) => m.role === 'user');
  return (message === undefined ? [] : textsOf(message.blocks)).at(-1) ?? '';
};

// What the system prompt of a side call says, and what it is for; 2.0.69, each seen on the wire or read in the program.
const SIDE_CALLS: readonly [says: RegExp, kind: string][] = [
  [/analyzing git history/, 'git_history'],
  [/Extract any file paths that this command reads/, 'paths'],
  [/process Bash commands that an AI coding agent/, 'command_prefix'],
  [/conversation (title|topic)|isNewTopic|title for/i, 'title'],
];
const COMPACTION = /^Your task is to create a detailed summary/;
const OWN_AGENT = /^You are (an agent for Claude Code|a file search specialist|a software architect and planning)/;

const sideKind = (request: DecodedRequest, system: readonly string[], last: string): string => {
  if (last === 'Warmup') return 'warmup';
  if (COMPACTION.test(last)) return 'compaction';
  const found = SIDE_CALLS.find(([says]) => system.some((text) => says.test(text)));
  if (found !== undefined) return found[1];
  if (last.startsWith('Web page content:')) return 'fetch';
  return request.params.max_tokens === 1 ? 'quota' : 'other';
};

/**
 * What a request of Claude Code is for. Main ones offer the tool that starts subagents (`Task` up to 2.0, `Agent` from 2.1), but from
 * 2.1 on subagents may have it too: these say so in their billing line or by their own opening words.
 */
export const classifyClaudeCode = (request: DecodedRequest): CallRole => {
  const names = new Set(request.tools.map((t) => t.name));
  const system = textsOf(request.system);
  const last = lastUserText(request);
  if (names.size === 0 || last === 'Warmup' || COMPACTION.test(last)) {
    return { role: 'auxiliary', kind: sideKind(request, system, last) };
  }
  if (!names.has('Task') && !names.has('Agent')) return { role: 'subagent' };
  if (system.some((text) => text.includes('cc_is_subagent=true') || OWN_AGENT.test(text))) return { role: 'subagent' };
  return { role: 'main' };
};
