import { z } from 'zod';
import { COMMAND_DOES } from '../verifiers/command.ts';
import { flag, texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const ran: NamedRule = namedRule({
  name: 'ran',
  description: 'A command is run: by what it does or by name, with success if asked, after the last edit if asked.',
  notes: 'A command in a pipe, in the background or before `;` does not tell whether it passed.',
  params: z
    .strictObject({
      does: z
        .union([z.enum(COMMAND_DOES), z.array(z.enum(COMMAND_DOES)).min(1)])
        .optional()
        .describe('what it does: test, lint, build, typecheck, format, install, …'),
      name: texts('name of the command').optional(),
      sub: texts('its subcommand or npm script').optional(),
      passed: flag('it must succeed'),
      after_last_edit: flag('it must come after the last edit'),
    })
    .refine((p) => p.does !== undefined || p.name !== undefined, { error: 'needs "does" or "name"' }),
  example: { use: 'ran', does: 'test', passed: true, after_last_edit: true },
  expand: ({ does, name, sub, passed, after_last_edit }) => ({
    some: {
      command: name ?? 'any',
      ...(does === undefined ? {} : { does }),
      ...(sub === undefined ? {} : { sub }),
      ...(passed === true ? { ok: true } : {}),
      ...(after_last_edit === true
        ? { since: { last: { action: ['edit', 'write', 'delete', 'move'], ok: { not: false } } } }
        : {}),
    },
  }),
});
