import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const finishLast: NamedRule = namedRule({
  name: 'finish_last',
  description: 'The completion tool is called, and nothing after it within the query.',
  params: z.strictObject({}),
  example: { use: 'finish_last' },
  expand: () => ({
    and: [
      { some: { action: 'finish' } },
      {
        every: { action: 'finish', ok: { not: false } },
        must: { not: { followed_by: { action: { not: 'finish' } }, same: ['query'] } },
      },
    ],
  }),
});
