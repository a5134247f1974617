import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import type { CallRecord } from '../recording/schema.ts';
import { History } from './history.ts';

/*
 * The transcripts that Claude Code keeps of its sessions: `~/.claude/projects/<folder>/<session>.jsonl`, one entry a line, linked by
 * `uuid` and `parentUuid`. A reply is cut into one line a content block, all with the same `message.id`; subagents are `isSidechain`.
 * The system prompt and the tools are not in it, nor are reminders that were not kept: what rests on them cannot be judged.
 */

interface Entry {
  line: number;
  uuid: string;
  parent: string | null;
  side: boolean;
  role: 'user' | 'assistant';
  at: number;
  /** Lines with the same one are one reply. */
  reply: string | null;
  message: JsonObject;
  content: unknown[];
}

const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const readEntry = (text: string, line: number): Entry | string | null => {
  const value = parseJson(text);
  if (!isObject(value)) return 'not a JSON object';
  const { type, message } = value;
  // Summaries, snapshots, titles and the like are no part of the conversation.
  if (type !== 'user' && type !== 'assistant') return null;
  if (!isObject(message)) return `${type} without a message`;
  const content = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  if (!Array.isArray(content)) return `${type} without content`;
  const at = Date.parse(string(value.timestamp) ?? '');
  return {
    line,
    uuid: string(value.uuid) ?? `line-${line}`,
    parent: string(value.parentUuid),
    side: value.isSidechain === true,
    role: type,
    at: Number.isNaN(at) ? 0 : at,
    reply: type === 'assistant' ? string(message.id) : null,
    message,
    content,
  };
};

/** Splits entries into conversations: a side chain begins where its parent is not of it. */
const conversationsOf = (entries: readonly Entry[]): Entry[][] => {
  const main: Entry[] = [];
  const sides = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (!entry.side) {
      main.push(entry);
      continue;
    }
    const chain = entry.parent === null ? undefined : sides.get(entry.parent);
    const own = chain ?? [];
    own.push(entry);
    sides.set(entry.uuid, own);
  }
  return [main, ...new Set(sides.values())].filter((conversation) => conversation.length > 0);
};

/** Calls of one conversation: lines of one reply together, each reply an answer to all before it. */
function* callsOf(entries: readonly Entry[], session: string | null, ids: () => number): Generator<CallRecord> {
  const history = new History({ session, model: null, system: null, tools: [] }, ids);
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as Entry;
    if (entry.role === 'user') {
      history.say('user', entry.content);
      continue;
    }
    const parts = [entry];
    while (entry.reply !== null && entries[i + 1]?.reply === entry.reply) parts.push(entries[++i] as Entry);
    const last = parts.at(-1) ?? entry;
    yield history.reply(
      parts.flatMap((part) => part.content),
      {
        at: entry.at,
        model: string(entry.message.model),
        usage: last.message.usage,
        stop: string(last.message.stop_reason),
      },
    );
  }
}

/**
 * Calls of a Claude Code session transcript. Lines that cannot be read are reported by number; entries that are no messages are
 * left out, and lines stand in the order of the file. Held in memory whole: a line may belong to any conversation of the session.
 */
export async function* fromClaudeTranscript(
  lines: Iterable<string> | AsyncIterable<string>,
  options: { onProblem?: (problem: Problem) => void } = {},
): AsyncGenerator<CallRecord> {
  const entries: Entry[] = [];
  let session: string | null = null;
  let number = 0;
  for await (const text of lines) {
    number++;
    if (text.trim() === '') continue;
    const entry = readEntry(text, number);
    if (typeof entry === 'string')
      options.onProblem?.({ kind: 'bad_line', severity: 'error', line: number, message: `line skipped: ${entry}` });
    else if (entry !== null) entries.push(entry);
    session ??= /"sessionId"\s*:\s*"([^"\\]+)"/.exec(text)?.[1] ?? null;
  }
  let next = 0;
  for (const conversation of conversationsOf(entries)) yield* callsOf(conversation, session, () => next++);
}
