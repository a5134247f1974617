import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const editExisting: NamedRule = namedRule({
  name: 'edit_existing',
  description: 'A file that exists is edited, not written anew.',
  params: z.strictObject({ paths: texts('glob of files it is about').optional() }),
  example: { use: 'edit_existing' },
  expand: ({ paths }) => ({
    never: {
      action: 'write',
      existed: true,
      ok: { not: false },
      ...(paths === undefined ? {} : { rel: paths }),
      in: 'all',
    },
  }),
});
