import type { Checklist } from '../checklist/schema.ts';
import type { Coordinate } from '../trajectory/schema.ts';
import { replyKeys } from './reply.ts';
import type { OpenQuestion, Verdict } from './schema.ts';

/** Something an LLM judge is asked: a whole check, or what a rule left open of one. */
export interface Question {
  /** What the judge calls it. */
  id: string;
  check: string;
  category: string;
  text: string;
  facts: readonly Coordinate[];
  /** The rule's question; null = the whole check. */
  open: string | null;
}

/** Who judges what: programs first and the LLM the rest, or the LLM everything. */
export type Panel = 'hybrid' | 'paper' | 'programs';

/**
 * What a panel asks an LLM judge: under `hybrid` the checks that programs leave unscored (by the open questions of their rules,
 * where there are any) and those with `judge: also`; under `paper` every check; under `programs` none. Checks that the programs
 * have no verdict on, since they are for other scaffolds, are left out.
 */
export const questionsOf = (
  checklist: Checklist,
  panel: Panel,
  programs: { verdicts: readonly Verdict[]; open: readonly OpenQuestion[] },
): Question[] => {
  if (panel === 'programs') return [];
  const keys = replyKeys(checklist).map((k) => k.key);
  const decided = new Map(programs.verdicts.map((v) => [`${v.category}\n${v.check}`, v.verdict]));
  let place = 0;
  return checklist.categories.flatMap(({ category, checks }) =>
    checks.flatMap((check): Question[] => {
      const id = keys[place++] ?? check.id;
      const verdict = decided.get(`${category}\n${check.id}`);
      if (verdict === undefined) return [];
      const whole = { id, check: check.id, category, text: check.description, facts: [], open: null };
      if (panel === 'paper' || check.judge === 'also') return [whole];
      if (verdict !== 'unscored') return [];
      const open = programs.open.filter((q) => q.check === check.id);
      if (open.length === 0) return [whole];
      return open.map((q, n) => ({ ...whole, id: `${id}#${n}`, text: q.question, facts: q.facts, open: q.question }));
    }),
  );
};

/** How many questions go into one request. */
export type Granularity = 'checklist' | 'category' | 'check';

/** Questions in the requests they are asked in, in order. */
export const inRequests = (questions: readonly Question[], granularity: Granularity): Question[][] => {
  const groups = new Map<string, Question[]>();
  for (const q of questions) {
    const group = granularity === 'checklist' ? '' : granularity === 'category' ? q.category : q.id;
    groups.set(group, [...(groups.get(group) ?? []), q]);
  }
  return [...groups.values()];
};
