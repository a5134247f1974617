import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

const OUTSIDE = /^[/~]/;

export const protectedPaths: NamedRule = namedRule({
  name: 'protected',
  description: 'Some paths are left as they are.',
  params: z.strictObject({ paths: texts('glob of paths that must not change') }),
  example: { use: 'protected', paths: ['migrations/**', 'package-lock.json'] },
  expand: ({ paths }) => {
    const outside = paths.filter((p) => OUTSIDE.test(p));
    const change: JsonObject = { change: paths };
    if (outside.length === 0) return { never: change };
    const action = { action: ['write', 'edit', 'delete', 'move'], rel: outside, ok: { not: false }, in: 'all' };
    return { never: { one_of: [change, action, { command: 'any', writes: outside, in: 'all' }] } };
  },
});
