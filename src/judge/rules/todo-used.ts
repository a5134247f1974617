import { z } from 'zod';
import { range } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const todoUsed: NamedRule = namedRule({
  name: 'todo_used',
  description: 'The todo tool is used.',
  params: z.strictObject({ times: range('how often; default at least once').optional() }),
  example: { use: 'todo_used', times: '>=2' },
  expand: ({ times }) => (times === undefined ? { some: { todo: 'any' } } : { count: { todo: 'any' }, is: times }),
});
