import { z } from 'zod';
import { askedFor } from './asked.ts';
import { texts } from './params.ts';
import { type NamedRule, namedRule } from './rule.ts';

const DOCS = ['**/*.md', '**/*.mdx', '**/*.rst', '**/*.adoc', '**/README*', '**/docs/**'];
const ASKED =
  'readme|docs?\\b|documentation|document\\b|changelog|guide|tutorial|\\.mdx?\\b|markdown|文档|说明|手册|教程|指南|報告|报告|ドキュメント';

export const noNewDocs: NamedRule = namedRule({
  name: 'no_new_docs',
  description: 'No documentation file is created before a query asks for one.',
  params: z.strictObject({ allow: texts('glob of files that may be created').optional() }),
  example: { use: 'no_new_docs' },
  expand: ({ allow }) => ({
    never: {
      change: DOCS,
      status: 'added',
      ...(allow === undefined ? {} : { rel: { not: allow } }),
      until: askedFor(ASKED, 'readme|docs?\\b|documentation|\\.mdx?\\b|文档'),
    },
  }),
});
