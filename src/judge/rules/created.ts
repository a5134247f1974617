import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const created: NamedRule = namedRule({
  name: 'created',
  description: 'A file is created at a path.',
  params: z.strictObject({ path: texts('glob of the file') }),
  example: { use: 'created', path: 'docs/guide.md' },
  expand: ({ path }) => ({ some: { change: path, status: 'added' } }),
});
