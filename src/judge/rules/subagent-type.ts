import { z } from 'zod';
import { flag, texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const subagentType: NamedRule = namedRule({
  name: 'subagent_type',
  description: 'Subagents are of some types; with `used`, one of them is started.',
  params: z.strictObject({ name: texts('type of subagent'), used: flag('one must be started') }),
  example: { use: 'subagent_type', name: 'Explore', used: true },
  expand: ({ name, used }) =>
    used === true ? { some: { action: 'subagent', name } } : { every: { action: 'subagent' }, must: { name } },
});
