import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const noEmoji: NamedRule = namedRule({
  name: 'no_emoji',
  description: 'No emoji in what the user sees and, with `files`, in what is written to files.',
  notes: 'Digits, arrows, ✓ (U+2713) and © are none. What is only read does not count.',
  params: z.strictObject({
    files: z
      .union([z.boolean(), texts('glob of files it is about')])
      .optional()
      .describe('true: in all files too; or globs'),
    except: texts('emoji that is allowed').optional(),
  }),
  example: { use: 'no_emoji', files: true, except: ['⚠️'] },
  expand: ({ files = false, except }) => {
    const emoji = { emoji: true, ...(except === undefined ? {} : { except }) };
    const rel = Array.isArray(files) ? { rel: files } : {};
    const events: JsonObject[] = [{ say: emoji, in: 'all' }];
    if (files !== false) {
      events.push({ action: 'write', ...rel, content: emoji, in: 'all' });
      events.push({ action: ['edit', 'write'], ...rel, added: emoji, in: 'all' });
    }
    return { never: { one_of: events } };
  },
});
