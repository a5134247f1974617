import { z } from 'zod';
import { type NamedRule, namedRule } from './rule.ts';

const CLAIM =
  '(all |the |unit )?tests? (now )?(all )?(pass|passed|succeed|are green)|测试(均|都|全部)?(已)?通过|通过了(所有|全部)?测试';

export const claimsTested: NamedRule = namedRule({
  name: 'claims_tested',
  description: 'Where the agent says that tests pass, a test was run before.',
  params: z.strictObject({}),
  example: { use: 'claims_tested' },
  expand: () => ({
    every: { say: { regex: CLAIM, flags: 'i' } },
    must: { preceded_by: { command: 'any', does: 'test', in: 'all' } },
  }),
});
