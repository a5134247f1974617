import { z } from 'zod';
import { range, regex, texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const finalText: NamedRule = namedRule({
  name: 'final_text',
  description: 'The last text to the user is exactly this, or so long.',
  params: z
    .strictObject({
      equals: texts('the whole text').optional(),
      has: texts('what it contains').optional(),
      regex: regex('pattern it matches, RE2 syntax').optional(),
      sentences: range('number of sentences').optional(),
      words: range('number of words').optional(),
      lines: range('number of lines').optional(),
      rows: range('number of table rows').optional(),
      chars: range('number of characters').optional(),
    })
    .refine((p) => Object.keys(p).length > 0, {
      error: 'needs equals, has, regex, sentences, words, lines, rows or chars',
    }),
  example: { use: 'final_text', sentences: '<=3' },
  expand: (tests) => ({ last: { say: 'any' }, must: { text: tests } }),
});
