import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const replyLanguage: NamedRule = namedRule({
  name: 'reply_language',
  description: 'Nine of ten texts to the user are in a language, or in that of the query.',
  notes: 'Code, paths, names and quotations do not count; texts under five words (eight Han signs) are passed over.',
  params: z.strictObject({
    is: z
      .union([z.strictObject({ same_as: z.literal('query') }), texts('language code such as zh or en')], {
        error: 'takes a language code such as zh, a list of them, or {same_as: query}',
      })
      .describe('language code, or {same_as: query}'),
  }),
  example: { use: 'reply_language', is: { same_as: 'query' } },
  expand: ({ is }) => ({ every: { say: 'any' }, must: { text: { language: is } }, share: '>=0.9' }),
});
