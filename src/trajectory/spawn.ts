import { isObject } from '../core/json.ts';
import type { Block } from '../wire/schema.ts';
import { looseText, spokenText, withoutReminders } from './content.ts';
import { type Conversation, leavesOf } from './conversation.ts';
import { byTime, type Node, pathTo, type Turn } from './forest.ts';

/** A tool call that may have started a conversation. */
export interface Spawn {
  conversation: Conversation;
  toolCall: string;
  /** Null when the call stood in the first request already. */
  turn: Turn | null;
}

const KEY_LENGTH = 4000;
const DEEPEST = 8;
const keyOf = (text: string): string => {
  const loose = looseText(text);
  return loose.length <= KEY_LENGTH ? loose : `${loose.length} ${loose.slice(0, KEY_LENGTH)}`;
};

const stringsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return [value];
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((item) => stringsIn(item, depth + 1));
  return isObject(value) ? Object.values(value).flatMap((item) => stringsIn(item, depth + 1)) : [];
};

const callsOf = (conversation: Conversation): { blocks: readonly Block[]; turn: Turn | null }[] => {
  const first = conversation.turns[0];
  const seeded = first === undefined ? [] : pathTo(first.node).filter((node) => node.turn === null);
  return [
    ...seeded.map((node) => ({ blocks: node.content?.blocks ?? [], turn: null })),
    ...conversation.turns.map((turn) => ({ blocks: turn.reply.content?.blocks ?? [], turn })),
  ];
};

/** Every string that a tool was called with, and by which calls. */
const indexSpawns = (conversations: readonly Conversation[]): Map<string, Spawn[]> => {
  const index = new Map<string, Spawn[]>();
  for (const conversation of conversations)
    for (const { blocks, turn } of callsOf(conversation))
      for (const block of blocks) {
        if (block.type !== 'tool_call') continue;
        const spawn = { conversation, toolCall: block.id, turn };
        for (const text of new Set(stringsIn(block.input).map(keyOf)))
          if (text !== '') {
            const known = index.get(text);
            if (known === undefined) index.set(text, [spawn]);
            else known.push(spawn);
          }
      }
  return index;
};

/** What a conversation was asked: each text block before its first assistant message, and all of them together. */
export const askedTexts = (conversation: Conversation): string[] => {
  const blocks = pathTo(conversation.start).flatMap((node) => node.content?.blocks ?? []);
  const texts = blocks.flatMap((b) => (b.type === 'text' ? [withoutReminders(b.text).trim()] : []));
  return [...new Set([...texts, spokenText(blocks)])].filter((t) => t !== '');
};

/** Loose text of the last reply of a conversation. */
const lastWords = (conversation: Conversation): string => {
  const last = leavesOf(conversation).at(-1)?.reply.content;
  return looseText((last?.blocks ?? []).map((b) => (b.type === 'text' ? b.text : '')).join(''));
};

/** Loose text of every tool result in the forest, by the id of its call. */
export const resultTexts = (root: Node): Map<string, string> => {
  const texts = new Map<string, string>();
  const open: Node[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const block of node.content?.blocks ?? [])
      if (block.type === 'tool_result')
        texts.set(block.id, looseText(block.blocks.map((b) => (b.type === 'text' ? b.text : '')).join('')));
    open.push(...node.children.values());
  }
  return texts;
};

const follows = (spawn: Spawn, conversation: Conversation): boolean =>
  spawn.turn === null || byTime(spawn.turn, conversation.turns[0] as Turn) < 0;

/**
 * Which tool call started which conversation: one of its arguments is what the conversation was asked. Where several calls ask
 * the same, the one whose result holds the conversation's last words is it; then the first that is free.
 */
export const linkSpawns = (
  conversations: readonly Conversation[],
  results: ReadonlyMap<string, string>,
): Map<Conversation, Spawn> => {
  const index = indexSpawns(conversations);
  const links = new Map<Conversation, Spawn>();
  const taken = new Set<Spawn>();
  const under = (inner: Conversation, outer: Conversation): boolean => {
    for (let at: Conversation | undefined = inner; at !== undefined; at = links.get(at)?.conversation)
      if (at === outer) return true;
    return false;
  };
  const candidates = (c: Conversation): Spawn[] => [
    ...new Set(askedTexts(c).flatMap((text) => index.get(keyOf(text)) ?? [])),
  ];
  const answered = (spawn: Spawn, c: Conversation): boolean => {
    const words = lastWords(c);
    return words !== '' && (results.get(spawn.toolCall)?.includes(words) ?? false);
  };
  const rounds: ((spawn: Spawn, c: Conversation) => boolean)[] = [
    (spawn, c) => follows(spawn, c) && answered(spawn, c),
    answered,
    follows,
  ];
  for (const fits of rounds)
    for (const c of conversations) {
      if (links.has(c)) continue;
      const spawn = candidates(c).find((s) => !taken.has(s) && !under(s.conversation, c) && fits(s, c));
      if (spawn === undefined) continue;
      links.set(c, spawn);
      taken.add(spawn);
    }
  return links;
};
