import { z } from 'zod';
import { flag } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const noQuestions: NamedRule = namedRule({
  name: 'no_questions',
  description: 'The user is not asked anything, neither by the question tool nor at the end of a text.',
  params: z.strictObject({ tool_only: flag('only the question tool counts') }),
  example: { use: 'no_questions' },
  expand: ({ tool_only }) => {
    const ask = { action: 'ask', in: 'all' };
    return { never: tool_only === true ? ask : { one_of: [ask, { say: { closes: 'question' }, final: true }] } };
  },
});
