import type { Answers } from './interview.ts';
import type { Panel, Question } from './questions.ts';
import type { JudgeAnswer, Verdict } from './schema.ts';
import type { Verified } from './verify.ts';

/** A judge's column of one rollout, and what it said where a program's word stands in it (for calibration). */
export interface Column {
  verdicts: Verdict[];
  also: Verdict[];
}

const llm = (check: string, category: string, answer: JudgeAnswer): Verdict => ({
  ...{ check, category, verdict: answer.verdict, by: 'llm', reason: answer.reason, evidence: answer.evidence },
});

const keyOf = (x: { category: string; check: string }): string => `${x.category}\n${x.check}`;

/** Answers to open questions in the shape in which rules take them: by check, then by question. */
export const answersToRules = (
  questions: readonly Question[],
  answers: Answers,
): Record<string, Record<string, JudgeAnswer>> => {
  const byCheck: Record<string, Record<string, JudgeAnswer>> = {};
  for (const { id, check, open } of questions) {
    const answer = answers.get(id);
    if (open === null || answer === undefined) continue;
    byCheck[check] = { ...byCheck[check], [open]: answer };
  }
  return byCheck;
};

/** Of an open check that no answer decided: why, in the judge's words where it failed. */
const stillOpen = (verdict: Verdict, questions: readonly Question[], answers: Answers): Verdict => {
  const failed = questions.map((q) => answers.get(q.id)).find((a) => a?.verdict === 'unscored');
  return failed === undefined ? verdict : llm(verdict.check, verdict.category, failed);
};

/**
 * One judge's column: under `hybrid` the programs' verdicts, the judge's own where they leave a check unscored, and the rule's,
 * evaluated again with the judge's answers, where it left a question open; under `paper` the judge's own alone.
 * @param again the programs' verdicts, evaluated with the judge's answers to open questions
 */
export const columnOf = (
  panel: Panel,
  programs: Verified,
  again: Verified,
  questions: readonly Question[],
  answers: Answers,
): Column => {
  const asked = new Map<string, Question[]>();
  for (const q of questions) asked.set(keyOf(q), [...(asked.get(keyOf(q)) ?? []), q]);
  const answered = new Map(again.verdicts.map((v) => [keyOf(v), v]));
  const column: Column = { verdicts: [], also: [] };
  for (const program of programs.verdicts) {
    const own = asked.get(keyOf(program)) ?? [];
    const [first] = own;
    if (first === undefined) {
      column.verdicts.push(program);
      continue;
    }
    if (first.open !== null) {
      const decided = answered.get(keyOf(program)) ?? program;
      column.verdicts.push(decided.verdict === 'unscored' ? stillOpen(decided, own, answers) : decided);
      continue;
    }
    const said = llm(program.check, program.category, answers.get(first.id) ?? NEVER);
    if (panel === 'paper' || program.verdict === 'unscored') column.verdicts.push(said);
    else {
      column.verdicts.push(program);
      column.also.push(said);
    }
  }
  return column;
};

const NEVER: JudgeAnswer = { verdict: 'unscored', reason: 'incomplete: never answered', evidence: [] };
