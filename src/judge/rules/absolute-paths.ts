import { z } from 'zod';
import { ACTION_KINDS } from '../../scaffolds/dialect.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const absolutePaths: NamedRule = namedRule({
  name: 'absolute_paths',
  description: 'Paths in tool calls are absolute (or, with `absolute: false`, relative).',
  params: z.strictObject({
    kinds: z
      .array(z.enum(ACTION_KINDS))
      .min(1)
      .optional()
      .describe('kinds of action it is about; default read, write, edit'),
    absolute: z.boolean().optional().describe('false: paths must be relative'),
  }),
  example: { use: 'absolute_paths', kinds: ['read'] },
  expand: ({ kinds = ['read', 'write', 'edit'], absolute = true }) => ({
    every: { action: kinds, path: 'any', in: 'all' },
    must: { path: { absolute } },
  }),
});
