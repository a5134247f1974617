import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const oneCallAMessage: NamedRule = namedRule({
  name: 'one_call_a_message',
  description: 'No message calls more than one tool.',
  params: z.strictObject({}),
  example: { use: 'one_call_a_message' },
  expand: () => ({ never: { turn: 'any', calls: '>1', in: 'all' } }),
});
