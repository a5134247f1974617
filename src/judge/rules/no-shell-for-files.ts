import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

const DOES = ['read', 'search', 'list', 'edit'];

export const noShellForFiles: NamedRule = namedRule({
  name: 'no_shell_for_files',
  description: 'The shell is not used to read, search, list, edit or write files, for which there are tools.',
  notes: 'A command that reads from a pipe (`npm test | tail`) is no reading of a file.',
  params: z
    .strictObject({
      allow: texts(
        'what is allowed: read, search, list, edit, write (a redirection to a file), or names of commands',
      ).optional(),
    })
    .refine(({ allow }) => ![...DOES, 'write'].every((d) => allow?.includes(d)), {
      error: 'allows everything: nothing is left to check',
    }),
  example: { use: 'no_shell_for_files', allow: ['list'] },
  expand: ({ allow = [] }) => {
    const does = DOES.filter((d) => !allow.includes(d));
    const names = allow.filter((a) => !DOES.includes(a) && a !== 'write');
    const name = names.length === 0 ? {} : { name: { not: names } };
    const events: JsonObject[] = [];
    if (does.length > 0) events.push({ command: 'any', ...name, does, stdin: { not: 'pipe' }, in: 'all' });
    if (!allow.includes('write')) {
      events.push({ command: 'any', ...name, stdout: 'file', writes: { not: '/dev/*' }, in: 'all' });
    }
    return { never: { one_of: events } };
  },
});
