import { type LooseJson, readLooseJson } from './loose-json.ts';

/** A JSON value of a reply, and where in the text it stands. */
export interface Candidate {
  value: LooseJson;
  start: number;
  end: number;
  repaired: boolean;
}

/** The JSON of a reply: every value that stands in it whole, or word that it was cut. */
export interface ReplyJson {
  candidates: Candidate[];
  /** Nothing but JSON values and white space (fences and thinking apart): several values are then one answer in lines. */
  bare: boolean;
  cut: boolean;
}

const NONE: ReplyJson = { candidates: [], bare: false, cut: false };
const CUT: ReplyJson = { ...NONE, cut: true };
const THINK_OPEN = /\s*<(think|thinking|reasoning)>/iy;
const THINK_CLOSE = /<\/(think|thinking|reasoning)>/gi;
const FENCE = /^```[^\n`]*\n([\s\S]*?)(?:\n?```)?$/;

/** The text after its leading thinking; null when the thinking never ends. */
const afterThinking = (text: string): string | null => {
  let at = 0;
  for (;;) {
    THINK_OPEN.lastIndex = at;
    if (!THINK_OPEN.test(text)) return text.slice(at).trim();
    THINK_CLOSE.lastIndex = THINK_OPEN.lastIndex;
    if (!THINK_CLOSE.test(text)) return null;
    at = THINK_CLOSE.lastIndex;
  }
};

/** The text as one value and nothing else. */
const whole = (text: string): Candidate | null => {
  if (!/^[[{]/.test(text)) return null;
  const read = readLooseJson(text, 0, { rawLines: true });
  if (read.kind !== 'value' || text.slice(read.end).trim() !== '') return null;
  return { value: read.value, start: 0, end: read.end, repaired: read.repaired };
};

/**
 * Every JSON value in a text, none inside another. What was begun after the last whole one and broke off makes the reply
 * cut: the whole ones before it may be quotations.
 */
const scan = (text: string): ReplyJson => {
  const candidates: Candidate[] = [];
  let broken = -1;
  const opening = /[[{]/g;
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const start = found.index;
    const read = readLooseJson(text, start);
    if (read.kind === 'cut') return CUT;
    if (read.kind === 'value') candidates.push({ value: read.value, start, end: read.end, repaired: read.repaired });
    else if (read.keyed) broken = start;
    // Never back into what was read: the pieces of a broken value are no answers, and time stays linear.
    opening.lastIndex = Math.max(start + 1, read.kind === 'value' ? read.end : read.at);
  }
  if (broken > (candidates.at(-1)?.end ?? -1)) return CUT;
  return { candidates, bare: isBare(text, candidates), cut: false };
};

const isBare = (text: string, candidates: readonly Candidate[]): boolean => {
  let at = 0;
  const gaps = candidates.map((c) => {
    const gap = text.slice(at, c.start);
    at = c.end;
    return gap;
  });
  return [...gaps, text.slice(at)].every((gap) => /^[\s,]*$/.test(gap));
};

/** Drops what stands before a closing thinking tag that is part of no value (some servers swallow the opening one). */
const afterLastThought = (text: string, candidates: readonly Candidate[]): Candidate[] => {
  let last = -1;
  let next = 0;
  for (const tag of text.matchAll(THINK_CLOSE)) {
    while ((candidates[next]?.end ?? text.length) <= tag.index) next++;
    if (tag.index < (candidates[next]?.start ?? text.length)) last = tag.index;
  }
  return candidates.filter((c) => c.start > last);
};

/** Finds the JSON of a judge's reply: the whole text, the inside of one fence, else whatever stands whole between prose. */
export const jsonOfReply = (reply: string): ReplyJson => {
  const text = reply.replace(/^\uFEFF/, '').trim();
  if (text === '') return NONE;
  const spoken = afterThinking(text);
  if (spoken === null) return CUT;
  const inside = FENCE.exec(spoken)?.[1]?.trim() ?? spoken;
  const one = whole(spoken) ?? whole(inside);
  if (one !== null) return { candidates: [one], bare: true, cut: false };
  const json = scan(inside);
  return { ...json, candidates: afterLastThought(inside, json.candidates) };
};
