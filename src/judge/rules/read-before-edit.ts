import { z } from 'zod';
import { flag } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const readBeforeEdit: NamedRule = namedRule({
  name: 'read_before_edit',
  description: 'A file that exists is read, in an earlier turn, before it is edited or overwritten.',
  params: z.strictObject({ own: flag('a file that the agent itself created counts as read') }),
  example: { use: 'read_before_edit' },
  expand: ({ own }) => {
    const read = { action: 'read', ok: true };
    return {
      every: { action: ['edit', 'write'], existed: true },
      must: {
        preceded_by: own === true ? { one_of: [read, { action: 'write', existed: false, ok: true }] } : read,
        same: ['rel'],
      },
    };
  },
});
