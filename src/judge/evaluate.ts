import { createConditions } from './evaluate-condition.ts';
import { matchValue } from './evaluate-match.ts';
import { coordinatesOf, matchesFor } from './evidence.ts';
import { createSearch } from './find-events.ts';
import type { Rule } from './grammar.ts';
import { type Bench, type Outcome, quantify } from './quantifiers.ts';
import type { JudgeAnswer, VerdictValue } from './schema.ts';
import { allOf, anyOf, opposite, type Truth } from './truth.ts';
import { workspaceOutcome } from './workspace.ts';
import type { World } from './world.ts';

/** Answers to the questions of one check, by question. */
export type Answers = Readonly<Record<string, JudgeAnswer>>;

/** Evaluates rules over one trajectory. */
export interface Evaluator {
  world: World;
  evaluate(rule: Rule, answers?: Answers): Outcome;
}

const TRUTH_OF: Readonly<Record<VerdictValue, Truth>> = {
  success: 'S',
  fail: 'F',
  not_applicable: 'N',
  unscored: 'U',
};

/* The parts that made the whole what it is speak for it. */
const join = (is: 'and' | 'or', parts: readonly Outcome[]): Outcome => {
  const truths = parts.map((p) => p.truth);
  const truth = is === 'and' ? allOf(truths) : anyOf(truths);
  const speaking = parts.filter((p) => p.truth === truth);
  return {
    truth,
    reason: [...new Set(speaking.map((p) => p.reason))].join('; '),
    evidence: speaking.flatMap((p) => p.evidence),
    events: parts.reduce((n, p) => n + p.events, 0),
    questions: truth === 'U' ? speaking.flatMap((p) => p.questions) : [],
  };
};

const offeredOutcome = (rule: Extract<Rule, { is: 'offered' }>, world: World): Outcome => {
  const tools = world.threads.find((t) => t.role === 'main')?.tools ?? null;
  const base = { evidence: [], events: tools?.length ?? 0, questions: [] };
  if (tools === null) return { ...base, truth: 'U', reason: 'no set of tools was recorded' };
  const at = {
    event: {
      source: 'offered',
      thread: '',
      position: null,
      turn: null,
      toolCall: null,
      index: null,
      read: () => undefined,
    },
    world,
  };
  const found = tools.find((t) => matchValue(rule.match, t.name, at) === 'S');
  if (found !== undefined) return { ...base, truth: 'S', reason: `the tool ${found.name} was offered` };
  return { ...base, truth: 'F', reason: `no such tool among the ${tools.length} that were offered` };
};

const judgeOutcome = (rule: Extract<Rule, { is: 'judge' }>, answers: Answers, bench: Bench): Outcome => {
  const answer = answers[rule.question];
  if (answer !== undefined) {
    const { reason, evidence } = answer;
    return { truth: TRUTH_OF[answer.verdict], reason, evidence, events: 0, questions: [] };
  }
  const { search } = bench;
  const facts = rule.facts.flatMap((set) =>
    coordinatesOf(
      search.find(set, null).found.map((f) => f.event),
      matchesFor(set),
      search.world,
    ),
  );
  const question = { question: rule.question, facts };
  return { truth: 'U', reason: 'a judge has to tell', evidence: facts, events: facts.length, questions: [question] };
};

/** Makes an evaluator; what it finds for one rule it keeps for the next. */
export const createEvaluator = (world: World): Evaluator => {
  const search = createSearch(world);
  const bench: Bench = { search, conditions: createConditions(search) };
  const evaluate = (rule: Rule, answers: Answers = {}): Outcome => {
    switch (rule.is) {
      case 'and':
      case 'or':
        return join(
          rule.is,
          rule.rules.map((r) => evaluate(r, answers)),
        );
      case 'not': {
        const inner = evaluate(rule.rule, answers);
        return { ...inner, truth: opposite(inner.truth) };
      }
      case 'offered':
        return offeredOutcome(rule, world);
      case 'workspace':
        return workspaceOutcome(rule.condition, world);
      case 'judge':
        return judgeOutcome(rule, answers, bench);
      default:
        return quantify(rule, bench);
    }
  };
  return { world, evaluate };
};
