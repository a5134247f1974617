import { isObject } from '../core/json.ts';
import { ACTION_KINDS } from '../scaffolds/dialect.ts';

/* Words of the rule language under the keys that take them: they say what kind of event is meant, not what an agent has to write. */
const GRAMMAR_KEYS: ReadonlySet<string> = new Set([
  'action',
  'call',
  'change',
  'command',
  'does',
  'given',
  'in',
  'of',
  'phase',
  'query',
  'same',
  'say',
  'stdin',
  'stdout',
  'think',
  'todo',
  'turn',
  'use',
]);
const GRAMMAR_WORDS: ReadonlySet<string> = new Set([
  ...ACTION_KINDS,
  ...['any', 'all', 'main', 'subagents', 'file', 'pipe', 'terminal', 'heredoc', 'none', 'first', 'last', 'rel', 'path'],
  ...['list', 'talk', 'probe', 'test', 'lint', 'build', 'typecheck', 'format', 'install', 'commit', 'push', 'network'],
]);

/** The stretches of plain text in a pattern: `^(feat|fix)\b` holds `feat` and `fix`. */
const plainParts = (text: string): string[] =>
  text
    .replace(/\\[bBdDsSwWnrt]/g, ' ')
    .split(/[\\^$.*+?()[\]{}|<>=!~:,;"'`\s]+/)
    .filter((part) => part !== '');

/**
 * What a rule's author wrote that an agent could copy: texts, names, paths, numbers, and the plain parts of patterns. Words of the
 * rule language itself are left out.
 */
export const ruleLiterals = (rule: unknown): Set<string> => {
  const found = new Set<string>();
  const walk = (value: unknown, key: string): void => {
    if (Array.isArray(value)) for (const v of value) walk(v, key);
    else if (isObject(value)) for (const [k, v] of Object.entries(value)) walk(v, k);
    else if (typeof value === 'number') found.add(String(value));
    else if (typeof value === 'string' && !(GRAMMAR_KEYS.has(key) && GRAMMAR_WORDS.has(value))) {
      if (key === 'use') return;
      found.add(value);
      for (const part of plainParts(value)) found.add(part);
    }
  };
  walk(rule, '');
  found.delete('');
  return found;
};

const isWordy = (c: string | undefined): boolean => c !== undefined && /[\p{L}\p{N}_]/u.test(c);

/** Does a text hold a literal, as a word of its own where the literal is one (`en` is no part of `then`)? Case is folded. */
export const holdsLiteral = (text: string, literal: string): boolean => {
  const [folded, wanted] = [text.toLowerCase(), literal.toLowerCase()];
  for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
    const before = isWordy(folded[at - 1]) && isWordy(wanted[0]);
    const after = isWordy(folded[at + wanted.length]) && isWordy(wanted.at(-1));
    if (!before && !after) return true;
  }
  return false;
};
