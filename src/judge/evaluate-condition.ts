import { matchValue } from './evaluate-match.ts';
import { type RuleEvent, UNKNOWN } from './event.ts';
import type { FoundEvent, Search } from './find-events.ts';
import type { Condition } from './grammar.ts';
import { earlierInCall, turnsBetween } from './order.ts';
import { allOf, anyOf, opposite, type Truth } from './truth.ts';

type Order = Extract<Condition, { is: 'order' }>;

/** An inner event at its place for the outer thread. */
interface Placed {
  place: number;
  event: RuleEvent;
  truth: 'S' | 'U';
}

/** Inner events that share their `same` fields, by place. */
interface Bucket {
  sure: Placed[];
  unsure: Placed[];
  /** By call, for commands that are ordered within it. */
  byCall: Map<string, Placed[]>;
}

/** The inner events of an order condition, ready to be asked from one outer thread. */
interface OrderIndex {
  buckets: Map<string, Bucket>;
  /** Inner events whose `same` fields are not known. */
  loose: Bucket;
  /** Inner events that may stand anywhere. */
  unplaced: boolean;
  all: Bucket;
}

const newBucket = (): Bucket => ({ sure: [], unsure: [], byCall: new Map() });

const put = (bucket: Bucket, placed: Placed): void => {
  (placed.truth === 'S' ? bucket.sure : bucket.unsure).push(placed);
  const { toolCall, index } = placed.event;
  if (toolCall === null || index === null) return;
  const key = `${placed.event.thread}\n${toolCall}`;
  const list = bucket.byCall.get(key);
  if (list === undefined) bucket.byCall.set(key, [placed]);
  else list.push(placed);
};

const PART = '\u0000';

/* The values that must agree, as one key; null when one of them is absent or not known. */
const keyOf = (event: RuleEvent, fields: readonly string[]): string | null => {
  const parts: string[] = [];
  for (const field of fields) {
    const value = event.read(field);
    if (value === undefined || value === null || value === UNKNOWN) return null;
    parts.push(typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? ''));
  }
  return parts.join(PART);
};

const byPlace = (a: Placed, b: Placed): number => a.place - b.place;

const indexOf = (found: readonly FoundEvent[], condition: Order, outerThread: string, search: Search): OrderIndex => {
  const index: OrderIndex = { buckets: new Map(), loose: newBucket(), unplaced: false, all: newBucket() };
  const fields = condition.same.map((s) => s.inner);
  for (const { event, truth } of found) {
    const place = search.place(event.thread, outerThread)(event);
    if (place === null) {
      if (event.position === null) index.unplaced = true;
      continue;
    }
    const placed: Placed = { place, event, truth };
    put(index.all, placed);
    const key = keyOf(event, fields);
    const bucket = key === null ? index.loose : (index.buckets.get(key) ?? newBucket());
    if (key !== null) index.buckets.set(key, bucket);
    put(bucket, placed);
  }
  for (const bucket of [index.all, index.loose, ...index.buckets.values()]) {
    bucket.sure.sort(byPlace);
    bucket.unsure.sort(byPlace);
  }
  return index;
};

/* First entry at or after `place` (or strictly after it). */
const lowerBound = (list: readonly Placed[], place: number, after: boolean): number => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = list[middle]?.place ?? 0;
    if (at < place || (after && at === place)) low = middle + 1;
    else high = middle;
  }
  return low;
};

const alongside = (list: readonly Placed[], outer: RuleEvent, position: number): boolean => {
  for (let i = lowerBound(list, position, false); list[i]?.place === position; i++) {
    const inner = list[i]?.event;
    if (inner === undefined || inner === outer || inner.thread !== outer.thread) continue;
    if (inner.toolCall === null || inner.toolCall !== outer.toolCall) return true;
  }
  return false;
};

const inList = (list: readonly Placed[], condition: Order, outer: RuleEvent, position: number): boolean => {
  if (condition.relation === 'alongside') return alongside(list, outer, position);
  const limit = condition.within ?? Number.POSITIVE_INFINITY;
  if (condition.relation === 'preceded_by') {
    const nearest = list[lowerBound(list, position, false) - 1];
    return (
      nearest !== undefined && (limit === Number.POSITIVE_INFINITY || turnsBetween(nearest.place, position) <= limit)
    );
  }
  const nearest = list[lowerBound(list, position, true)];
  return (
    nearest !== undefined && (limit === Number.POSITIVE_INFINITY || turnsBetween(position, nearest.place) <= limit)
  );
};

const inCall = (bucket: Bucket, condition: Order, outer: RuleEvent, truth: 'S' | 'U'): boolean => {
  if (condition.relation === 'alongside' || outer.toolCall === null || outer.index === null) return false;
  const peers = bucket.byCall.get(`${outer.thread}\n${outer.toolCall}`) ?? [];
  return peers.some(
    (p) =>
      p.truth === truth &&
      (condition.relation === 'preceded_by' ? earlierInCall(p.event, outer) : earlierInCall(outer, p.event)),
  );
};

const askBucket = (bucket: Bucket | undefined, condition: Order, outer: RuleEvent, position: number): Truth => {
  if (bucket === undefined) return 'F';
  if (inList(bucket.sure, condition, outer, position) || inCall(bucket, condition, outer, 'S')) return 'S';
  return inList(bucket.unsure, condition, outer, position) || inCall(bucket, condition, outer, 'U') ? 'U' : 'F';
};

/** Evaluates conditions on events; indexes of inner events are made once for each condition and outer thread. */
export interface ConditionEvaluator {
  holds(condition: Condition, event: RuleEvent): Truth;
}

class Conditions implements ConditionEvaluator {
  readonly #search: Search;
  readonly #indexes = new WeakMap<Condition, Map<string, OrderIndex>>();

  constructor(search: Search) {
    this.#search = search;
  }

  holds(condition: Condition, event: RuleEvent): Truth {
    if (event.unseen === true) return 'U';
    if (condition.is === 'field') {
      return matchValue(condition.match, event.read(condition.field), { event, world: this.#search.world });
    }
    if (condition.is === 'and') return allOf(condition.conditions.map((c) => this.holds(c, event)));
    if (condition.is === 'or') return anyOf(condition.conditions.map((c) => this.holds(c, event)));
    if (condition.is === 'not') return opposite(this.holds(condition.condition, event));
    return this.#ordered(condition, event);
  }

  #index(condition: Order, thread: string): OrderIndex | null {
    const view = this.#search.world.byId.get(thread);
    if (view === undefined) return null;
    const kept = this.#indexes.get(condition) ?? new Map<string, OrderIndex>();
    this.#indexes.set(condition, kept);
    const known = kept.get(thread);
    if (known !== undefined) return known;
    const index = indexOf(this.#search.find(condition.event, view).found, condition, thread, this.#search);
    kept.set(thread, index);
    return index;
  }

  #ordered(condition: Order, outer: RuleEvent): Truth {
    const index = this.#index(condition, outer.thread);
    const { position } = outer;
    if (index === null || position === null) return 'U';
    const key = keyOf(
      outer,
      condition.same.map((s) => s.outer),
    );
    const asked = (bucket: Bucket | undefined): Truth => askBucket(bucket, condition, outer, position);
    const unsure: Truth = index.unplaced ? 'U' : 'F';
    if (key === null) return asked(index.all) === 'F' ? unsure : 'U';
    const answer = asked(index.buckets.get(key));
    if (answer !== 'F') return answer;
    return asked(index.loose) === 'F' ? unsure : 'U';
  }
}

/** One a trajectory. */
export const createConditions = (search: Search): ConditionEvaluator => new Conditions(search);
