import type { VerdictFile, VerdictValue } from './schema.ts';

/** A verdict that another version of a judge gave otherwise. */
export interface VerdictChange {
  judge: string;
  sample: number;
  category: string;
  check: string;
  from: VerdictValue | null;
  to: VerdictValue;
}

/** How a judge's new verdicts differ from those of its earlier version; none when there were none. */
export const verdictChanges = (before: VerdictFile | null, next: VerdictFile): VerdictChange[] => {
  if (before === null) return [];
  const old = new Map(
    before.samples.flatMap((s) =>
      s.verdicts.map((v): [string, VerdictValue] => [`${s.sample}\n${v.category}\n${v.check}`, v.verdict]),
    ),
  );
  return next.samples.flatMap((s) =>
    s.verdicts.flatMap((v) => {
      const from = old.get(`${s.sample}\n${v.category}\n${v.check}`) ?? null;
      if (from === v.verdict) return [];
      return [{ judge: next.judge, sample: s.sample, category: v.category, check: v.check, from, to: v.verdict }];
    }),
  );
};
