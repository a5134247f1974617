import { z } from 'zod';
import { SOURCE_LABELS } from '../verifiers/source.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const noLeak: NamedRule = namedRule({
  name: 'no_leak',
  description: 'What the user sees neither names nor repeats system reminders and environment details.',
  params: z.strictObject({
    of: z
      .array(z.enum(SOURCE_LABELS))
      .min(1)
      .optional()
      .describe('labels of what is not to be seen; default system_reminder and environment'),
  }),
  example: { use: 'no_leak' },
  expand: ({ of = ['system_reminder', 'environment'] }) => ({ never: { say: { leaks: of }, in: 'all' } }),
});
