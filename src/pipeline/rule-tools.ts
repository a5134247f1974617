import { BenchError } from '../core/errors.ts';
import { printable } from '../core/text.ts';
import { fieldName, readYaml } from '../core/yaml.ts';
import { parseRule } from '../judge/parse.ts';
import { explainRule, listRules } from '../judge/rule-docs.ts';
import { lintRule } from '../judge/rule-lint.ts';
import { ruleSchema } from '../judge/rule-schema.ts';
import type { Verdict } from '../judge/schema.ts';
import { verify } from '../judge/verify.ts';
import { readRollout } from '../rollout/store.ts';
import { readTrajectory } from '../trajectory/store.ts';
import { changesOf } from './changes.ts';
import { usableDataset } from './datasets.ts';
import { locateRollout } from './show.ts';
import { trajectoryPath } from './store.ts';
import { dialectOf } from './trajectories.ts';

interface Shown {
  text: string;
  json: unknown;
}

/** Every named rule in a line. */
export const rulesList = (): Shown => {
  const rules = listRules();
  const width = Math.max(...rules.map((r) => r.name.length));
  const lines = rules.map((r) => `${r.name.padEnd(width)}  ${r.description}`);
  return { text: lines.join('\n'), json: { version: 1, rules } };
};

/** One named rule: parameters, an example and what it expands to. @throws BenchError('usage') when there is none of that name */
export const ruleExplained = (name: string): Shown => {
  const rule = explainRule(name);
  if (typeof rule === 'string') throw new BenchError('usage', 'rule', rule);
  const params = rule.params.map((p) => `  ${p.name}${p.required ? '' : ' (optional)'}: ${p.description}`);
  const text = [
    `${rule.name}: ${rule.description}`,
    ...(rule.notes === null ? [] : [rule.notes]),
    ...(params.length === 0 ? ['no parameters'] : ['parameters:', ...params]),
    `example:   ${JSON.stringify(rule.example)}`,
    `expansion: ${JSON.stringify(rule.expansion)}`,
  ].join('\n');
  return { text, json: { version: 1, ...rule } };
};

/** JSON Schema of `verify` and `when`, for editors. */
export const rulesSchema = (): unknown => ruleSchema();

const evidenceLine = (e: Verdict['evidence'][number]): string =>
  `  ${e.thread} turn ${e.turn}${e.toolCall === undefined ? '' : ` ${e.toolCall}`}${e.path === undefined ? '' : ` ${e.path}`}${e.quote === undefined ? '' : `: ${e.quote}`}`;

/**
 * Tries a rule, written as flow YAML, on a recorded trajectory.
 * @throws BenchError('usage') when it is no rule, or the rollout is not there
 */
export const ruleTried = async (text: string, rollout: string, experiment: string | undefined): Promise<Shown> => {
  const yaml = readYaml(text, 'rule');
  const [wrong] = yaml.problems;
  if (wrong !== undefined) throw new BenchError('usage', 'rule', `the rule is no YAML: ${wrong.message}`);
  const parsed = parseRule(yaml.value);
  if ('problems' in parsed) {
    const problems = parsed.problems.map((p) => ({
      kind: 'bad_rule',
      severity: 'error' as const,
      field: fieldName(p.path),
      message: p.message,
    }));
    throw new BenchError('usage', 'rule', 'this is no rule (octobench rule list shows the named ones)', { problems });
  }
  const found = await locateRollout(rollout, experiment);
  const trajectory = await readTrajectory(trajectoryPath(found.dir));
  const file = await readRollout(found.dir);
  const dialect = file === null ? null : dialectOf(file);
  const changes = file === null ? null : await changesOf(found.dir, file);
  const check = { id: 'tried', description: '', type: null, verify: { json: yaml.value, at: null } };
  const verdict = verify(trajectory, check, {
    ...(dialect === null ? {} : { dialect }),
    ...(changes === null ? {} : { changes }),
  });
  const lines = [`${verdict.verdict}: ${verdict.reason}`, ...verdict.evidence.map(evidenceLine)];
  return { text: printable(lines.join('\n')), json: { version: 1, ...verdict } };
};

/** Rules of a dataset that are allowed and probably not meant. */
export const rulesLinted = async (source: string, env: NodeJS.ProcessEnv): Promise<Shown & { warnings: number }> => {
  const dataset = await usableDataset(source, { include: [], exclude: [], limit: null }, env);
  const warnings = dataset.instances.flatMap((instance) =>
    instance.checklist.categories.flatMap((category) =>
      category.checks.flatMap((check) =>
        lintRule(check).map((w) => ({ instance: instance.id, check: check.id, ...(check.verify?.at ?? {}), ...w })),
      ),
    ),
  );
  const lines = warnings.map(
    (w) => `${'file' in w ? `${w.file}:${w.line} ` : ''}${w.instance} ${w.check}: ${w.message}`,
  );
  const text = warnings.length === 0 ? 'nothing to say' : lines.map(printable).join('\n');
  return { text, json: { version: 1, warnings }, warnings: warnings.length };
};
