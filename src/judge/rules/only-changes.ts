import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const onlyChanges: NamedRule = namedRule({
  name: 'only_changes',
  description: 'Nothing changes outside some paths.',
  params: z.strictObject({ paths: texts('glob of paths that may change') }),
  example: { use: 'only_changes', paths: ['src/**', 'test/**'] },
  expand: ({ paths }) => ({ never: { change: { not: paths } } }),
});
