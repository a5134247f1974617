import { z } from 'zod';
import { BenchError } from '../core/errors.ts';
import { describeProblem, type Problem } from '../core/problem.ts';
import { fieldName, readYaml, schemaProblems, type YamlFile } from '../core/yaml.ts';
import type { Dialect, ScriptAction } from '../scaffolds/dialect.ts';

/** A test on a text: a string is `has`. `regex` is searched for anywhere (RE2 syntax). */
export type TextTest = string | { equals?: string; has?: string | string[]; regex?: string; flags?: string };

/** What the result of a `run` must be. */
export interface Expectation {
  ok?: boolean | undefined;
  output?: TextTest | undefined;
}

/** One assistant turn. A turn without `do` ends its query. */
export interface ScriptTurn {
  think?: string | undefined;
  say?: string | undefined;
  do?: ScriptAction[] | undefined;
}

export const FAULT_KINDS = ['429', '529', '500', 'hang', 'cut', 'reset'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface ScriptFault {
  at: [query: number, turn: number];
  kind: FaultKind;
  /** How often it strikes before the turn is answered. */
  times: number;
}

/** A scripted model (docs/formats/script.md). */
export interface Script {
  /** Checks that must fail. */
  breaks: string[];
  queries: ScriptTurn[][];
  /** By type or by prompt. */
  subagents: Record<string, ScriptTurn[]>;
  /** Answers to side calls, by kind. */
  auxiliary: Record<string, string>;
  delayMs: number;
  faults: ScriptFault[];
}

const text = z.string();
const count = z.int().min(0);
const textTest = z.union([
  text,
  z.strictObject({
    equals: text.optional(),
    has: z.union([text, z.array(text).min(1)]).optional(),
    regex: text.optional(),
    flags: text.optional(),
  }),
]);
const todo = z.strictObject({
  text,
  status: z.enum(['pending', 'in_progress', 'completed', 'cancelled']),
  id: text.optional(),
  priority: text.optional(),
});

/** The arguments of each action. */
const ACTIONS: Readonly<Record<string, z.ZodType>> = {
  read: z.strictObject({ path: text, offset: count.optional(), limit: count.optional() }),
  write: z.strictObject({ path: text, content: text }),
  edit: z.strictObject({ path: text, replace: text, with: text, all: z.boolean().optional() }),
  run: z.strictObject({
    command: text,
    background: z.boolean().optional(),
    expect: z.strictObject({ ok: z.boolean().optional(), output: textTest.optional() }).optional(),
  }),
  search: z.strictObject({ pattern: text, path: text.optional(), glob: text.optional() }),
  list: z.strictObject({ path: text }),
  glob: z.strictObject({ pattern: text }),
  todo: z.strictObject({ items: z.array(todo) }),
  skill: z.strictObject({ name: text, args: text.optional() }),
  subagent: z.strictObject({ type: text, prompt: text, description: text.optional() }),
  plan: z.strictObject({ phase: z.enum(['enter', 'exit']), text: text.optional() }),
  ask: z.strictObject({ text, options: z.array(text).optional() }),
  fetch: z.strictObject({ url: text, prompt: text.optional() }),
  finish: z.strictObject({ text }),
  tool: z.strictObject({ name: text, input: z.unknown() }),
};

// A union would answer a slip in one action with fifteen complaints; the key says which one was meant.
const action = z.record(text, z.unknown()).superRefine((value, context) => {
  const keys = Object.keys(value);
  const [key = ''] = keys;
  const schema = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
  if (keys.length !== 1 || schema === undefined) {
    const message = `an action has one key, one of: ${Object.keys(ACTIONS).join(', ')}`;
    context.addIssue({ code: 'custom', message, path: keys.length === 1 ? [key] : [] });
    return;
  }
  for (const issue of schema.safeParse(value[key]).error?.issues ?? []) {
    const unknown = issue.code === 'unrecognized_keys' ? (issue.keys[0] ?? '') : null;
    const message = unknown === null ? issue.message : `unknown field "${unknown}"`;
    context.addIssue({ code: 'custom', message, path: [key, ...issue.path, ...(unknown === null ? [] : [unknown])] });
  }
});

const turn = z.strictObject({ think: text.optional(), say: text.optional(), do: z.array(action).min(1).optional() });
const turns = z.array(turn).min(1);
const scriptSchema = z.strictObject({
  script: z.literal(1),
  breaks: z.array(text).default([]),
  queries: z.array(turns).min(1),
  subagents: z.record(text, turns).default({}),
  auxiliary: z.record(text, text).default({}),
  delay_ms: z.int().min(0).default(0),
  faults: z
    .array(
      z.strictObject({
        at: z.tuple([count, count]),
        kind: z.preprocess((kind) => (typeof kind === 'number' ? String(kind) : kind), z.enum(FAULT_KINDS)),
        times: z.int().min(1).default(1),
      }),
    )
    .default([]),
});

/** An action after which the scaffold ends the query by itself. */
const ends = (a: ScriptAction): boolean => 'finish' in a || 'ask' in a || ('plan' in a && a.plan.phase === 'exit');

/** What the schema cannot say: where turns end, which faults and subagents exist. */
const meaningProblems = (script: Script, yaml: YamlFile, file: string): Problem[] => {
  const problems: Problem[] = [];
  const wrong = (path: PropertyKey[], message: string): void => {
    const line = yaml.lineOf(path);
    const place = line === undefined ? {} : { line };
    problems.push({ kind: 'script', severity: 'error', message, file, field: fieldName(path), ...place });
  };
  const sequence = (list: readonly ScriptTurn[], path: PropertyKey[]): void => {
    list.forEach((t, i) => {
      const acts = t.do ?? [];
      const last = i === list.length - 1;
      if (t.think === undefined && t.say === undefined && acts.length === 0) wrong([...path, i], 'an empty turn');
      if (!last && acts.length === 0) wrong([...path, i], 'a turn without `do` ends its query, but more turns follow');
      if (last && acts.length > 0 && !acts.some(ends))
        wrong([...path, i], 'the last turn must have no `do`: the scaffold would come back with the results');
      for (const [k, a] of acts.entries())
        if ('subagent' in a && subagentKey(script, a.subagent) === null)
          wrong([...path, i, 'do', k], `no entry under \`subagents\` for "${a.subagent.type}"`);
    });
  };
  for (const [q, list] of script.queries.entries()) sequence(list, ['queries', q]);
  for (const [key, list] of Object.entries(script.subagents)) sequence(list, ['subagents', key]);
  for (const [i, { at }] of script.faults.entries())
    if (script.queries[at[0]]?.[at[1]] === undefined) wrong(['faults', i, 'at'], 'no such turn: [query, turn] from 0');
  return problems;
};

/** The entry of `subagents` that plays a subagent: named after its prompt, else after its type (in any case of letters). */
export const subagentKey = (
  script: Pick<Script, 'subagents'>,
  subagent: { type: string; prompt: string },
): string | null => {
  const keys = Object.keys(script.subagents);
  return (
    keys.find((key) => key === subagent.prompt) ??
    keys.find((key) => key.toLowerCase() === subagent.type.toLowerCase()) ??
    null
  );
};

/**
 * Reads a script (docs/formats/script.md).
 * @throws BenchError('input') with every problem, each with file, line and field
 */
export const parseScript = (yamlText: string, file: string): Script => {
  const yaml = readYaml(yamlText, file);
  const parsed = yaml.problems.length > 0 ? null : scriptSchema.safeParse(yaml.value);
  const problems = [...yaml.problems, ...(parsed?.error === undefined ? [] : schemaProblems(parsed.error, yaml, file))];
  if (parsed?.data !== undefined) {
    const { script: _, delay_ms: delayMs, ...rest } = parsed.data;
    // The actions were checked one by one above.
    const script = { ...rest, delayMs } as unknown as Script;
    problems.push(...meaningProblems(script, yaml, file));
    if (problems.length === 0) return script;
  }
  const first = problems[0] === undefined ? '' : describeProblem(problems[0]);
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  throw new BenchError('input', 'recording', `${first}${more}`, { problems });
};

/** Actions of a script that a scaffold has no tool for, as far as can be told before it runs: the tools it is known to have. */
export const unsupportedActions = (script: Script, dialect: Dialect, workspace: string): Problem[] => {
  const tools = dialect.tools.map((name) => ({ name, description: '', schema: {} }));
  const lists: [string, ScriptTurn[]][] = [
    ...script.queries.map((list, q): [string, ScriptTurn[]] => [`queries[${q}]`, list]),
    ...Object.entries(script.subagents).map(([key, list]): [string, ScriptTurn[]] => [`subagents.${key}`, list]),
  ];
  return lists.flatMap(([at, list]) =>
    list.flatMap((t, i) =>
      (t.do ?? []).flatMap((a, k): Problem[] =>
        dialect.encode(a, tools, workspace) === 'unsupported'
          ? [
              {
                kind: 'unsupported_action',
                severity: 'error',
                message: `${dialect.id} has no tool for "${Object.keys(a)[0] ?? ''}"`,
                field: `${at}[${i}].do[${k}]`,
              },
            ]
          : [],
      ),
    ),
  );
};
