import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const readFirst: NamedRule = namedRule({
  name: 'read_first',
  description: 'Some files are read before anything is changed.',
  params: z.strictObject({ files: texts('file (each must be read) or glob') }),
  example: { use: 'read_first', files: ['docs/conventions.md'] },
  expand: ({ files }) => ({
    and: files.map((file) => ({
      some: {
        action: 'read',
        rel: file,
        ok: { not: false },
        until: { first: { action: ['write', 'edit', 'delete', 'move'] } },
      },
    })),
  }),
});
