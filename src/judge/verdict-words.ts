import type { LooseJson } from './loose-json.ts';
import type { VerdictValue } from './schema.ts';

const WORDS: readonly [VerdictValue, readonly string[]][] = [
  ['success', ['success', 'successful', 'succeeded', 'pass', 'passed', 'passes', 'true', 'yes', 'y', '1', 'ok']],
  ['success', ['satisfied', 'compliant', 'followed', 'met']],
  ['fail', ['fail', 'failed', 'fails', 'failure', 'false', 'no', '0', 'violated', 'violation', 'not met']],
  ['fail', ['unsatisfied', 'not satisfied', 'non compliant', 'noncompliant', 'not followed', 'unsuccessful']],
  ['not_applicable', ['n/a', 'na', 'n.a.', 'n.a', 'not applicable', 'notapplicable', 'inapplicable']],
  ['not_applicable', ['not triggered', 'does not apply']],
];
const MEANING: ReadonlyMap<string, VerdictValue> = new Map(
  WORDS.flatMap(([value, words]) => words.map((word) => [word, value] as const)),
);

/**
 * What a judge's word means, as a whole word and never by a search in it ("not pass" is no pass); null when it means no
 * verdict. Booleans, 1 and 0, and the usual spellings count.
 */
export const verdictOfWord = (value: LooseJson): VerdictValue | null => {
  if (typeof value !== 'string' && typeof value !== 'boolean' && typeof value !== 'number') return null;
  const word = String(value)
    .trim()
    .toLowerCase()
    .replace(/^[*_`'"✓✗✅❌\s]+|[*_`'"!\s]+$/gu, '')
    .replace(/[\s_-]+/g, ' ');
  return MEANING.get(word) ?? MEANING.get(word.replace(/\.$/, '')) ?? null;
};
