import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const todoAfterReminder: NamedRule = namedRule({
  name: 'todo_after_reminder',
  description: 'A system reminder about the todo list is followed by a use of it.',
  params: z.strictObject({
    within: z.int().min(1).optional().describe('turns it may take; default any'),
  }),
  example: { use: 'todo_after_reminder', within: 3 },
  expand: ({ within }) => ({
    every: { given: 'system_reminder', text: { regex: 'todo', flags: 'i' } },
    must: { followed_by: { todo: 'any' }, ...(within === undefined ? {} : { within }) },
  }),
});
