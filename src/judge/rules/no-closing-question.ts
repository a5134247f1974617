import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const noClosingQuestion: NamedRule = namedRule({
  name: 'no_closing_question',
  description: 'The last text of a query does not end with a question.',
  params: z.strictObject({}),
  example: { use: 'no_closing_question' },
  expand: () => ({ never: { say: { closes: 'question' }, final: true, via: { not: 'ask' }, in: 'all' } }),
});
