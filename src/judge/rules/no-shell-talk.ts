import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const noShellTalk: NamedRule = namedRule({
  name: 'no_shell_talk',
  description: 'The agent does not speak to the user through echo or printf.',
  params: z.strictObject({}),
  example: { use: 'no_shell_talk' },
  expand: () => ({ never: { command: 'any', does: 'talk', in: 'all' } }),
});
