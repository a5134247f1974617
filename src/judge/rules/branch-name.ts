import { z } from 'zod';
import { regex } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const branchName: NamedRule = namedRule({
  name: 'branch_name',
  description: 'The name of every new branch matches a pattern.',
  params: z.strictObject({ regex: regex('pattern of the name, RE2 syntax') }),
  example: { use: 'branch_name', regex: '^(feature|fix)/[a-z0-9-]+$' },
  expand: (params) => ({
    every: {
      one_of: [
        { command: 'git', sub: 'checkout', args: ['-b', '-B'], ok: { not: false } },
        { command: 'git', sub: 'switch', args: ['-c', '-C', '--create'], ok: { not: false } },
      ],
    },
    must: { args: { regex: params.regex } },
  }),
});
