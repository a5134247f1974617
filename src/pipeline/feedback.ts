import type { Check, Checklist } from '../checklist/schema.ts';
import { oneLine } from '../core/text.ts';
import type { Coordinate } from '../trajectory/schema.ts';
import { holdsLiteral, ruleLiterals } from './feedback-literals.ts';

/** A check that failed, as the next run is told of it. */
export interface FailedCheck {
  check: Check;
  category: string;
  evidence: readonly Coordinate[];
}

const HEAD = 'A review of an earlier attempt at this task found that these instructions were not followed:';
const TAIL = 'Do the task from the start, and follow them this time.';

/** The same plea without a word on what went wrong. */
export const GENERIC_REMINDER =
  'Do the task with care: follow every instruction you were given, those of the user, of the system and of the project alike.';

/** The words of a check as an instruction: the published ones all start with "Check whether the assistant". */
const instruction = (description: string): string => {
  const sentence = description.trim().replace(/\.$/, '');
  const rest = sentence.replace(/^check (whether|if|that) (the )?(assistant|agent|model) /i, '');
  return rest === sentence ? sentence : `The assistant ${rest}`;
};

const SOURCES: Readonly<Record<string, string>> = {
  SP: 'the system prompt',
  'System reminder': 'a system reminder',
  'User query': 'the request',
  'Agents.md': "the project's instruction file",
  'Skill.md': 'the skill',
  Memory: 'the memory',
  'Tool schema': 'the description of a tool',
};

/** From the most to the least that can be said of a failed check. */
const wordings = ({ check, category, evidence }: FailedCheck): string[] => {
  const source = SOURCES[category];
  const from = source === undefined ? '' : ` (an instruction of ${source})`;
  const said = `- Wanted: ${oneLine(instruction(check.description), 600)}${from}.`;
  const quote = evidence[0]?.quote ?? evidence[0]?.path;
  return [
    ...(quote === undefined ? [] : [`${said}\n  What happened: ${oneLine(quote, 200)}`]),
    said,
    ...(source === undefined ? [] : [`- An instruction of ${source} was not followed.`]),
  ];
};

/**
 * Structured feedback on the failed checks of one rollout, to be put into the user's query.
 *
 * No literal of a `verify` or `when` of the checklist occurs in it unless it occurs in `sources` (what the agent was given: queries,
 * prompts, instruction files): else the feedback would hand out answers that no instruction holds. A sentence that would give one away
 * is said with less, down to nothing.
 * @returns null when nothing can be said
 */
export const feedbackOf = (
  failed: readonly FailedCheck[],
  checklist: Checklist,
  sources: readonly string[],
): string | null => {
  const rules = checklist.categories.flatMap((c) => c.checks.flatMap((k) => [k.verify?.json, k.when?.json]));
  const literals = new Set(rules.flatMap((rule) => [...ruleLiterals(rule)]));
  const secret = [...literals].filter((literal) => !sources.some((s) => holdsLiteral(s, literal)));
  const clean = (text: string): boolean => !secret.some((literal) => holdsLiteral(text, literal));
  const add = (text: string, part: string): string => {
    const longer = text === '' ? part : `${text}\n${part}`;
    return clean(longer) ? longer : text;
  };
  let text = add('', HEAD);
  let told = 0;
  for (const check of failed) {
    for (const wording of wordings(check)) {
      const longer = add(text, wording);
      if (longer === text) continue;
      text = longer;
      told++;
      break;
    }
  }
  return told === 0 ? null : add(text, TAIL);
};

/** Queries with a text put after the first one, where an agent reads it before it starts. */
export const withFeedback = (queries: readonly string[], text: string): string[] =>
  queries.map((q, i) => (i === 0 ? `${q}\n\n${text}` : q));
