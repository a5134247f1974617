import { z } from 'zod';
import { regex } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const commitMessage: NamedRule = namedRule({
  name: 'commit_message',
  description: 'The title of every commit matches a pattern.',
  notes: 'A message typed in an editor cannot be seen.',
  params: z.strictObject({ regex: regex('pattern of the title, RE2 syntax') }),
  example: { use: 'commit_message', regex: '^(feat|fix)(\\([a-z-]+\\))?: .{1,60}$' },
  expand: (params) => ({
    every: { command: 'git', sub: 'commit', ok: { not: false } },
    must: { commit_title: { regex: params.regex } },
  }),
});
