import type { Coordinate, Trajectory } from '../trajectory/schema.ts';
import { judgingView } from '../trajectory/view.ts';
import type { ReplyEvidence } from './reply-items.ts';

/** Finds quotes in a record. */
export interface QuoteIndex {
  /** Where the quote stands; in its own turn first, else anywhere. Null when the record does not say it. */
  find(evidence: ReplyEvidence): Coordinate | null;
}

const SHORTEST = 3;
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const QUOTES = /^["'`“”‘’«»]+|["'`“”‘’«»]+$/g;

/** White space folded, what cannot be seen removed. */
const fold = (text: string): string => text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();

/** Ways to write one passage: as it is, without quotation marks around, with JSON's escapes as they are on the wire. */
const spellings = (quote: string): string[] => {
  const bare = quote.trim().replace(QUOTES, '');
  return [...new Set([quote, bare, JSON.stringify(bare).slice(1, -1)].map(fold))].filter((s) => s.length >= SHORTEST);
};

/** An index over everything a judge may have read: the view without anything cut. Names must be masked as they were for the judge. */
export const quoteIndex = (trajectory: Trajectory, mask: readonly string[]): QuoteIndex => {
  const whole = { maxResult: Number.POSITIVE_INFINITY, maxText: Number.POSITIVE_INFINITY, mask };
  const sections = judgingView(trajectory, whole).sections.map(({ thread, turn, text }) => ({
    ...{ thread, turn, text: fold(text) },
  }));
  const main = trajectory.threads.find((t) => t.role === 'main')?.id;
  return {
    find: ({ quote, turn, thread }) => {
      const said = spellings(quote);
      const holds = (s: { text: string }): boolean => said.some((spelling) => s.text.includes(spelling));
      const own = sections.filter((s) => s.turn === turn && s.thread === (thread ?? main));
      const found = own.find(holds) ?? sections.find(holds);
      return found === undefined ? null : { thread: found.thread, turn: found.turn ?? 0, quote };
    },
  };
};
