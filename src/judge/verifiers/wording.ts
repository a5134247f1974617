import { regexPattern } from '../pattern.ts';
import { fold, undressBack, undressFront } from '../texts/fold.ts';
import { truthOf } from '../truth.ts';
import { strings, type TextTest } from './test.ts';

const ONE_OR_MORE = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] };
const WRONG = 'takes a text or a list of texts';

const wordTest = (
  name: string,
  description: string,
  holds: (text: string, wanted: readonly string[]) => boolean,
): TextTest => ({
  name,
  description,
  on: 'both',
  options: [],
  schema: ONE_OR_MORE,
  bind(argument) {
    const wanted = strings(argument);
    if (wanted === null) return WRONG;
    return { holds: (value) => truthOf(holds(value, wanted)) };
  },
});

export const equals: TextTest = wordTest('equals', 'is exactly one of these, ends trimmed', (text, wanted) =>
  wanted.some((w) => w.trim() === text.trim()),
);

export const has: TextTest = {
  ...wordTest('has', 'contains one of these; white space and case folded', () => false),
  bind(argument) {
    const wanted = strings(argument)?.map(fold);
    if (wanted === undefined) return WRONG;
    return {
      holds: (value) => {
        const text = fold(value);
        return truthOf(wanted.some((w) => text.includes(w)));
      },
      find: (value) => {
        const low = value.toLowerCase();
        const hit = wanted.find((w) => low.includes(w));
        const start = hit === undefined ? -1 : low.indexOf(hit);
        return start < 0 || hit === undefined ? null : { start, end: start + hit.length };
      },
    };
  },
};

/* A word in front must end there: "Great" opens "Great, done" and not "Greatest". */
const opensWith = (text: string, word: string): boolean => {
  if (!text.startsWith(word)) return false;
  const next = text.slice(word.length);
  return !/[\p{L}\p{N}]$/u.test(word) || /^\p{Script=Han}/u.test(next) || !/^[\p{L}\p{N}]/u.test(next);
};

export const opens: TextTest = wordTest(
  'opens',
  'begins with one of these words; markdown and quotes in front ignored',
  (text, wanted) => {
    const front = fold(undressFront(text).slice(0, 400));
    return wanted.some((w) => opensWith(front, fold(w)));
  },
);

const ENDS: Readonly<Record<string, readonly string[]>> = { question: ['?', '？', '؟'], colon: [':', '：'] };

const ending = wordTest(
  'closes',
  '`question`, `colon`, or ends with one of these; markdown and quotes behind ignored',
  (text, wanted) => {
    const bare = undressBack(text);
    const back = fold(bare.slice(-400));
    return wanted.some((w) => ENDS[w]?.some((end) => bare.endsWith(end)) ?? back.endsWith(fold(w)));
  },
);

export const closes: TextTest = {
  ...ending,
  bind(argument, options) {
    const bound = ending.bind(argument, options);
    if (typeof bound === 'string') return bound;
    const end = (value: string): number => undressBack(value).length;
    return { ...bound, find: (value) => ({ start: Math.max(0, end(value) - 100), end: end(value) }) };
  },
};

export const regex: TextTest = {
  name: 'regex',
  description: 'matches a regular expression in RE2 syntax, unanchored; `flags` of i, m, s',
  on: 'both',
  options: ['flags'],
  schema: { type: 'string' },
  bind(argument, { flags }) {
    if (typeof argument !== 'string') return 'takes a regular expression as text';
    if (flags !== undefined && typeof flags !== 'string') return '"flags" takes a text of i, m, s';
    const pattern = regexPattern(argument, flags ?? '');
    if (typeof pattern === 'string') return `is no RE2 expression: ${pattern}`;
    return { holds: (value) => truthOf(pattern.test(value)), find: (value) => pattern.find(value) };
  },
};
