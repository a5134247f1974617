import { matchValue } from './evaluate-match.ts';
import type { RuleEvent } from './event.ts';
import type { Anchor, EventSet, Match, Scope, SourceEvent } from './grammar.ts';
import { earlierInCall, type Placing, placing } from './order.ts';
import type { Truth } from './truth.ts';
import { SOURCES } from './verifiers/all.ts';
import type { Source } from './verifiers/source.ts';
import type { ThreadView, World } from './world.ts';

/** An event that passed a filter, surely (S) or perhaps (U). */
export interface FoundEvent {
  event: RuleEvent;
  truth: 'S' | 'U';
}

/** What a search for events gave. */
export interface Finding {
  found: FoundEvent[];
  /** Whether the `since`/`while` anchors came; S when there are none. */
  came: Truth;
  /** false = no tool for such events was ever offered. */
  offered: boolean | null;
  /** Events that were looked at, and threads. */
  searched: number;
  sources: string[];
  threads: string[];
}

/** A search over one world; what was found once is kept. */
export interface Search {
  world: World;
  /** Events of a set for an outer thread (null = a rule's own event: its scope or the source's default). */
  find(set: EventSet, outer: ThreadView | null): Finding;
  /** Where events of one thread stand for another. */
  place(from: string, to: string): Placing;
}

const sourceByName = new Map(SOURCES.map((s) => [s.name, s]));

/** What each event of a thread is for a `since`, `until` or `while`: in, out or not known. */
interface Window {
  came: Truth;
  holds(event: RuleEvent): Truth;
}

const OPEN: Window = { came: 'S', holds: () => 'S' };

const certainty = (truths: readonly Truth[]): Truth => {
  const [first] = truths;
  return first !== undefined && truths.every((t) => t === first) ? first : 'U';
};

/** Matches on the field that a source is named by; `any` when there is none. */
const subjectMatch = (source: Source, event: SourceEvent): Match =>
  event.fields.find((f) => f.field === source.subject)?.match ?? { is: 'any' };

const passes = (event: RuleEvent, set: SourceEvent, world: World): Truth => {
  if (event.unseen === true) return 'U';
  let whole: Truth = 'S';
  for (const { field, match } of set.fields) {
    const truth = matchValue(match, event.read(field), { event, world });
    if (truth === 'F' || truth === 'N') return 'F';
    if (truth === 'U') whole = 'U';
  }
  return whole;
};

/* The event that a `first` or `last` may be: the U ones on the way to the first sure one, and that. */
const candidates = (
  found: readonly FoundEvent[],
  pick: 'first' | 'last',
): { events: RuleEvent[]; mayLack: boolean } => {
  const line = pick === 'first' ? found : [...found].reverse();
  const sure = line.findIndex((f) => f.truth === 'S');
  return {
    events: line.slice(0, sure < 0 ? line.length : sure + 1).map((f) => f.event),
    mayLack: sure < 0,
  };
};

class EventSearch implements Search {
  readonly world: World;
  readonly #events = new Map<string, RuleEvent[]>();
  readonly #findings = new WeakMap<EventSet, Map<string, Finding>>();
  readonly #placings = new Map<string, Placing>();

  constructor(world: World) {
    this.world = world;
  }

  place(from: string, to: string): Placing {
    const key = `${from}\n${to}`;
    let known = this.#placings.get(key);
    if (known === undefined) {
      const a = this.world.byId.get(from);
      const b = this.world.byId.get(to);
      known = a === undefined || b === undefined ? () => null : placing(a, b, this.world);
      this.#placings.set(key, known);
    }
    return known;
  }

  find(set: EventSet, outer: ThreadView | null): Finding {
    const kept = this.#findings.get(set) ?? new Map<string, Finding>();
    this.#findings.set(set, kept);
    const key = outer?.id ?? '';
    const known = kept.get(key);
    if (known !== undefined) return known;
    const finding =
      set.is === 'one_of' ? this.#together(set.events.map((e) => this.find(e, outer))) : this.#search(set, outer);
    kept.set(key, finding);
    return finding;
  }

  /* Several sets as one: each event once, in order. */
  #together(parts: readonly Finding[]): Finding {
    const best = new Map<RuleEvent, FoundEvent>();
    for (const f of parts.flatMap((p) => p.found)) if (f.truth === 'S' || !best.has(f.event)) best.set(f.event, f);
    const offers = parts.map((p) => p.offered);
    const came = parts.map((p) => p.came);
    return {
      found: this.#inOrder([...best.values()]),
      came: came.includes('S') ? 'S' : certainty(came),
      offered: offers.includes(true) ? true : offers.includes(null) ? null : false,
      searched: parts.reduce((n, p) => n + p.searched, 0),
      sources: [...new Set(parts.flatMap((p) => p.sources))],
      threads: [...new Set(parts.flatMap((p) => p.threads))],
    };
  }

  #threads(scope: Scope | null, source: Source, outer: ThreadView | null): readonly ThreadView[] {
    if (scope === null && outer !== null) return [outer];
    const wanted = scope ?? source.scope;
    if (wanted === 'all') return this.world.threads;
    return this.world.threads.filter((t) => t.role === (wanted === 'main' ? 'main' : 'subagent'));
  }

  #search(set: SourceEvent, outer: ThreadView | null): Finding {
    const source = sourceByName.get(set.source);
    if (source === undefined) throw new Error(`no source "${set.source}"`);
    const threads = this.#threads(set.scope, source, outer);
    const found: FoundEvent[] = [];
    const came: Truth[] = [];
    let searched = 0;
    for (const thread of threads) {
      const windows = [this.#since(set.since, thread), this.#until(set.until, thread), this.#while(set.while, thread)];
      const arrived = windows.map((w) => w.came);
      came.push(arrived.includes('F') ? 'F' : certainty(arrived));
      if (arrived.includes('F')) continue;
      for (const event of this.#eventsOf(source, thread)) {
        if (event.unseen !== true) searched++;
        const truths = [passes(event, set, this.world), ...windows.map((w) => w.holds(event))];
        if (!truths.includes('F')) found.push({ event, truth: truths.includes('U') ? 'U' : 'S' });
      }
    }
    const offers = threads.map((t) => source.offered?.(t, this.world, subjectMatch(source, set)) ?? null);
    return {
      found: this.#inOrder(found),
      came: came.length === 0 || came.includes('S') ? 'S' : certainty(came),
      offered: offers.includes(true) ? true : offers.length === 0 || offers.includes(null) ? null : false,
      searched,
      sources: [source.name],
      threads: threads.map((t) => t.id),
    };
  }

  #eventsOf(source: Source, thread: ThreadView): RuleEvent[] {
    const key = `${source.name}\n${thread.id}`;
    const events = this.#events.get(key) ?? source.events(thread, this.world);
    this.#events.set(key, events);
    return events;
  }

  /* By the place in the main thread; a subagent's own order within its place. */
  #inOrder(found: FoundEvent[]): FoundEvent[] {
    const main = this.world.threads.find((t) => t.role === 'main');
    if (main === undefined || found.every((f) => f.event.thread === found[0]?.event.thread))
      return sorted(found, (e) => e.position);
    return sorted(
      sorted(found, (e) => e.position),
      (e) => this.place(e.thread, main.id)(e),
    );
  }

  /* Anchors as events, with their places for the thread. */
  #anchor(
    anchor: Anchor,
    thread: ThreadView,
  ): { places: { place: number; event: RuleEvent | null }[]; mayLack: boolean } {
    if ('query' in anchor) {
      const event = this.#query(anchor.query);
      const place = event === undefined ? null : this.place(event.thread, thread.id)(event);
      return event === undefined || place === null
        ? { places: [], mayLack: true }
        : { places: [{ place: place - BESIDE, event }], mayLack: false };
    }
    const { events, mayLack } = candidates(this.find(anchor.event, thread).found, anchor.pick);
    const places = events.flatMap((event) => {
      const place = this.place(event.thread, thread.id)(event);
      return place === null ? [] : [{ place, event }];
    });
    return { places, mayLack: mayLack || places.length < events.length };
  }

  /* Queries are the user's: those of the main thread. */
  #query(index: number): RuleEvent | undefined {
    const main = this.world.threads.find((t) => t.role === 'main');
    const source = sourceByName.get('query');
    if (main === undefined || source === undefined) return undefined;
    return this.#eventsOf(source, main).find((e) => e.read('query') === index);
  }

  #since(anchor: Anchor | null, thread: ThreadView): Window {
    if (anchor === null) return OPEN;
    const { places, mayLack } = this.#anchor(anchor, thread);
    if (places.length === 0) return { came: 'F', holds: () => 'F' };
    return {
      came: mayLack ? 'U' : 'S',
      holds: (e) => {
        const truths = places.map((p) => comesAfter(e, p));
        return certainty(mayLack ? [...truths, 'F'] : truths);
      },
    };
  }

  #until(anchor: Anchor | null, thread: ThreadView): Window {
    if (anchor === null) return OPEN;
    const { places, mayLack } = this.#anchor(anchor, thread);
    return {
      came: 'S',
      holds: (e) => {
        const truths = places.map((p) => comesBefore(e, p));
        return certainty(mayLack ? [...truths, 'S'] : truths);
      },
    };
  }

  #while(span: SourceEvent['while'], thread: ThreadView): Window {
    if (span === null) return OPEN;
    const ends = (set: EventSet, opens: boolean): Boundary[] =>
      this.find(set, thread).found.flatMap(({ event, truth }) => {
        const place = this.place(event.thread, thread.id)(event);
        return place === null ? [] : [{ place, opens, truth }];
      });
    const starts = ends(span.from, true);
    if (starts.length === 0) return { came: 'F', holds: () => 'F' };
    return {
      came: starts.some((s) => s.truth === 'S') ? 'S' : 'U',
      holds: insideOf([...starts, ...ends(span.to, false)]),
    };
  }
}

/* What comes with a query in one request belongs to it. */
const BESIDE = 0.5;

interface Boundary {
  place: number;
  opens: boolean;
  truth: 'S' | 'U';
}

const sorted = (found: readonly FoundEvent[], key: (e: RuleEvent) => number | null): FoundEvent[] =>
  [...found].sort((a, b) => (key(a.event) ?? Number.MAX_VALUE) - (key(b.event) ?? Number.MAX_VALUE));

const comesAfter = (e: RuleEvent, anchor: { place: number; event: RuleEvent | null }): Truth => {
  if (e === anchor.event) return 'F';
  if (e.position === null) return 'U';
  return e.position > anchor.place || (anchor.event !== null && earlierInCall(anchor.event, e)) ? 'S' : 'F';
};

const comesBefore = (e: RuleEvent, anchor: { place: number; event: RuleEvent | null }): Truth => {
  if (e.position === null) return 'U';
  return e.position < anchor.place || (anchor.event !== null && earlierInCall(e, anchor.event)) ? 'S' : 'F';
};

/* Opened before the event and not closed before it or beside it; found by binary search over the ends. */
const insideOf = (ends: Boundary[]): ((event: RuleEvent) => Truth) => {
  ends.sort((a, b) => a.place - b.place);
  let state: Truth = 'F';
  const states = ends.map((end) => {
    if (end.truth === 'S') state = end.opens ? 'S' : 'F';
    else if (state !== (end.opens ? 'S' : 'F')) state = 'U';
    return state;
  });
  return (event) => {
    if (event.position === null) return 'U';
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.place ?? 0) < event.position) low = middle + 1;
      else high = middle;
    }
    const before = states[low - 1] ?? 'F';
    for (let i = low; ends[i]?.place === event.position; i++) if (ends[i]?.opens === false) return 'F';
    return before;
  };
};

/** A search that keeps what it found; one a trajectory. */
export const createSearch = (world: World): Search => new EventSearch(world);
