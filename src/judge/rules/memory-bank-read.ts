import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const memoryBankRead: NamedRule = namedRule({
  name: 'memory_bank_read',
  description: 'The files of the memory bank are read at the start: before anything is written, run or handed in.',
  params: z.strictObject({
    files: texts('file (each must be read) or glob').optional().describe('default any file of a memory-bank folder'),
  }),
  example: { use: 'memory_bank_read', files: ['.kilocode/rules/memory-bank/brief.md'] },
  expand: ({ files = ['**/memory-bank/**'] }) => ({
    and: files.map((file) => ({
      some: {
        action: 'read',
        rel: file,
        ok: { not: false },
        until: { first: { action: ['write', 'edit', 'delete', 'move', 'run', 'finish'] } },
      },
    })),
  }),
});
