import type { Checklist } from '../checklist/schema.ts';
import type { Coordinate } from '../trajectory/schema.ts';
import { type Canary, canariesOf } from './canary.ts';
import type { AskJudge, JudgeFailure, JudgeReply, Show } from './client-schema.ts';
import { askText } from './prompt.ts';
import type { PromptText } from './prompts/prompt.ts';
import type { Question } from './questions.ts';
import type { QuoteIndex } from './quotes.ts';
import { type ReplyVerdict, readReply } from './reply.ts';
import type { JudgeAnswer } from './schema.ts';

/** What a judge is asked about: the record as one request shows it, and the ways to check what it says. */
export interface Interview {
  prompt: PromptText;
  /** The record between its marks. */
  record: string;
  mark: string;
  show: Show | null;
  quotes: QuoteIndex;
  ask: AskJudge;
  maxOutputTokens: number;
}

/** Answers by the question's id; those that never came are unscored, with the reason. */
export type Answers = Map<string, JudgeAnswer>;

/** What one reply settles, and what has to be asked again, with a note where the judge should know why. */
interface Round {
  answers: Answers;
  again: Map<string, string>;
}

const unscored = (reason: string): JudgeAnswer => ({ verdict: 'unscored', reason, evidence: [] });
const REFUSAL =
  /\b(?:can(?:no|')t|cannot|unable to|won't|will not)\b[^.]{0,40}\b(?:help|assist|comply|fulfil|fulfill|evaluate|do that)\b/i;

const checklistOf = (questions: readonly Question[], canaries: readonly Canary[]): Checklist => ({
  categories: [
    {
      category: 'questions',
      raw: 'questions',
      description: '',
      checks: [...questions, ...canaries].map(({ id, text }) => ({ id, description: text, type: null })),
    },
  ],
});

/** All of a reply unscored, for one reason. */
const allOpen = (questions: readonly Question[], reason: string): Round => ({
  answers: new Map(questions.map((q) => [q.id, unscored(reason)])),
  again: new Map(),
});

const retry = (questions: readonly Question[], reason: string): Round => ({
  answers: new Map(questions.map((q) => [q.id, unscored(reason)])),
  again: new Map(questions.map((q) => [q.id, ''])),
});

/** Why a reply has no verdicts at all; null when it has some. */
const silent = (reply: JudgeReply, cut: boolean, found: number): string | null => {
  if (reply.finish === 'length') return 'cut: the reply ran into the limit of tokens';
  if (reply.finish === 'refused') return 'refused: by the provider';
  if (cut) return 'cut: the reply ends within its JSON';
  if (found > 0) return null;
  return REFUSAL.test(reply.text) ? 'refused: the judge declined' : 'incomplete: the reply has no verdicts';
};

const wrongCanary = (canaries: readonly Canary[], verdicts: Readonly<Record<string, ReplyVerdict>>): boolean =>
  canaries.some((c) => verdicts[c.id] !== undefined && verdicts[c.id]?.verdict !== c.answer);

/** A verdict with its quotes looked up; a string says which quote is wanting. */
const checked = (said: ReplyVerdict, quotes: QuoteIndex): JudgeAnswer | string => {
  const evidence = said.evidence ?? [];
  const found = evidence.map((e) => quotes.find(e));
  const lost = evidence.find((_, i) => found[i] === null);
  if (lost !== undefined) return `the quote was not found in the record: ${lost.quote.slice(0, 200)}`;
  const needed = said.verdict === 'fail' || (said.verdict === 'success' && said.grounds !== 'absence');
  if (needed && evidence.length === 0) return `a quote is needed for ${said.verdict}`;
  return {
    verdict: said.verdict,
    reason: said.reason ?? '',
    evidence: found.filter((c): c is Coordinate => c !== null),
  };
};

const readRound = (
  reply: JudgeReply,
  questions: readonly Question[],
  canaries: readonly Canary[],
  quotes: QuoteIndex,
): Round => {
  const read = readReply(reply.text, checklistOf(questions, canaries));
  const silence = silent(reply, read.cut, Object.keys(read.verdicts).length);
  if (silence !== null) return retry(questions, silence);
  if (wrongCanary(canaries, read.verdicts)) {
    return allOpen(questions, 'canary: a control question was answered wrongly, so the reply cannot be trusted');
  }
  if (canaries.some((c) => read.verdicts[c.id] === undefined)) {
    return retry(questions, 'canary: a control question was not answered, so the reply cannot be trusted');
  }
  const round: Round = { answers: new Map(), again: new Map() };
  for (const { id } of questions) {
    const said = read.verdicts[id];
    const answer = said === undefined || said.verdict === 'unscored' ? null : checked(said, quotes);
    if (answer !== null && typeof answer !== 'string') {
      round.answers.set(id, answer);
      continue;
    }
    const why = said === undefined ? 'incomplete: the judge left it out' : `incomplete: ${said.reason ?? ''}`;
    round.answers.set(id, unscored(answer === null ? why : `quote: ${answer}`));
    round.again.set(id, answer ?? '');
  }
  return round;
};

const failed = (reply: JudgeFailure): string =>
  `judge_failed: ${reply.status === null ? '' : `HTTP ${reply.status} `}${reply.message}`.trim();

/**
 * Asks one request's questions. What is missing, unreadable or without its quote is asked again, once, and only that; a cut
 * reply gets twice the room. A control question answered wrongly spoils its whole reply, and nothing of it is asked again.
 * A judge that fails leaves its questions unscored, with the reason.
 */
export const interview = async (about: Interview, questions: readonly Question[]): Promise<Answers> => {
  const answers: Answers = new Map();
  let open: readonly Question[] = questions;
  let notes: ReadonlyMap<string, string> | null = null;
  let room = about.maxOutputTokens;
  for (let round = 0; round < 2 && open.length > 0; round++) {
    const canaries = canariesOf(
      about.mark,
      open.map((q) => q.id),
    );
    const told: ReadonlyMap<string, string> | null =
      notes === null ? null : new Map([...notes].filter(([, note]) => note !== ''));
    const ask = askText(about.prompt, open, canaries, told);
    const { record, show } = about;
    const reply = await about.ask({
      prompt: { system: about.prompt.system, record, ask },
      show,
      maxOutputTokens: room,
    });
    const read: Round =
      reply.finish === 'failed' ? allOpen(open, failed(reply)) : readRound(reply, open, canaries, about.quotes);
    for (const [id, answer] of read.answers) answers.set(id, answer);
    if (reply.finish === 'length') room *= 2;
    notes = read.again;
    open = open.filter((q) => read.again.has(q.id));
  }
  return answers;
};
