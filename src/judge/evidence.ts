import { oneLine } from '../core/text.ts';
import type { Coordinate } from '../trajectory/schema.ts';
import type { RuleEvent } from './event.ts';
import type { Finding, FoundEvent } from './find-events.ts';
import type { Condition, EventSet, Match } from './grammar.ts';
import type { World } from './world.ts';

/** Coordinates that a verdict carries at most; the number of events stands beside them. */
const MOST = 50;
const QUOTE = 160;

/* The place in the text that a test of the rule points at. */
const placeOf = (
  matches: readonly Match[],
  text: string,
  event: RuleEvent,
  world: World,
): { start: number; end: number } | null => {
  for (const match of matches) {
    if (match.is === 'test') {
      const place = match.bound.find?.(text, { event, world }) ?? null;
      if (place !== null) return place;
    } else {
      const inner =
        match.is === 'not' || match.is === 'each' || match.is === 'none'
          ? [match.match]
          : match.is === 'one_of' || match.is === 'all'
            ? match.matches
            : [];
      const place = placeOf(inner, text, event, world);
      if (place !== null) return place;
    }
  }
  return null;
};

const matchesOf = (set: EventSet): Match[] =>
  set.is === 'one_of' ? set.events.flatMap(matchesOf) : set.fields.map((f) => f.match);

const matchesIn = (condition: Condition): Match[] => {
  if (condition.is === 'field') return [condition.match];
  if (condition.is === 'and' || condition.is === 'or') return condition.conditions.flatMap(matchesIn);
  return condition.is === 'not' ? matchesIn(condition.condition) : [];
};

/** Every match of a rule's event and condition: they know which words of a text they found. */
export const matchesFor = (set: EventSet, must?: Condition): Match[] => [
  ...matchesOf(set),
  ...(must === undefined ? [] : matchesIn(must)),
];

/* A stretch of the text itself, around the place when there is one: a quote must be found in the text again. */
const quoteOf = (event: RuleEvent, matches: readonly Match[], world: World): string | undefined => {
  const { text } = event;
  if (text === undefined || text === '') return undefined;
  const place = placeOf(matches, text, event, world);
  const start = place === null ? 0 : Math.max(0, place.start - Math.max(0, (QUOTE - (place.end - place.start)) >> 1));
  return text
    .slice(start, start + QUOTE)
    .replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '')
    .toWellFormed()
    .trim();
};

/** Where an event is, with its path or a quote; a change that no action explains is seen at the end. */
const coordinateOf = (event: RuleEvent, matches: readonly Match[], world: World): Coordinate => {
  const quote = quoteOf(event, matches, world);
  return {
    thread: event.thread,
    turn: event.turn ?? world.byId.get(event.thread)?.turns.at(-1)?.turn ?? 0,
    ...(event.toolCall === null ? {} : { toolCall: event.toolCall }),
    ...(quote === undefined ? {} : { quote }),
    ...(event.path === undefined ? {} : { path: event.path }),
  };
};

export const coordinatesOf = (events: readonly RuleEvent[], matches: readonly Match[], world: World): Coordinate[] =>
  events
    .filter((e) => e.unseen !== true)
    .slice(0, MOST)
    .map((e) => coordinateOf(e, matches, world));

/** An event in a few words: what it is, where. */
export const describeEvent = (event: RuleEvent): string => {
  if (event.unseen === true) return `a ${event.source} that could not be read`;
  const what = event.path ?? event.text;
  const where = event.turn === null ? event.thread : `${event.thread}, turn ${event.turn}`;
  return `${event.source}${what === undefined ? '' : ` "${oneLine(what, 60)}"`} (${where})`;
};

/* Sources whose name is no word for one event. */
const NOUNS: Readonly<Record<string, string>> = { say: 'text', think: 'thought', given: 'block', todo: 'todo list' };

const plural = (noun: string, n: number): string => (n === 1 ? noun : `${noun.replace(/([^aeiou])y$/, '$1ie')}s`);

/** `12 actions in main`: what a search looked at. */
export const describeSearch = (finding: Finding): string => {
  const kinds = finding.sources.map((s) => plural(NOUNS[s] ?? s, finding.searched)).join(' and ');
  const threads = finding.threads.length > 3 ? `${finding.threads.length} threads` : finding.threads.join(', ');
  return `${finding.searched} ${kinds} in ${threads === '' ? 'no thread' : threads}`;
};

export const sureOf = (found: readonly FoundEvent[]): RuleEvent[] =>
  found.filter((f) => f.truth === 'S').map((f) => f.event);
export const unsureOf = (found: readonly FoundEvent[]): RuleEvent[] =>
  found.filter((f) => f.truth === 'U').map((f) => f.event);
