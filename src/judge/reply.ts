import type { Checklist } from '../checklist/schema.ts';
import { categoryNames, itemsOf, plainName, type ReplyEvidence, type ReplyItem } from './reply-items.ts';
import { type Candidate, jsonOfReply } from './reply-text.ts';
import type { VerdictValue } from './schema.ts';

/** What a reply says on one check. */
export interface ReplyVerdict {
  verdict: VerdictValue;
  reason?: string;
  evidence?: ReplyEvidence[];
  grounds?: 'act' | 'absence';
}

/** A judge's reply, read. A check that it does not judge has no key. */
export interface ReplyReading {
  /** By check id; by `category/id` for ids that several categories of the checklist have. */
  verdicts: Record<string, ReplyVerdict>;
  /** Every check has a verdict. */
  complete: boolean;
  /** Ids that the checklist does not have. */
  ignored: string[];
  /** Ids that were given more than once. */
  duplicates: string[];
  /** The JSON had a fault that was mended (a trailing comma, a line break in a string). */
  repaired: boolean;
  /** The reply ends, or breaks, within its JSON: nothing of it counts. */
  cut: boolean;
}

/** The key of a check in a reading: its id, with its category before it where the id alone is not unique. */
export const replyKeys = (checklist: Checklist): { key: string; id: string; category: string; raw: string }[] => {
  const all = checklist.categories.flatMap((c) =>
    c.checks.map((check) => ({ id: check.id.trim(), category: c.category, raw: c.raw })),
  );
  const times = new Map<string, number>();
  for (const { id } of all) times.set(id, (times.get(id) ?? 0) + 1);
  return all.map((x) => ({ ...x, key: (times.get(x.id) ?? 0) > 1 ? `${x.category}/${x.id}` : x.id }));
};

type Keys = ReturnType<typeof replyKeys>;

/** The checks' keys an item may mean; several when its id is not unique and its category does not tell. */
const keysOf = (item: ReplyItem, keys: ReadonlyMap<string, Keys>): string[] => {
  const found = keys.get(item.id) ?? [];
  if (found.length < 2 || item.category === null) return found.map((k) => k.key);
  const category = plainName(item.category);
  return found.filter((k) => [k.category, k.raw].some((name) => plainName(name) === category)).map((k) => k.key);
};

const unscored = (reason: string): ReplyVerdict => ({ verdict: 'unscored', reason });

const verdictOf = (item: ReplyItem): ReplyVerdict => ({
  ...(item.verdict === null ? unscored('the word is no verdict') : { verdict: item.verdict }),
  ...(item.reason === '' || item.verdict === null ? {} : { reason: item.reason }),
  ...(item.evidence.length === 0 ? {} : { evidence: item.evidence }),
  ...(item.grounds === null ? {} : { grounds: item.grounds }),
});

class Reading {
  readonly verdicts = new Map<string, ReplyVerdict>();
  readonly ignored = new Set<string>();
  readonly duplicates = new Set<string>();
  readonly #keys: ReadonlyMap<string, Keys>;

  constructor(keys: ReadonlyMap<string, Keys>) {
    this.#keys = keys;
  }

  add(item: ReplyItem): void {
    const keys = keysOf(item, this.#keys);
    if (keys.length === 0) this.ignored.add(item.id);
    for (const key of keys) {
      const given = keys.length > 1 ? unscored('its category is not told') : verdictOf(item);
      const before = this.verdicts.get(key);
      if (before !== undefined) this.duplicates.add(item.id);
      if (before === undefined) this.verdicts.set(key, given);
      else if (before.verdict !== given.verdict)
        this.verdicts.set(key, unscored('given twice, with different verdicts'));
    }
  }
}

/** What all the answers of one reply agree on; where one says otherwise, or nothing, nobody can tell which one counts. */
const agreement = (readings: readonly Reading[]): Map<string, ReplyVerdict> => {
  const [first, ...others] = readings;
  if (first === undefined || others.length === 0) return first?.verdicts ?? new Map();
  const all = new Set(readings.flatMap((r) => [...r.verdicts.keys()]));
  const same = (key: string): ReplyVerdict => {
    const said = readings.map((r) => r.verdicts.get(key));
    const one = said[0];
    return one !== undefined && said.every((v) => v?.verdict === one.verdict)
      ? one
      : unscored('the reply holds several answers that differ');
  };
  return new Map([...all].map((key) => [key, same(key)]));
};

/**
 * Reads a judge's reply. Forgiven: fences, prose around, thinking before, a BOM, trailing commas, the usual names and
 * shapes of lists, the usual words for a verdict. Never guessed: a reply that is cut gives nothing; of several answers that
 * differ, none counts (one may be quoted from the agent); an item without a known id is no item; an overall grade is none.
 * Time is linear in the text. Never throws.
 */
export const readReply = (text: string, checklist: Checklist): ReplyReading => {
  const keys = replyKeys(checklist);
  const byId = new Map<string, Keys>();
  for (const key of keys) byId.set(key.id, [...(byId.get(key.id) ?? []), key]);
  const categories = categoryNames(checklist.categories.flatMap((c) => [c.category, c.raw]));
  const json = jsonOfReply(text);
  const ids = new Set(byId.keys());
  const read = (candidates: readonly Candidate[]): Reading => {
    const reading = new Reading(byId);
    for (const { value } of candidates) for (const item of itemsOf(value, ids, categories)) reading.add(item);
    return reading;
  };
  const alone = json.candidates.map((candidate) => ({ candidate, reading: read([candidate]) }));
  const answers = alone.filter(({ reading }) => reading.verdicts.size > 0);
  // Nothing but items, one a line, is one answer; anything else between them makes them several.
  const joined = json.bare && answers.length > 1 ? [read(json.candidates)] : answers.map((a) => a.reading);
  const verdicts = agreement(joined);
  const union = (of: (r: Reading) => ReadonlySet<string>): string[] => [
    ...new Set([...alone.map((a) => a.reading), ...joined].flatMap((r) => [...of(r)])),
  ];
  return {
    verdicts: Object.fromEntries(verdicts),
    complete: keys.every(({ key }) => (verdicts.get(key)?.verdict ?? 'unscored') !== 'unscored'),
    ignored: union((r) => r.ignored),
    duplicates: union((r) => r.duplicates),
    repaired: answers.some((a) => a.candidate.repaired),
    cut: json.cut,
  };
};
