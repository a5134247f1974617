import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const skillUsed: NamedRule = namedRule({
  name: 'skill_used',
  description: 'A skill is called by its exact name.',
  params: z.strictObject({ name: texts('name of the skill; default any').optional() }),
  example: { use: 'skill_used', name: 'internal-tools' },
  expand: ({ name }) => ({
    some: { action: 'skill', ...(name === undefined ? {} : { name }), ok: { not: false } },
  }),
});
