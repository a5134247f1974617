import { inRange, parseRange } from '../range.ts';
import { charCount, lineCount, paragraphCount, rowCount, sentenceCount, wordCount } from '../texts/sizes.ts';
import { truthOf } from '../truth.ts';
import type { TextTest } from './test.ts';

const size = (name: string, description: string, count: (text: string) => number): TextTest => ({
  name,
  description,
  on: 'text',
  options: [],
  schema: { $ref: '#/$defs/range' },
  bind(argument) {
    const range = parseRange(argument);
    if (range === null) return 'takes a range: 3, ">0", "<=50", "1..4"';
    return { holds: (value) => truthOf(inRange(count(value), range)) };
  },
});

export const sizes: readonly TextTest[] = [
  size('words', 'number of words of the prose; each Han sign is one', wordCount),
  size('chars', 'number of characters', charCount),
  size('sentences', 'number of sentences of the prose', sentenceCount),
  size('lines', 'number of lines that hold something', lineCount),
  size('paragraphs', 'number of paragraphs of the prose', paragraphCount),
  size('rows', 'number of table rows without the head; of a text without a table its lines', rowCount),
];
