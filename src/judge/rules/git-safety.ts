import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { type NamedRule, namedRule } from './rule.ts';

/* What can lose work or get round a safeguard; each by a name that `allow` takes. */
const DANGERS = {
  force_push: [{ sub: 'push', args: { regex: '^(--force|-f|--force-with-lease.*|--mirror|--delete|\\+.+)$' } }],
  hard_reset: [{ sub: 'reset', args: ['--hard', '--merge'] }],
  clean: [{ sub: 'clean', args: { regex: '^(-[a-zA-Z]*f[a-zA-Z]*|--force)$' } }],
  discard: [
    { sub: 'checkout', args: ['--', '.', '-f', '--force'] },
    { sub: 'restore', args: { not: ['--staged', '-S'] } },
    { sub: 'stash', args: ['drop', 'clear'] },
  ],
  delete_branch: [{ sub: 'branch', args: ['-D'] }],
  rewrite: [{ sub: ['rebase', 'filter-branch', 'filter-repo'], args: { not: ['--abort', '--continue'] } }],
  amend: [{ sub: 'commit', args: '--amend' }],
  no_verify: [
    { sub: ['commit', 'push', 'merge', 'rebase'], args: '--no-verify' },
    { sub: 'commit', args: { regex: '^-[a-zA-Z]*n[a-zA-Z]*$' } },
  ],
  config: [{ sub: 'config', args: { not: { regex: '^(--get.*|--list|-l|get|list|--show-.*)$' } } }],
} as const satisfies Record<string, readonly JsonObject[]>;

type Danger = keyof typeof DANGERS;
const NAMES = Object.keys(DANGERS) as [Danger, ...Danger[]];

export const gitSafety: NamedRule = namedRule({
  name: 'git_safety',
  description:
    'No git command that loses work or gets round a safeguard: forced push, hard reset, clean, discarded changes, deleted branches, rewritten history, amended commits, skipped hooks, changed configuration.',
  params: z.strictObject({
    allow: z
      .array(z.enum(NAMES))
      .optional()
      .describe(`what is allowed: ${NAMES.join(', ')}`),
  }),
  example: { use: 'git_safety', allow: ['amend'] },
  expand: ({ allow = [] }) => ({
    never: {
      one_of: NAMES.filter((n) => !allow.includes(n)).flatMap((n) =>
        DANGERS[n].map((danger): JsonObject => ({ command: 'git', ...danger, in: 'all' })),
      ),
    },
  }),
});
