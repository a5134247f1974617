import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const remembered: NamedRule = namedRule({
  name: 'remembered',
  description: 'Something is written down in a file, such as a memory file.',
  params: z.strictObject({ path: texts('glob of the file'), has: texts('what must be written').optional() }),
  example: { use: 'remembered', path: 'CLAUDE.md', has: 'pnpm' },
  expand: ({ path, has }) => {
    const text = has === undefined ? 'any' : { has };
    return {
      some: {
        one_of: [
          { action: 'write', rel: path, content: text, ok: { not: false } },
          { action: 'edit', rel: path, added: text, ok: { not: false } },
        ],
      },
    };
  },
});
