import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const noColonBeforeCall: NamedRule = namedRule({
  name: 'no_colon_before_call',
  description: 'A text in front of a tool call does not end with a colon.',
  params: z.strictObject({}),
  example: { use: 'no_colon_before_call' },
  expand: () => ({ never: { say: { closes: 'colon' }, via: 'text', calls: '>0', in: 'all' } }),
});
