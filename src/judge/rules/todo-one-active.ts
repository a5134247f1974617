import { z } from 'zod';
import { flag } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const todoOneActive: NamedRule = namedRule({
  name: 'todo_one_active',
  description: 'At most one todo item is in progress; with `exactly`, one as long as any is open.',
  params: z.strictObject({ exactly: flag('one must be in progress as long as any is open') }),
  example: { use: 'todo_one_active', exactly: true },
  expand: ({ exactly }) =>
    exactly === true
      ? { every: { todo: 'any', open: '>0' }, must: { active: 1 } }
      : { every: { todo: 'any' }, must: { active: '<=1' } },
});
