import type { RuleSource } from '../checklist/schema.ts';
import { BenchError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import { fieldName } from '../core/yaml.ts';
import type { Dataset } from '../dataset/schema.ts';
import { parseRule } from '../judge/parse.ts';

const problemsOf = (source: RuleSource, field: string): Problem[] => {
  const parsed = parseRule(source.json);
  if ('rule' in parsed) return [];
  return parsed.problems.map(
    (p): Problem => ({
      kind: 'bad_rule',
      severity: 'error',
      message: p.message,
      field: [field, fieldName(p.path)].filter((x) => x !== '').join('.'),
      ...(source.at === null ? {} : { file: source.at.file, line: source.at.line }),
    }),
  );
};

/** Every `verify` and `when` of a dataset that is no rule, with its file and line. */
export const ruleProblems = (dataset: Dataset): Problem[] =>
  dataset.instances.flatMap((instance) =>
    instance.checklist.categories.flatMap((category) =>
      category.checks.flatMap((check) =>
        (['verify', 'when'] as const).flatMap((name) => {
          const source = check[name];
          return source === undefined ? [] : problemsOf(source, `${instance.id}.${check.id}.${name}`);
        }),
      ),
    ),
  );

/** @throws BenchError('input') when a rule of the dataset is none */
export const assertRules = (dataset: Dataset): void => {
  const problems = ruleProblems(dataset);
  if (problems.length > 0)
    throw new BenchError('input', 'dataset', `${dataset.source} has rules that are none`, { problems });
};
