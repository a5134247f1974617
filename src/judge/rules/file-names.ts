import { z } from 'zod';
import { regex, texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const fileNames: NamedRule = namedRule({
  name: 'file_names',
  description: 'The path of every new file matches a pattern.',
  params: z.strictObject({
    regex: regex('pattern of the path from the workspace, RE2 syntax'),
    paths: texts('glob of files it is about').optional(),
  }),
  example: { use: 'file_names', paths: 'src/**', regex: '/[a-z0-9-]+\\.ts$' },
  expand: (params) => ({
    every: { change: params.paths ?? 'any', status: 'added' },
    must: { rel: { regex: params.regex } },
  }),
});
