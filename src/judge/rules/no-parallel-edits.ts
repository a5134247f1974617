import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

export const noParallelEdits: NamedRule = namedRule({
  name: 'no_parallel_edits',
  description: 'No message edits or writes one file by two calls.',
  params: z.strictObject({}),
  example: { use: 'no_parallel_edits' },
  expand: () => {
    const edits = { action: ['edit', 'write'] };
    const together = { ...edits, parallel: '>1', in: 'all' };
    return {
      or: [{ never: together }, { every: together, must: { not: { alongside: edits, same: ['rel'] } } }],
    };
  },
});
