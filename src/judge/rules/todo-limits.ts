import { z } from 'zod';
import { range } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const todoLimits: NamedRule = namedRule({
  name: 'todo_limits',
  description: 'The todo list has so many items, each so long.',
  params: z
    .strictObject({
      total: range('number of items').optional(),
      chars: range('characters of an item').optional(),
    })
    .refine((p) => p.total !== undefined || p.chars !== undefined, { error: 'needs "total" or "chars"' }),
  example: { use: 'todo_limits', total: '<=10', chars: '<=80' },
  expand: ({ total, chars }) => ({
    every: { todo: 'any' },
    must: {
      ...(total === undefined ? {} : { total }),
      ...(chars === undefined ? {} : { items: { each: { text: { chars } } } }),
    },
  }),
});
