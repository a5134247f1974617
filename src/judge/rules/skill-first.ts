import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const skillFirst: NamedRule = namedRule({
  name: 'skill_first',
  description: 'The first thing the agent does is to call a skill.',
  params: z.strictObject({ name: texts('name of the skill; default any').optional() }),
  example: { use: 'skill_first', name: 'internal-tools' },
  expand: ({ name }) => ({
    first: { action: 'any' },
    must: { kind: 'skill', ...(name === undefined ? {} : { name }) },
  }),
});
