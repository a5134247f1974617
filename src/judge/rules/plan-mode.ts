import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const planMode: NamedRule = namedRule({
  name: 'plan_mode',
  description: 'While plan mode lasts, only the plan file is written.',
  params: z.strictObject({
    files: texts('glob of plan files').optional().describe('default **/.claude/plans/** and **/plan*.md'),
  }),
  example: { use: 'plan_mode', files: ['docs/plan.md'] },
  expand: ({ files = ['~/.claude/plans/**', '**/.claude/plans/**', '**/[Pp]lan*.md', '**/PLAN*.md'] }) => {
    const span = {
      from: {
        one_of: [
          { action: 'plan', phase: 'enter', ok: { not: false }, in: 'main' },
          { given: 'system_reminder', text: { regex: 'plan mode (is|still) active', flags: 'i' }, in: 'main' },
        ],
      },
      to: { action: 'plan', phase: 'exit', ok: { not: false }, in: 'main' },
    };
    return {
      never: {
        one_of: [
          { action: ['write', 'edit', 'delete', 'move'], rel: { not: files }, in: 'all', while: span },
          {
            command: 'any',
            does: ['write', 'edit', 'delete', 'move', 'install', 'commit', 'push'],
            in: 'all',
            while: span,
          },
        ],
      },
    };
  },
});
