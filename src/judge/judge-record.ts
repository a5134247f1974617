import type { Trajectory } from '../trajectory/schema.ts';
import { type JudgingView, judgingView } from '../trajectory/view.ts';
import { canariesOf, markOf } from './canary.ts';
import type { AskJudge } from './client-schema.ts';
import { type Answers, type Interview, interview } from './interview.ts';
import { askText, type JudgePrompt, recordText } from './prompt.ts';
import type { PromptText } from './prompts/prompt.ts';
import { type Granularity, inRequests, type Question } from './questions.ts';
import { type QuoteIndex, quoteIndex } from './quotes.ts';
import { planOf, windowsOf } from './windows.ts';

/** A trajectory made ready for judges: read once, for any number of them. */
export interface JudgedRecord {
  view: JudgingView;
  mark: string;
  quotes: QuoteIndex;
}

/** @param mask names that no judge may see: the experiment's and its models' */
export const readRecord = (trajectory: Trajectory, mask: readonly string[]): JudgedRecord => {
  const whole = { maxResult: Number.POSITIVE_INFINITY, maxText: Number.POSITIVE_INFINITY, mask };
  const mark = markOf(judgingView(trajectory, whole).text);
  return { view: judgingView(trajectory, { mask, mark }), mark, quotes: quoteIndex(trajectory, mask) };
};

export interface JudgingOptions {
  prompt: PromptText;
  granularity: Granularity;
  /** Characters of a record that fit into one request. */
  window: number;
  maxOutputTokens: number;
  ask: AskJudge;
}

const interviewOf = (record: JudgedRecord, text: string, options: JudgingOptions): Interview => ({
  ...{ prompt: options.prompt, record: text, mark: record.mark, quotes: record.quotes, ask: options.ask },
  show: record.view.text.includes(' characters left out: show(') ? record.view.show : null,
  maxOutputTokens: options.maxOutputTokens,
});

/** Asks request by request: the first alone, so that the others find its prefix in the provider's cache. */
const askAll = async (about: Interview, questions: readonly Question[], granularity: Granularity): Promise<Answers> => {
  const [first, ...rest] = inRequests(questions, granularity);
  if (first === undefined) return new Map();
  const answers = await interview(about, first);
  for (const more of await Promise.all(rest.map((group) => interview(about, group))))
    for (const [id, answer] of more) answers.set(id, answer);
  return answers;
};

/** What the judges of the parts found, a line each, for the one that judges the whole. */
const findingsOf = (parts: readonly Answers[]): string =>
  parts
    .flatMap((answers, n) =>
      [...answers].flatMap(([id, a]) =>
        a.verdict === 'not_applicable'
          ? []
          : [JSON.stringify({ part: n + 1, check_id: id, found: a.verdict, why: a.reason, evidence: a.evidence })],
      ),
    )
    .join('\n');

/**
 * Answers an LLM judge's questions on one record. A record that does not fit is judged in parts, each with the plan of all turns,
 * and then as a whole from what was found in them.
 */
export const judgeRecord = async (
  record: JudgedRecord,
  questions: readonly Question[],
  options: JudgingOptions,
): Promise<Answers> => {
  if (questions.length === 0) return new Map();
  const { prompt, granularity } = options;
  const { view, mark } = record;
  const windows = windowsOf(view.sections, options.window);
  if (windows.length === 1) {
    return askAll(interviewOf(record, recordText(prompt, view.text, mark), options), questions, granularity);
  }
  const plan = planOf(view.sections);
  const parts: Answers[] = [];
  for (const [n, text] of windows.entries()) {
    const part = { n, of: windows.length, plan };
    parts.push(
      await askAll(interviewOf(record, recordText(prompt, text, mark, part), options), questions, granularity),
    );
  }
  const text = `${plan}\n\nFindings:\n${findingsOf(parts)}`;
  const whole = recordText(prompt, text, mark, { findings: windows.length });
  return askAll({ ...interviewOf(record, whole, options), show: view.show }, questions, granularity);
};

/** The first requests that `judgeRecord` would send, without sending any: for people and for forecasts. */
export const promptsOf = (
  record: JudgedRecord,
  questions: readonly Question[],
  options: Pick<JudgingOptions, 'prompt' | 'granularity' | 'window'>,
): JudgePrompt[] => {
  const { prompt } = options;
  const windows = windowsOf(record.view.sections, options.window);
  const plan = windows.length > 1 ? planOf(record.view.sections) : '';
  return windows.flatMap((text, n) => {
    const part = windows.length > 1 ? { n, of: windows.length, plan } : null;
    const shown = recordText(prompt, text, record.mark, part);
    return inRequests(questions, options.granularity).map((group) => ({
      system: prompt.system,
      record: shown,
      ask: askText(
        prompt,
        group,
        canariesOf(
          record.mark,
          group.map((q) => q.id),
        ),
        null,
      ),
    }));
  });
};
