import type { Canary } from './canary.ts';
import type { PromptText } from './prompts/prompt.ts';
import type { Question } from './questions.ts';

/** What one request says: `record` is the same for all requests on a trajectory and comes first, so that it can be cached. */
export interface JudgePrompt {
  system: string;
  record: string;
  ask: string;
}

/** What stands in for, or before, a record that does not fit. */
export type RecordPart = { n: number; of: number; plan: string } | { findings: number } | null;

const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

const partText = (prompt: PromptText, part: RecordPart): string => {
  if (part === null) return '';
  if ('findings' in part) return fill(prompt.findings, { of: String(part.findings) });
  return fill(prompt.part, { n: String(part.n + 1), of: String(part.of), plan: part.plan });
};

/** A record between its marks. */
export const recordText = (prompt: PromptText, record: string, mark: string, part: RecordPart = null): string =>
  [
    fill(prompt.before, { mark, part: '{part}' }).replace('{part}', () => partText(prompt, part)),
    record,
    fill(prompt.after, { mark }),
  ].join('');

const place = ({ thread, turn, quote, path }: Question['facts'][number]): string =>
  [`turn ${turn}`, thread === 'main' ? '' : `thread ${thread}`, path ?? '', quote ?? '']
    .filter((x) => x !== '')
    .join(', ');

/** The questions of a request as the judge reads them: one JSON object a line, controls among them. */
export const askText = (
  prompt: PromptText,
  questions: readonly Question[],
  canaries: readonly Canary[],
  notes: ReadonlyMap<string, string> | null,
): string => {
  const lines = questions.map((q) => ({
    ...{ check_id: q.id, category: q.category, question: q.text },
    ...(q.facts.length === 0 ? {} : { found: q.facts.slice(0, 30).map(place) }),
    ...(notes?.get(q.id) === undefined ? {} : { note: notes.get(q.id) }),
  }));
  const controls = canaries.map((c) => ({ check_id: c.id, category: questions[0]?.category ?? '', question: c.text }));
  // Among the others, so that nothing tells them apart by place.
  const [first, ...rest] = controls;
  const all = [...lines.slice(0, 1), ...(first === undefined ? [] : [first]), ...lines.slice(1), ...rest];
  return (notes === null ? prompt.ask : prompt.again) + all.map((line) => JSON.stringify(line)).join('\n');
};

/** One request as text, for people who want to read what is asked (`--print-prompt`). */
export const printPrompt = ({ system, record, ask }: JudgePrompt): string =>
  ['[system]', system, '', '[user]', record, ask].join('\n');
