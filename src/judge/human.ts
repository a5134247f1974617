import type { Checklist } from '../checklist/schema.ts';
import type { HumanEntry, Verdict, VerdictFile } from './schema.ts';

/** The checks of a checklist that `text` names: by id, or by `category/id` where several categories have the id. */
export const checksNamed = (checklist: Checklist, text: string): { category: string; check: string }[] => {
  const all = checklist.categories.flatMap((c) => c.checks.map((k) => ({ category: c.category, check: k.id })));
  const exact = all.filter((x) => `${x.category}/${x.check}` === text);
  return exact.length > 0 ? exact : all.filter((x) => x.check === text);
};

const verdictOf = ({ check, category, verdict, why, who }: HumanEntry): Verdict => ({
  ...{ check, category, verdict, by: 'human', reason: `${who}: ${why}`, evidence: [] },
});

/** A person's column with one more word in it; the last word on a check counts, all of them stay in the history. */
export const withHumanVerdict = (file: VerdictFile | null, judge: string, entry: HumanEntry): VerdictFile => {
  const history = [...(file?.history ?? []), entry];
  const last = new Map(history.map((e) => [`${e.category}\n${e.check}`, e]));
  return {
    ...{ version: 1, judge, fingerprint: 'human' },
    samples: [{ sample: 0, verdicts: [...last.values()].map(verdictOf) }],
    history,
  };
};
