import type { Checklist } from '../checklist/schema.ts';
import { matchValue } from './evaluate-match.ts';
import type { RuleEvent } from './event.ts';
import type { Rule, WorkspaceCondition } from './grammar.ts';
import { parseRule } from './parse.ts';
import type { Outcome } from './quantifiers.ts';
import { inRange } from './range.ts';
import type { WorkspaceAnswer } from './schema.ts';
import { lineCount } from './texts/sizes.ts';
import { allOf, type Truth, truthOf } from './truth.ts';
import type { World } from './world.ts';

const NOWHERE: RuleEvent = {
  source: 'workspace',
  thread: '',
  position: null,
  turn: null,
  toolCall: null,
  index: null,
  read: () => undefined,
};

type FileCondition = Extract<WorkspaceCondition, { is: 'file' }>;

const fileTruth = (condition: FileCondition, files: readonly { rel: string; text: string }[], world: World): Truth => {
  const at = { event: NOWHERE, world };
  const { text, lines, only } = condition;
  const parts: Truth[] = [];
  if (condition.exists !== null || (text === null && lines === null && only === null)) {
    parts.push(truthOf(files.length > 0 === (condition.exists ?? true)));
  }
  if (only !== null) parts.push(truthOf(files.every((f) => only.some((glob) => glob.test(f.rel)))));
  if ((text !== null || lines !== null) && files.length === 0 && condition.exists !== false) return 'F';
  for (const file of files) {
    if (text !== null) parts.push(matchValue(text, file.text, at));
    if (lines !== null) parts.push(truthOf(inRange(lineCount(file.text), lines)));
  }
  return allOf(parts);
};

const runTruth = (
  condition: Extract<WorkspaceCondition, { is: 'run' }>,
  answer: { exit: number | null; output: string },
  world: World,
): Truth => {
  const at = { event: NOWHERE, world };
  if (answer.exit === null) return 'U';
  const parts: Truth[] = [];
  if (condition.exit !== null) parts.push(matchValue(condition.exit, answer.exit, at));
  if (condition.output !== null) parts.push(matchValue(condition.output, answer.output, at));
  return parts.length === 0 ? truthOf(answer.exit === 0) : allOf(parts);
};

const decide = (condition: WorkspaceCondition, answer: WorkspaceAnswer | undefined, world: World): Truth => {
  if (answer === null || answer === undefined) return 'U';
  if (condition.is === 'file') return 'files' in answer ? fileTruth(condition, answer.files, world) : 'U';
  return 'exit' in answer ? runTruth(condition, answer, world) : 'U';
};

/** Decides a `workspace` rule by what was found in the final workspace; U when that could not be had. */
export const workspaceOutcome = (condition: WorkspaceCondition, world: World): Outcome => {
  const answer = world.context.workspace?.[condition.key];
  const truth = decide(condition, answer, world);
  const what = condition.is === 'run' ? `\`${condition.command}\`` : condition.file;
  const reason =
    truth === 'U'
      ? `the final workspace could not be asked for ${what}`
      : `${what} in the final workspace ${truth === 'S' ? 'is' : 'is not'} as asked`;
  const found = answer !== null && answer !== undefined && 'files' in answer ? answer.files : [];
  const main = world.threads.find((t) => t.role === 'main');
  const at = { thread: main?.id ?? '', turn: main?.turns.at(-1)?.turn ?? 0 };
  const evidence = found.slice(0, 5).map((f) => ({ ...at, path: f.rel }));
  return { truth, reason, evidence, events: found.length, questions: [] };
};

const conditionsOf = (rule: Rule): WorkspaceCondition[] => {
  if (rule.is === 'workspace') return [rule.condition];
  if (rule.is === 'and' || rule.is === 'or') return rule.rules.flatMap(conditionsOf);
  return rule.is === 'not' ? conditionsOf(rule.rule) : [];
};

/** What the rules of a checklist want to know of the final workspace: each once, to be answered by `key`. */
export const workspaceNeeds = (checklist: Checklist): WorkspaceCondition[] => {
  const needs = new Map<string, WorkspaceCondition>();
  for (const check of checklist.categories.flatMap((c) => c.checks)) {
    for (const source of [check.verify, check.when]) {
      const parsed = source === undefined ? null : parseRule(source.json);
      if (parsed !== null && 'rule' in parsed) for (const c of conditionsOf(parsed.rule)) needs.set(c.key, c);
    }
  }
  return [...needs.values()];
};
