import { isObject } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import type { EnvironmentFile, Instance } from '../dataset/schema.ts';
import type { CategoryChecks, Check } from './schema.ts';
import { wordingFindings } from './wording.ts';

/** How an id begins in each category. */
const PREFIXES: Readonly<Record<string, string>> = {
  SP: 'SP',
  'System reminder': 'SystemReminder',
  'User query': 'UserQuery',
  'Agents.md': 'Agents',
  'Skill.md': 'Skill',
  Memory: 'Memory',
  'Tool schema': 'ToolSchema',
};

/** The primary category's own check category: where an instance tests the rule in its name. */
const HOME: Readonly<Record<string, string>> = {
  Skill: 'Skill.md',
  'Claude.md': 'Agents.md',
  'AGENTS.md': 'Agents.md',
  Memory: 'Memory',
  SP: 'SP',
  'User Query': 'User query',
};

const FEWEST_CHECKS = 15;
const MOST_CHECKS = 30;
const FEWEST_AT_HOME = 5;
const VERIFIED_SHARE = 2 / 3;

/** Stands in skeletons where an author has to write something. */
export const FILL_IN = 'FILL IN';

interface Finding {
  kind: string;
  message: string;
}

const idFindings = (check: Check, category: string): Finding[] => {
  const prefix = PREFIXES[category];
  const shaped = /^[A-Za-z]+(_[a-z0-9]+)+$/.test(check.id);
  if (shaped && (prefix === undefined || check.id.startsWith(`${prefix}_`))) return [];
  return [{ kind: 'check_id', message: `id is not ${prefix ?? 'Category'}_behavior_in_lower_case` }];
};

/** The first quantifier of a rule, through `and` and `or`; named rules have none. */
const verbsOf = (json: unknown): string[] => {
  if (!isObject(json)) return [];
  const verb = ['never', 'some', 'every', 'first', 'last', 'count'].filter((v) => v in json);
  const inner = [json.and, json.or].flatMap((list) => (Array.isArray(list) ? list.flatMap(verbsOf) : []));
  return [...verb, ...inner];
};

/** Events of the quantifiers `never` and `every`, `one_of` taken apart. */
const eventsOf = (json: unknown): { verb: string; event: Record<string, unknown> }[] => {
  if (!isObject(json)) return [];
  const flat = (event: unknown): Record<string, unknown>[] => {
    if (!isObject(event)) return [];
    return Array.isArray(event.one_of) ? event.one_of.flatMap(flat) : [event];
  };
  const own = ['never', 'every'].flatMap((verb) => flat(json[verb]).map((event) => ({ verb, event })));
  const inner = [json.and, json.or].flatMap((list) => (Array.isArray(list) ? list.flatMap(eventsOf) : []));
  return [...own, ...inner];
};

const WRITES: ReadonlySet<unknown> = new Set(['edit', 'write', 'delete', 'move']);

const isWriting = (event: Record<string, unknown>): boolean =>
  [event.action].flat().some((kind) => WRITES.has(kind)) || event.change !== undefined;

/** Where a rule can be right as a rule and still not what the description says. */
const ruleFindings = (check: Check): Finding[] => {
  const json = check.verify?.json;
  const found: Finding[] = [];
  const say = (kind: string, message: string): void => {
    found.push({ kind, message });
  };
  const verbs = verbsOf(json);
  const forbids = /\b(never|no|not|neither|without|left [\w./ -]+ alone|nothing)\b/i.test(check.description);
  if (verbs.length === 1 && verbs[0] === 'never' && !forbids)
    say('verb', '`never`, but the description forbids nothing');
  if (verbs.length === 1 && verbs[0] === 'some' && /\b(never|neither)\b/i.test(check.description)) {
    say('verb', '`some`, but the description says never');
  }
  const condition = /\b(if|when|whenever|unless)\b/i.test(check.description);
  if (condition && check.when === undefined && verbs.length === 1 && verbs[0] === 'some') {
    say('condition', 'the description has a condition: say it in `when`, or the check fails where it never arose');
  }
  for (const { verb, event } of eventsOf(json)) {
    if (event.ok === true)
      say(
        'ok_true',
        `\`ok: true\` in \`${verb}\`: what is not known to have worked would pass unseen; use {not: false}`,
      );
    if (verb === 'never' && event.in === 'main' && isWriting(event))
      say('in_main', '`never` over writes in the main thread alone: a subagent may write');
  }
  if (/"language":"[a-z]{2}"/.test(JSON.stringify(json ?? null)) && /\b(as|of) the user\b/i.test(check.description)) {
    say('language', 'a fixed language, but the description speaks of the user’s: use {same_as: query}');
  }
  return found;
};

const problemOf = (instance: Instance, check: Check | null, { kind, message }: Finding): Problem => {
  const at = check?.verify?.at ?? check?.when?.at ?? null;
  return {
    kind: `lint_${kind}`,
    severity: 'warning',
    message,
    field: check === null ? instance.id : `${instance.id}.${check.id}`,
    ...(at === null ? {} : { file: at.file, line: at.line }),
  };
};

const checkProblems = (instance: Instance, { category }: CategoryChecks, check: Check): Problem[] =>
  [
    ...idFindings(check, category),
    ...wordingFindings(check.description),
    ...(check.source === undefined
      ? [{ kind: 'source', message: 'names no source: file and line, or the query' }]
      : []),
    ...ruleFindings(check),
  ].map((finding) => problemOf(instance, check, finding));

const instanceFindings = (instance: Instance): Finding[] => {
  const { categories } = instance.checklist;
  const checks = categories.flatMap((c) => c.checks);
  const home = categories.filter((c) => c.category === HOME[instance.category]).flatMap((c) => c.checks);
  const verified = checks.filter((c) => c.verify !== undefined).length;
  const found: Finding[] = [];
  if (checks.length < FEWEST_CHECKS || checks.length > MOST_CHECKS) {
    found.push({
      kind: 'size',
      message: `${checks.length} checks; an instance has ${FEWEST_CHECKS} to ${MOST_CHECKS}`,
    });
  }
  if (home.length < FEWEST_AT_HOME) {
    found.push({ kind: 'home', message: `${home.length} checks of its own category; at least ${FEWEST_AT_HOME}` });
  }
  if (verified < checks.length * VERIFIED_SHARE) {
    found.push({
      kind: 'verified',
      message: `${verified} of ${checks.length} checks have verify; at least two thirds`,
    });
  }
  if (instance.queries.some((q) => q.includes(FILL_IN)))
    found.push({ kind: 'fill_in', message: `its query still says "${FILL_IN}"` });
  if (instance.solved === null) found.push({ kind: 'solved', message: 'has no `solved` command' });
  return found;
};

/** What the linter has to say about one of our instances: its checks one by one, and their number and kinds. Pure. */
export const lintInstance = (instance: Instance): Problem[] => [
  ...instanceFindings(instance).map((finding) => problemOf(instance, null, finding)),
  ...instance.checklist.categories.flatMap((category) =>
    category.checks.flatMap((check) => checkProblems(instance, category, check)),
  ),
];

const LICENCES: ReadonlySet<string> = new Set(['MIT', 'Apache-2.0', 'BSD-3-Clause', 'BSD-2-Clause', 'ISC', 'CC0-1.0']);

/** What the linter has to say about an environment: a licence that allows passing it on, and a description. Pure. */
export const lintEnvironment = (environment: EnvironmentFile): Problem[] => {
  const { name: field, licence, description } = environment;
  const problem = (kind: string, message: string): Problem => ({ kind, severity: 'warning', message, field });
  return [
    ...(LICENCES.has(licence)
      ? []
      : [problem('lint_licence', `licence "${licence}" is none of: ${[...LICENCES].join(', ')}`)]),
    ...(description.includes(FILL_IN) ? [problem('lint_fill_in', `its description still says "${FILL_IN}"`)] : []),
  ];
};

/** Warnings about instances and environments of our own benchmark (docs/authoring.md); published rows are not linted. Pure. */
export const lintBenchmark = (dataset: {
  instances: readonly Instance[];
  environments: readonly EnvironmentFile[];
}): Problem[] => [
  ...dataset.environments.flatMap(lintEnvironment),
  ...dataset.instances.filter((i) => i.environmentDir !== null).flatMap(lintInstance),
];
