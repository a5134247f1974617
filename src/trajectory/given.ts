import type { Dialect, SourceLabel, SourceSpan, TextPlace } from '../scaffolds/dialect.ts';
import type { Block } from '../wire/schema.ts';
import { safely } from './reminders.ts';
import type { Given, Message, Segment, Thread, Trajectory } from './schema.ts';

/** The label of text that no span covers, by where it stands. Null = it is no instruction material. */
const OWN_LABEL: Readonly<Record<TextPlace, SourceLabel | null>> = {
  system: 'system_prompt',
  first_user: 'query',
  user: 'query',
  tool_result: null,
  tool_description: 'tool_schema',
};

/** Splits a text into stretches by source, in order; white space alone is none. */
const stretchesOf = (text: string, place: TextPlace, dialect: Dialect, appended?: string): SourceSpan[] => {
  const hints = appended === undefined ? undefined : { appended };
  const spans = safely(() => dialect.spans(text, place, hints))
    .filter((s) => s.start >= 0 && s.end <= text.length && s.start < s.end)
    .sort((a, b) => a.start - b.start);
  const own = OWN_LABEL[place];
  const all: SourceSpan[] = [];
  let at = 0;
  const fill = (end: number): void => {
    if (own !== null && end > at && text.slice(at, end).trim() !== '') all.push({ start: at, end, label: own });
  };
  for (const span of spans) {
    if (span.start < at) continue;
    fill(span.start);
    all.push(span);
    at = span.end;
  }
  fill(text.length);
  return all;
};

interface Text {
  text: string;
  block: number;
  place: TextPlace;
}

const textsOf = (blocks: readonly Block[], place: TextPlace): Text[] =>
  blocks.flatMap((block, i): Text[] => {
    if (block.type === 'text') return [{ text: block.text, block: i, place }];
    if (block.type !== 'tool_result') return [];
    return block.blocks.flatMap((b) =>
      b.type === 'text' ? [{ text: b.text, block: i, place: 'tool_result' as const }] : [],
    );
  });

/**
 * The instruction material of a thread by source, in the order in which the model first saw it: the turn whose request had it
 * first, and the last one that still had it (a compaction takes it away unless the new history repeats it).
 */
export const givenOf = (t: Trajectory, thread: Thread, dialect: Dialect, appended?: string): Given[] => {
  const given: Given[] = [];
  for (const [i, segment] of thread.segments.entries()) {
    if (segment.messages.every((m) => m.abandoned === true) && segment.messages.length > 0) continue;
    const span = turnsOf(thread, i);
    const collect = (texts: readonly Text[], message: Given['message'], turn: number): void => {
      for (const { text, block, place } of texts)
        for (const s of stretchesOf(text, place, dialect, appended))
          given.push({
            label: s.label,
            ...(s.part !== undefined && { part: s.part }),
            ...(s.path !== undefined && { path: s.path }),
            segment: segment.id,
            message,
            block,
            start: s.start,
            end: s.end,
            turn,
            until: Math.max(turn, span.last),
            text: text.slice(s.start, s.end),
          });
    };
    collect(textsOf(segment.system, 'system'), 'system', span.first);
    collectTools(t, segment, collect, span.first);
    collectMessages(segment, collect, span.first);
  }
  return joinAcross(given);
};

/** First turn of a segment and the last one that had its history. */
const turnsOf = (thread: Thread, index: number): { first: number; last: number } => {
  const segment = thread.segments[index] as Segment;
  const numbers = segment.messages.flatMap((m) => (m.turn === null ? [] : [m.turn]));
  const later = thread.segments.slice(index + 1).filter((s) => s.because === 'rewind');
  const more = later.flatMap((s) => s.messages.flatMap((m) => (m.turn === null ? [] : [m.turn])));
  return { first: segment.at, last: Math.max(segment.at, ...numbers, ...more) };
};

type Collect = (texts: readonly Text[], message: Given['message'], turn: number) => void;

/** Descriptions of the tools: of a set once, where it came in. */
const collectTools = (t: Trajectory, segment: Segment, collect: Collect, first: number): void => {
  const seen = new Set<number>();
  for (const { toolset, turn, role } of segment.messages) {
    if (role !== 'assistant' || toolset === undefined || seen.has(toolset) || turn === null) continue;
    seen.add(toolset);
    const tools = t.toolsets[toolset]?.tools ?? [];
    collect(
      tools.map((tool, i) => ({ text: tool.description, block: i, place: 'tool_description' as const })),
      'tools',
      seen.size === 1 ? first : turn,
    );
  }
};

const collectMessages = (segment: Segment, collect: Collect, first: number): void => {
  let turn = first;
  let opening = true;
  for (const [i, message] of segment.messages.entries()) {
    if (message.role === 'assistant') {
      opening = false;
      if (message.turn !== null) turn = message.turn + 1;
    } else if (message.abandoned !== true) collect(textsOf(message.blocks, placeOf(message, opening)), i, turn);
  }
};

const placeOf = (message: Message, opening: boolean): TextPlace =>
  message.role === 'tool' ? 'tool_result' : opening ? 'first_user' : 'user';

/** Material that a later segment repeats was never gone: it is one entry, up to the last turn that had it. */
const joinAcross = (given: readonly Given[]): Given[] => {
  const known = new Map<string, Given>();
  const joined: Given[] = [];
  for (const item of given) {
    const key = `${item.label}\n${item.part ?? ''}\n${item.path ?? ''}\n${item.text}`;
    const before = known.get(key);
    if (before !== undefined && before.segment !== item.segment && item.turn <= before.until + 1) {
      before.until = Math.max(before.until, item.until);
      continue;
    }
    known.set(key, item);
    joined.push(item);
  }
  return joined;
};
