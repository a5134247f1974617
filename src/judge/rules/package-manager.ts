import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

const FAMILIES = [
  ['npm', 'yarn', 'pnpm', 'bun'],
  ['pip', 'pip3', 'poetry', 'uv', 'pipenv', 'conda', 'mamba', 'pdm'],
] as const;
const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['npx', 'npm exec'],
  yarn: ['yarn dlx', 'yarn exec', 'yarn'],
  pnpm: ['pnpm exec', 'pnpm dlx', 'pnpm', 'pnpx'],
  bun: ['bunx', 'bun x', 'bun'],
  uv: ['uv run', 'uvx', 'uv'],
  poetry: ['poetry run', 'poetry'],
};

export const packageManager: NamedRule = namedRule({
  name: 'package_manager',
  description: 'Of the package managers of a language only one is used.',
  params: z.strictObject({ is: z.enum(FAMILIES.flat() as [string, ...string[]]).describe('the one to use') }),
  example: { use: 'package_manager', is: 'pnpm' },
  expand: ({ is }) => {
    const family: readonly string[] = FAMILIES.find((f) => f.some((name) => name === is)) ?? [is];
    const own = is === 'pip' ? ['pip', 'pip3'] : [is];
    const others = family.filter((name) => !own.includes(name)).flatMap((name) => RUNNERS[name] ?? []);
    const used = {
      one_of: [
        { command: family, in: 'all' },
        { command: 'any', via: [...family.flatMap((n) => RUNNERS[n] ?? [])], in: 'all' },
      ],
    };
    return {
      every: used,
      must: { or: [{ name: own }, { and: [{ name: { not: family } }, { not: { via: others } }] }] },
    };
  },
});
