import { CATEGORIES } from '../checklist/schema.ts';
import type { LooseJson, LooseObject } from './loose-json.ts';
import type { VerdictValue } from './schema.ts';
import { verdictOfWord } from './verdict-words.ts';

/** A quote that a judge rests on; the turn is null when it named none. */
export interface ReplyEvidence {
  turn: number | null;
  quote: string;
  thread?: string;
}

/** One judged check as a reply gives it. */
export interface ReplyItem {
  id: string;
  /** The category it stood under, as written; null when it stood under none. */
  category: string | null;
  /** Null: a word that is no verdict, or several that disagree. */
  verdict: VerdictValue | null;
  reason: string;
  evidence: ReplyEvidence[];
  /** Whether it rests on something that was done, or on nothing forbidden having happened; null when it does not say. */
  grounds: 'act' | 'absence' | null;
}

const ID = ['checkid', 'id', 'check'];
const VERDICT = ['result', 'verdict', 'judgement', 'judgment'];
/** Read only where none of the first is there: a score may stand beside a verdict. */
const VERDICT_TOO = ['status', 'outcome', 'passed', 'pass', 'score', 'answer'];
const REASON = ['reason', 'reasoning', 'rationale', 'explanation', 'why', 'justification'];
const EVIDENCE = ['evidence', 'quote', 'quotes'];
const CATEGORY = ['category'];
/** Names under which items stand; under any other name a reply may quote, and quotations are not read. */
const CONTAINERS = new Set(
  [
    'checks',
    'checklist',
    'results',
    'verdicts',
    'items',
    'categories',
    'evaluation',
    'evaluations',
    'judgements',
  ].concat(['judgments', 'output', 'answer', 'answers', 'response', 'data', 'result', 'instance']),
);

/** A name without case, blanks and signs. */
export const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const CATEGORY_NAMES = new Set([...CATEGORIES.map(plainName), 'systemprompt', 'agents', 'skill', 'skills', 'tools']);

const isObject = (value: LooseJson): value is LooseObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const valuesOf = (object: LooseObject, names: readonly string[]): LooseJson[] =>
  object.members.filter(([name]) => names.includes(plainName(name))).map(([, value]) => value);

const wordsOf = (object: LooseObject): LooseJson[] => {
  const words = valuesOf(object, VERDICT);
  return words.length > 0 ? words : valuesOf(object, VERDICT_TOO);
};

const textOf = (value: LooseJson | undefined): string => (typeof value === 'string' ? value.trim() : '');

const turnOf = (value: LooseJson | undefined): number | null => {
  const turn = typeof value === 'string' ? Number(/^(?:turn\s*)?(\d+)$/i.exec(value.trim())?.[1] ?? Number.NaN) : value;
  return typeof turn === 'number' && Number.isInteger(turn) && turn >= 0 ? turn : null;
};

const evidenceOf = (value: LooseJson): ReplyEvidence[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ turn: null, quote: value }];
  if (Array.isArray(value)) return value.flatMap(evidenceOf);
  if (!isObject(value)) return [];
  const quote = textOf(valuesOf(value, ['quote', 'text', 'excerpt'])[0]);
  const thread = textOf(valuesOf(value, ['thread'])[0]);
  const turn = turnOf(valuesOf(value, ['turn', 'turnindex', 'index'])[0]);
  return quote === '' ? [] : [{ turn, quote, ...(thread === '' ? {} : { thread }) }];
};

const groundsOf = (value: LooseJson | undefined): ReplyItem['grounds'] =>
  value === 'act' || value === 'absence' ? value : null;

/** The one verdict that all words give; null when they disagree or one is none. */
const agreed = (words: readonly LooseJson[]): VerdictValue | null => {
  const read = new Set(words.map(verdictOfWord));
  return read.size === 1 ? ([...read][0] ?? null) : null;
};

const itemOf = (id: string, category: string | null, object: LooseObject): ReplyItem => ({
  id,
  category: textOf(valuesOf(object, CATEGORY)[0]) || category,
  verdict: agreed(wordsOf(object)),
  reason: textOf(valuesOf(object, REASON)[0]),
  evidence: valuesOf(object, EVIDENCE).flatMap(evidenceOf),
  grounds: groundsOf(valuesOf(object, ['grounds'])[0]),
});

class Collector {
  readonly items: ReplyItem[] = [];
  readonly #known: ReadonlySet<string>;
  readonly #categories: ReadonlySet<string>;

  constructor(known: ReadonlySet<string>, categories: ReadonlySet<string>) {
    this.#known = known;
    this.#categories = categories;
  }

  read(value: LooseJson, category: string | null): void {
    if (Array.isArray(value)) for (const element of value) this.read(element, category);
    if (!isObject(value)) return;
    const ids = valuesOf(value, ID).filter((id) => typeof id === 'string' || typeof id === 'number');
    const names = [...new Set(ids.map((id) => String(id).trim()))];
    const words = wordsOf(value);
    // `{"id": "cart-1", "result": [...]}` names the instance, and its result is a list of items.
    const wraps =
      !names.some((id) => this.#known.has(id)) && words.some((word) => typeof word === 'object' && word !== null);
    if (names.length > 0 && words.length > 0 && !wraps) {
      for (const id of names) {
        const item = itemOf(id, category, value);
        // An item that names two checks is about neither.
        this.items.push(names.length === 1 ? item : { ...item, verdict: null });
      }
      return;
    }
    for (const [name, member] of value.members) this.#member(name, member, category);
  }

  #member(name: string, value: LooseJson, category: string | null): void {
    const plain = plainName(name);
    if (this.#known.has(name.trim()) && this.#byName(name.trim(), value, category)) return;
    if (this.#categories.has(plain) || CATEGORY_NAMES.has(plain)) this.read(value, name.trim());
    else if (CONTAINERS.has(plain)) this.read(value, category);
  }

  /** `{"c1": "success"}` and `{"c1": {"result": "success"}}`. */
  #byName(id: string, value: LooseJson, category: string | null): boolean {
    if (isObject(value)) {
      if (wordsOf(value).length === 0) return false;
      this.items.push(itemOf(id, category, value));
      return true;
    }
    if (Array.isArray(value)) return false;
    this.items.push({ id, category, verdict: verdictOfWord(value), reason: '', evidence: [], grounds: null });
    return true;
  }
}

/** The category names that a reply to this checklist may use, as `itemsOf` takes them. */
export const categoryNames = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(plainName));

/** The judged checks of a reply's JSON, in its order. What stands inside an item (its evidence) is never read as items. */
export const itemsOf = (value: LooseJson, ids: ReadonlySet<string>, categories: ReadonlySet<string>): ReplyItem[] => {
  const collector = new Collector(ids, categories);
  collector.read(value, null);
  return collector.items;
};
