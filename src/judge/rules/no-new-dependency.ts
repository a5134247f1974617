import { z } from 'zod';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

const MANAGERS = [
  'npm',
  'pnpm',
  'yarn',
  'bun',
  'pip',
  'pip3',
  'poetry',
  'uv',
  'pipenv',
  'cargo',
  'go',
  'gem',
  'composer',
];
const SUBS = ['install', 'i', 'add', 'get', 'require'];

const quoted = (name: string): string => name.replace(/[^A-Za-z0-9_@/-]/g, '\\$&');

export const noNewDependency: NamedRule = namedRule({
  name: 'no_new_dependency',
  description: 'No package is added: neither by a package manager nor in a manifest.',
  notes: 'Installing what the manifest already names adds nothing.',
  params: z.strictObject({ allow: texts('name of a package that may be added').optional() }),
  example: { use: 'no_new_dependency', allow: ['zod'] },
  expand: ({ allow = [] }) => {
    const others =
      allow.length === 0 ? {} : { line: { not: { regex: `[ "](${allow.map(quoted).join('|')})([@=~<>" ]|$)` } } };
    const commands = { command: MANAGERS, sub: SUBS, ok: { not: false }, ...others, in: 'all' };
    return {
      never: {
        one_of: [
          { ...commands, args: { regex: '^@?[A-Za-z][\\w-]*(/[\\w.-]+)?([@=~<>!].*)?$' } },
          { change: '**/package.json', added: { regex: '^\\s*"[@a-z][^"]*":\\s*"(\\^|~|>=|workspace:|latest|\\*)' } },
        ],
      },
    };
  },
});
