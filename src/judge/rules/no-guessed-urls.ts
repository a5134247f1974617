import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const noGuessedUrls: NamedRule = namedRule({
  name: 'no_guessed_urls',
  description: 'Addresses that are fetched were in a query, in what was given, or in a result before.',
  params: z.strictObject({}),
  example: { use: 'no_guessed_urls' },
  expand: () => ({ every: { action: 'fetch', in: 'all' }, must: { url: { seen_in: ['query', 'given', 'output'] } } }),
});
