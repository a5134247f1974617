import type { Maybe } from '../core/missing.ts';
import { type Interval, wilson } from '../stats/proportion.ts';
import type { VerdictFile, VerdictValue } from './schema.ts';

/** A share with Wilson's interval; null without data. */
export interface Rate {
  hits: number;
  of: number;
  value: Maybe;
  interval: Interval | null;
}

/** How an LLM judge fares against those who know: programs or people. */
export interface Calibration {
  judge: string;
  /** Who knew. */
  against: 'program' | 'human';
  /** Null = all categories. */
  category: string | null;
  /** Of the broken checks, the share the judge calls broken. */
  sensitivity: Rate;
  /** Of the kept checks, the share the judge calls kept. */
  specificity: Rate;
  /** Of the checks whose condition never arose, the share of which the judge says so. */
  notApplicable: Rate;
  /** Checks that the judge left unscored: in none of the shares. */
  unscored: number;
}

interface Pair {
  judge: string;
  against: 'program' | 'human';
  category: string;
  truth: VerdictValue;
  said: VerdictValue;
}

const rate = (pairs: readonly Pair[], truth: VerdictValue): Rate => {
  const of = pairs.filter((p) => p.truth === truth && p.said !== 'unscored');
  const hits = of.filter((p) => p.said === truth).length;
  const value = of.length === 0 ? null : hits / of.length;
  return { hits, of: of.length, value, interval: value === null ? null : wilson(value, of.length) };
};

/** Every check of one rollout on which a program or a person, and an LLM, gave a word. */
const pairsOf = (files: readonly VerdictFile[]): Pair[] => {
  const truths = files.flatMap((f) =>
    f.samples.flatMap((s) =>
      s.verdicts.flatMap((v) =>
        v.verdict === 'unscored' || v.by === 'llm' || f.llm !== undefined
          ? []
          : [{ key: `${v.category}\n${v.check}`, against: v.by, verdict: v.verdict }],
      ),
    ),
  );
  const byKey = new Map<string, typeof truths>();
  for (const t of truths) byKey.set(t.key, [...(byKey.get(t.key) ?? []), t]);
  return files.flatMap((f) =>
    f.samples.flatMap((s) =>
      [...s.verdicts, ...(s.also ?? [])]
        .filter((v) => v.by === 'llm')
        .flatMap((v) =>
          (byKey.get(`${v.category}\n${v.check}`) ?? []).map(
            (t): Pair => ({
              judge: f.judge,
              against: t.against,
              category: v.category,
              truth: t.verdict,
              said: v.verdict,
            }),
          ),
        ),
    ),
  );
};

const calibrationOf = (pairs: readonly Pair[], judge: string, against: Pair['against'], category: string | null) => {
  const own = pairs.filter((p) => p.judge === judge && p.against === against);
  const cut = category === null ? own : own.filter((p) => p.category === category);
  return {
    ...{ judge, against, category },
    sensitivity: rate(cut, 'fail'),
    specificity: rate(cut, 'success'),
    notApplicable: rate(cut, 'not_applicable'),
    unscored: cut.filter((p) => p.said === 'unscored').length,
  };
};

/**
 * Sensitivity and specificity of every LLM judge, over all checks and by category, wherever a program (`judge: also`, or a
 * panel of LLMs beside the programs) or a person judged too. Each rollout's verdict files are one element of `rollouts`.
 */
export const calibrate = (rollouts: readonly (readonly VerdictFile[])[]): Calibration[] => {
  const pairs = rollouts.flatMap(pairsOf);
  const judges = [...new Set(pairs.map((p) => p.judge))].sort();
  return judges.flatMap((judge) =>
    (['program', 'human'] as const).flatMap((against) => {
      const own = pairs.filter((p) => p.judge === judge && p.against === against);
      if (own.length === 0) return [];
      const categories = [...new Set(own.map((p) => p.category))].sort();
      return [null, ...categories].map((category) => calibrationOf(own, judge, against, category));
    }),
  );
};
