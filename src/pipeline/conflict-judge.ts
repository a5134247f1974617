import { FOLLOWED, type Followed, followedOf } from '../analysis/conflicts.ts';
import { judgeRecord } from '../judge/judge-record.ts';
import { PROMPT } from '../judge/prompts/all.ts';
import type { Question } from '../judge/questions.ts';
import type { JudgeAnswer } from '../judge/schema.ts';
import type { JudgeLine } from './judge-calls.ts';
import type { Subject } from './judge-column.ts';
import { judgeLimits } from './judge-specs.ts';

/** What an LLM judge, or the majority of them, says of the two orders of a conflict. */
export interface AskedPair {
  followed: Followed;
  a: JudgeAnswer;
  b: JudgeAnswer;
}

/** Puts the two orders of a conflict to the judges. */
export type AskPair = (subject: Subject, orders: { a: string; b: string }) => Promise<AskedPair>;

const SIDES = ['a', 'b'] as const;
type Side = (typeof SIDES)[number];

const unscored = (reason: string): JudgeAnswer => ({ verdict: 'unscored', reason, evidence: [] });

const questionOf = (order: string, place: number): Question => ({
  id: `order-${place}`,
  check: `order-${place}`,
  category: 'conflicting orders',
  text: `Whether the assistant, in what it did and said in the end, followed this order, which another one contradicts: ${order}`,
  facts: [],
  open: null,
});

/* One asking; the orders are named by their place, so that nothing but the place differs between the two askings. */
const inOrder = async (
  subject: Subject,
  line: JudgeLine,
  orders: Readonly<Record<Side, string>>,
  shown: readonly Side[],
): Promise<AskedPair> => {
  const { spec } = line.judge;
  const questions = shown.map((side, place) => questionOf(orders[side], place));
  const answers = await judgeRecord(subject.record, questions, {
    ...{ prompt: PROMPT, granularity: 'checklist', ...judgeLimits(spec) },
    ask: line.ask(0, () => undefined),
  });
  const of = (side: Side): JudgeAnswer =>
    answers.get(`order-${shown.indexOf(side)}`) ?? unscored('incomplete: the judge left it out');
  const [a, b] = [of('a'), of('b')];
  return { followed: followedOf(a.verdict, b.verdict), a, b };
};

const open = (reason: string): AskedPair => ({ followed: 'unscored', a: unscored(reason), b: unscored(reason) });

/** One judge's word: it counts when it is the same in both orders. */
const inBothOrders = async (
  subject: Subject,
  line: JudgeLine,
  orders: Readonly<Record<Side, string>>,
): Promise<AskedPair> => {
  const first = await inOrder(subject, line, orders, SIDES);
  if (first.followed === 'unscored') return first;
  const second = await inOrder(subject, line, orders, SIDES.toReversed());
  if (second.followed === 'unscored') return second;
  return first.followed === second.followed ? first : open('the judge says otherwise when the orders change places');
};

/** Asks every judge in both orders; what more than half of them say counts. */
export const askJudges =
  (lines: readonly JudgeLine[]): AskPair =>
  async (subject, orders) => {
    const said = await Promise.all(lines.map((line) => inBothOrders(subject, line, orders)));
    const winner = FOLLOWED.find((f) => said.filter((s) => s.followed === f).length * 2 > lines.length);
    return said.find((s) => s.followed === winner) ?? open('the judges do not agree');
  };
