import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import type { Block } from '../wire/schema.ts';

/** A message as it stands in requests, known by what it says: equal content is one object. */
export interface Content {
  /** Tool results come from the user, as some protocols have it. */
  role: 'user' | 'assistant';
  blocks: Block[];
  /** Equal for messages that mean the same to the conversation, whatever form a client sends them in. */
  key: string;
  /** Digest of all of it: tells a rewritten message from the one seen first. */
  exact: string;
  lossy?: true;
}

// Text that scaffolds put into messages and drop or renew later; it does not tell conversations apart.
const OUT_OF_BAND = /<(system[-_]reminder|environment_details)>[\s\S]*?<\/\1>/g;
// Reasoning that a client sends back inside the text.
const THINKING_TAGS = /<(think|thinking)>[\s\S]*?<\/\1>/g;

/** Text without reminders and environment blocks, trimmed (a resumed session may send results again with their outer white space). */
export const withoutReminders = (text: string): string =>
  (text.includes('<') ? text.replace(OUT_OF_BAND, '') : text).trim();

/** Text reduced to what no client changes when it sends a reply back: no reasoning tags, no white space. */
export const looseText = (text: string): string =>
  (text.includes('<think') ? text.replace(THINKING_TAGS, '') : text).replace(/\s+/g, '');

const partKey = (block: Block, strict: boolean): string | null => {
  switch (block.type) {
    case 'thinking':
    case 'redacted_thinking':
      return null;
    case 'text': {
      const text = strict ? block.text.trim() : withoutReminders(block.text);
      return text === '' ? null : `T${text.length}:${text}`;
    }
    case 'tool_call':
      return `C${block.id}|${block.name}|${block.rawInput ?? canonicalJson(block.input)}`;
    case 'tool_result': {
      const inner = block.blocks.map((b) => partKey(b, strict)).filter((p) => p !== null);
      return `R${block.id}|${block.isError === true ? 'error' : ''}|${inner.join('')}`;
    }
    default:
      return canonicalJson(block);
  }
};

const assistantKey = (blocks: readonly Block[]): string => {
  const text = blocks.map((b) => (b.type === 'text' ? b.text : '')).join('');
  const rest = blocks.filter((b) => b.type !== 'text').map((b) => partKey(b, false));
  return `${looseText(text)}\n${rest.filter((p) => p !== null).join('\n')}`;
};

const otherKey = (blocks: readonly Block[]): string => {
  const parts = (strict: boolean): string[] => blocks.map((b) => partKey(b, strict)).filter((p) => p !== null);
  const loose = parts(false);
  return (loose.length > 0 ? loose : parts(true)).join('\n');
};

/**
 * The content of a message. `cache_control`, signatures and reasoning are not compared, a string equals one text block, outer
 * white space and empty text do not count; arguments of tools are compared as the values they are.
 */
export const contentOf = (role: Content['role'], blocks: Block[], lossy = false): Content => ({
  role,
  blocks,
  key: sha256(`${role}\n${role === 'assistant' ? assistantKey(blocks) : otherKey(blocks)}`).slice(0, 32),
  exact: sha256(canonicalJson(blocks)).slice(0, 32),
  ...(lossy && { lossy: true as const }),
});

/** All text blocks of a message joined by newlines, without reminders. */
export const spokenText = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((b) => (b.type === 'text' ? [withoutReminders(b.text).trim()] : []))
    .filter((t) => t !== '')
    .join('\n');

/** Nothing a user or a client would see: no text, no calls. */
export const isSilent = (blocks: readonly Block[]): boolean =>
  blocks.every(
    (b) => b.type === 'thinking' || b.type === 'redacted_thinking' || (b.type === 'text' && b.text.trim() === ''),
  );

/** Splits a user message where tool results and other blocks meet; both keep their place. */
export const splitUser = (blocks: readonly Block[]): { role: 'user' | 'tool'; blocks: Block[] }[] => {
  const runs: { role: 'user' | 'tool'; blocks: Block[] }[] = [];
  for (const block of blocks) {
    const role = block.type === 'tool_result' ? 'tool' : 'user';
    const last = runs.at(-1);
    if (last?.role === role) last.blocks.push(block);
    else runs.push({ role, blocks: [block] });
  }
  return runs.length > 0 ? runs : [{ role: 'user', blocks: [] }];
};

export const holdsResults = (blocks: readonly Block[]): boolean => blocks.some((b) => b.type === 'tool_result');
