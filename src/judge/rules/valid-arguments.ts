import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const validArguments: NamedRule = namedRule({
  name: 'valid_arguments',
  description: 'The arguments of every tool call fit the JSON Schema that was offered.',
  params: z.strictObject({ tool: texts('name of a tool it is about; default all').optional() }),
  example: { use: 'valid_arguments', tool: 'Read' },
  expand: ({ tool = 'any' }) => ({ every: { call: tool, in: 'all' }, must: { valid: true } }),
});
