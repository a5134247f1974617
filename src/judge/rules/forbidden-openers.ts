import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const forbiddenOpeners: NamedRule = namedRule({
  name: 'forbidden_openers',
  description: 'No text to the user begins with one of some words.',
  params: z.strictObject({
    words: texts('word or phrase').optional().describe('default Great, Certainly, Okay, Sure'),
  }),
  example: { use: 'forbidden_openers', words: ['Great', 'Certainly'] },
  expand: ({ words = ['Great', 'Certainly', 'Okay', 'Sure'] }) => ({ never: { say: { opens: words }, in: 'all' } }),
});
