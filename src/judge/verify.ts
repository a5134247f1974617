import type { CategoryChecks, Check, Checklist, RuleSource } from '../checklist/schema.ts';
import { fieldName } from '../core/yaml.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { type Answers, createEvaluator, type Evaluator } from './evaluate.ts';
import { type ParsedRule, parseRule } from './parse.ts';
import type { RuleProblem } from './parse-problem.ts';
import type { Outcome, Question } from './quantifiers.ts';
import type { OpenQuestion, Verdict, VerdictValue } from './schema.ts';
import type { Truth } from './truth.ts';
import { createWorld, type VerifyContext } from './world.ts';

/** Verdicts of the programs, and what they left to an LLM or a person. */
export interface Verified {
  verdicts: Verdict[];
  open: OpenQuestion[];
}

const VERDICT_OF: Readonly<Record<Truth, VerdictValue>> = {
  S: 'success',
  F: 'fail',
  N: 'not_applicable',
  U: 'unscored',
};

const parsed = new WeakMap<RuleSource, ParsedRule>();
const ruleOf = (source: RuleSource): ParsedRule => {
  const rule = parsed.get(source) ?? parseRule(source.json);
  parsed.set(source, rule);
  return rule;
};

const unread = (problems: readonly { path: (string | number)[]; message: string }[], what: string): Outcome => ({
  truth: 'U',
  reason: `${what} is no rule: ${problems.map((p) => `${fieldName(p.path)} ${p.message}`.trim()).join('; ')}`,
  evidence: [],
  events: 0,
  questions: [],
});

const outcomeOf = (source: RuleSource, what: string, evaluator: Evaluator, answers: Answers): Outcome => {
  const rule = ruleOf(source);
  return 'rule' in rule ? evaluator.evaluate(rule.rule, answers) : unread(rule.problems, what);
};

/* `when`: S lets `verify` count, F and N make it not applicable, U leaves it open unless `verify` is N anyway. */
const together = (when: Outcome, verify: () => Outcome): Outcome => {
  if (when.truth === 'S') return verify();
  if (when.truth !== 'U') {
    return { ...when, truth: 'N', reason: `its condition did not arise: ${when.reason}`, questions: [] };
  }
  const own = verify();
  if (own.truth === 'N') return own;
  return {
    ...when,
    reason: `whether its condition arose cannot be told: ${when.reason}`,
    questions: [...when.questions, ...(own.truth === 'U' ? own.questions : [])],
  };
};

const decide = (check: Check, evaluator: Evaluator, answers: Answers): Outcome | null => {
  const { verify, when } = check;
  if (verify === undefined) return null;
  const own = (): Outcome => outcomeOf(verify, 'verify', evaluator, answers);
  return when === undefined ? own() : together(outcomeOf(when, 'when', evaluator, answers), own);
};

const unscored = (check: Check, category: string, reason: string): Verdict => ({
  check: check.id,
  category,
  verdict: 'unscored',
  by: 'program',
  reason,
  evidence: [],
});

const verdictOf = (check: Check, category: string, outcome: Outcome, by: 'program' | 'llm'): Verdict => ({
  check: check.id,
  category,
  verdict: VERDICT_OF[outcome.truth],
  by,
  reason: outcome.truth === 'U' ? `unknown: ${outcome.reason}` : outcome.reason,
  evidence: outcome.evidence,
  events: outcome.events,
});

interface Judged {
  verdict: Verdict;
  questions: Question[];
}

/* What programs can tell alone is theirs; only what an answer decided is the judge's. */
const judge = (check: Check, category: string, evaluator: Evaluator): Judged => {
  const { context, threads } = evaluator.world;
  if (check.verify === undefined) {
    return {
      verdict: unscored(check, category, 'no_judge: the check has no rule that a program could apply'),
      questions: [],
    };
  }
  if (!threads.some((t) => t.role === 'main' && t.turns.length > 0)) {
    return { verdict: unscored(check, category, 'unknown: the main thread has no assistant turn'), questions: [] };
  }
  const alone = decide(check, evaluator, {});
  if (alone === null) return { verdict: unscored(check, category, 'no_judge'), questions: [] };
  const answers = context.answers?.[check.id];
  if (alone.truth !== 'U' || answers === undefined) {
    return { verdict: verdictOf(check, category, alone, 'program'), questions: alone.questions };
  }
  const answered = decide(check, evaluator, answers) ?? alone;
  return {
    verdict: verdictOf(check, category, answered, answered.truth === 'U' ? 'program' : 'llm'),
    questions: answered.questions,
  };
};

/** Whether a check is for this scaffold; without `scaffolds` it is for all. */
const appliesTo = (check: Check, scaffold: string | undefined): boolean =>
  check.scaffolds === undefined || scaffold === undefined || check.scaffolds.includes(scaffold);

const judgeAll = (categories: readonly CategoryChecks[], evaluator: Evaluator): Verified => {
  const all = categories.flatMap((c) =>
    c.checks
      .filter((check) => appliesTo(check, evaluator.world.context.scaffold))
      .map((check) => judge(check, c.category, evaluator)),
  );
  return {
    verdicts: all.map((j) => j.verdict),
    open: all.flatMap((j) => j.questions.map((q): OpenQuestion => ({ check: j.verdict.check, ...q }))),
  };
};

/**
 * The program's verdict on one check, with evidence. A check without `verify` is `unscored` (`no_judge`), one that cannot
 * be known `unscored` (`unknown`). With `context.answers` the open questions of the check count as answered, and a verdict
 * that they decided is `by: llm`. Time grows with the events of the trajectory.
 */
export const verify = (trajectory: Trajectory, check: Check, context: VerifyContext = {}): Verdict =>
  judge(check, '', createEvaluator(createWorld(trajectory, context))).verdict;

/**
 * Verdicts on a whole checklist, the trajectory read once; checks for other scaffolds are left out. `open` holds the
 * questions that a judge's answer could still decide, in the order of the checks.
 */
export const verifyAll = (trajectory: Trajectory, checklist: Checklist, context: VerifyContext = {}): Verified =>
  judgeAll(checklist.categories, createEvaluator(createWorld(trajectory, context)));

/**
 * Puts one rule to a trajectory, outside any check (`octobench rule try`): what it came to, why, and on what evidence, or
 * what is wrong with the rule.
 */
export const tryRule = (
  trajectory: Trajectory,
  json: unknown,
  context: VerifyContext = {},
): Outcome | { problems: RuleProblem[] } => {
  const rule = parseRule(json);
  return 'rule' in rule ? createEvaluator(createWorld(trajectory, context)).evaluate(rule.rule) : rule;
};
