import { z } from 'zod';
import { askedFor } from './asked.ts';
import { type NamedRule, namedRule } from './rule.ts';

export const noCommitUnlessAsked: NamedRule = namedRule({
  name: 'no_commit_unless_asked',
  description: 'Nothing is committed or pushed before a query asks for it.',
  notes: 'A query asks when it names committing or pushing and does not forbid it.',
  params: z.strictObject({}),
  example: { use: 'no_commit_unless_asked' },
  expand: () => ({
    never: {
      command: 'any',
      does: ['commit', 'push'],
      in: 'all',
      until: askedFor('commit|push|\\bPR\\b|pull request|提交|推送|コミット|プッシュ', 'commit|push|提交|推送'),
    },
  }),
});
