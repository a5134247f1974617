import type { SourceLabel } from '../scaffolds/dialect.ts';
import type { Block } from '../wire/schema.ts';
import type { Message, Segment, Thread, Trajectory } from './schema.ts';

/** How a trajectory is shown to a judge. Lengths are in characters (UTF-16 units). */
export interface ViewOptions {
  /** Longest tool result, user text and tool arguments that are shown whole. Default 5,000. */
  maxResult?: number;
  /** Longest assistant text that is shown whole. Default 50,000. */
  maxText?: number;
  /** Names to mask in system and reminder blocks: of models, of the experiment. The models of the trajectory are added. */
  mask?: readonly string[] | false;
  /** Stands in every heading, so that no text of the agent can pass for one. */
  mark?: string;
  /** Leave out the system prompt. */
  withoutSystem?: boolean;
}

/** One piece of a view: what one turn of a thread said and did, with what it got back. */
export interface ViewSection {
  thread: string;
  /** Null = what stands before the first turn. */
  turn: number | null;
  /** 0 for the main thread, one more for every thread it is folded under. */
  depth: number;
  text: string;
}

/** What a judge reads, and the way to what was cut. */
export interface JudgingView {
  sections: ViewSection[];
  /** All sections, in order. */
  text: string;
  /**
   * The uncut text of one turn (null: what stands before the first), or characters `from` up to `to` of it; `thread` defaults to
   * the main one. Null when there is no such turn.
   */
  show(turn: number | null, range?: { from: number; to: number }, thread?: string): string | null;
}

const MAX_RESULT = 5_000;
const MAX_TEXT = 50_000;
const MASKED = '[model]';
const REMINDER = /<(system[-_]reminder|environment_details)>[\s\S]*?<\/\1>/g;
const NAMED_MODEL = /powered by the model named ([^.\n]+?)\.(?: The exact model ID is (\S+?)\.(?=\s|$))?/g;

/** A piece of a turn's text: what it is, and how much of it is shown. */
interface Part {
  head: string;
  body: string;
  max: number;
}

/** The judging view of a trajectory: its main thread, with subagents folded under the calls that started them. */
export const judgingView = (t: Trajectory, options: ViewOptions = {}): JudgingView => {
  const renderer = new Renderer(t, options);
  const sections = renderer.all();
  return {
    sections,
    text: sections.map((s) => s.text).join('\n'),
    show: (turn, range, thread) => renderer.show(turn, range, thread),
  };
};

/** Instruction material of some labels as text, each piece once, in the order in which the model saw it. */
export const givenText = (t: Trajectory, labels: readonly SourceLabel[], thread?: string): string[] => {
  const threads = t.threads.filter((x) => (thread === undefined ? x.role !== 'auxiliary' : x.id === thread));
  return [...new Set(threads.flatMap((x) => x.given.filter((g) => labels.includes(g.label)).map((g) => g.text)))];
};

/** The messages of a thread's kept line, over all segments, with the segment each stands in. */
const lineOf = (thread: Thread): { message: Message; segment: Segment }[] =>
  thread.segments.flatMap((segment) =>
    segment.messages.flatMap((message) => (message.abandoned === true ? [] : [{ message, segment }])),
  );

/** A text without its middle, and which characters were left out; never cuts a surrogate pair. */
const cutMiddle = (text: string, max: number): { head: string; tail: string; from: number; to: number } | null => {
  if (text.length <= max) return null;
  const half = Math.floor(max / 2);
  const low = (at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  const from = low(half) ? half - 1 : half;
  const end = text.length - half;
  const to = low(end) ? end + 1 : end;
  return { head: text.slice(0, from), tail: text.slice(to), from, to };
};

const count = (n: number): string => n.toLocaleString('en-US');

class Renderer {
  readonly #t: Trajectory;
  readonly #options: ViewOptions;
  readonly #main: Thread | undefined;
  readonly #names: RegExp | null;
  readonly #shown = new Set<Thread>();

  constructor(t: Trajectory, options: ViewOptions) {
    this.#t = t;
    this.#options = options;
    this.#main = t.threads.find((thread) => thread.role === 'main');
    this.#names = options.mask === false ? null : namesToMask(t, options.mask ?? []);
  }

  all(): ViewSection[] {
    const sections: ViewSection[] = [];
    if (this.#main !== undefined) this.#thread(this.#main, 0, sections);
    // Subagents whose call is not known stand at the end; auxiliary threads are no part of what is judged.
    for (const thread of this.#t.threads)
      if (thread.role === 'subagent' && !this.#shown.has(thread)) this.#thread(thread, 1, sections);
    return sections;
  }

  #head(text: string, depth: number): string {
    const { mark } = this.#options;
    return `${'  '.repeat(depth)}[${mark === undefined ? '' : `${mark} `}${text}]`;
  }

  #thread(thread: Thread, depth: number, sections: ViewSection[]): void {
    this.#shown.add(thread);
    const children = this.#t.threads.filter((child) => child.parent?.thread === thread.id);
    for (const [turn, parts] of this.#turns(thread)) {
      const text = parts.map((part) => this.#cut(thread, turn, part, parts, depth)).join('\n');
      sections.push({ thread: thread.id, turn, depth, text });
      const calls = children.length === 0 ? [] : callsOf(thread, turn);
      for (const child of children)
        if (calls.includes(child.parent?.toolCall ?? '') && !this.#shown.has(child))
          this.#thread(child, depth + 1, sections);
    }
  }

  /** The parts of every turn: its own, then what it got back, up to the next. */
  #turns(thread: Thread): Map<number | null, Part[]> {
    const turns = new Map<number | null, Part[]>();
    let turn: number | null = null;
    let last: Segment | null = null;
    const to = (parts: Part[]): void => {
      turns.set(turn, [...(turns.get(turn) ?? []), ...parts]);
    };
    for (const { message, segment } of lineOf(thread)) {
      if (segment !== last) {
        if (last === null) to(this.#opening(thread, segment));
        else to([{ head: `${thread.id} · history replaced (${segment.because})`, body: '', max: 0 }]);
        last = segment;
      }
      if (message.turn !== null) turn = message.turn;
      to(this.#message(thread, message));
    }
    return turns;
  }

  #opening(thread: Thread, segment: Segment): Part[] {
    const parent = thread.parent === null ? '' : ` · started by call ${thread.parent.toolCall}`;
    const system = segment.system.map((b) => (b.type === 'text' ? b.text : '')).join('\n');
    const parts: Part[] = [{ head: `thread ${thread.id} · ${thread.role}${parent}`, body: '', max: 0 }];
    if (this.#options.withoutSystem !== true && system !== '')
      parts.push({ head: `${thread.id} · system prompt`, body: this.#mask(system), max: this.#maxText });
    return parts;
  }

  get #maxText(): number {
    return this.#options.maxText ?? MAX_TEXT;
  }

  get #maxResult(): number {
    return this.#options.maxResult ?? MAX_RESULT;
  }

  #message(thread: Thread, message: Message): Part[] {
    const at = `${thread.id} · turn ${message.turn ?? 'before the recording'}`;
    if (message.role !== 'assistant') return message.blocks.flatMap((block) => this.#incoming(thread, message, block));
    const cut = message.incomplete === undefined ? '' : ` · reply cut: ${message.incomplete}`;
    const parts = message.blocks.map((block): Part => this.#said(at, block));
    return parts.length > 0
      ? parts.map((p, i) => (i === 0 ? { ...p, head: p.head + cut } : p))
      : [{ head: `${at} · empty reply${cut}`, body: '', max: 0 }];
  }

  #said(at: string, block: Block): Part {
    switch (block.type) {
      case 'text':
        return { head: `${at} · assistant, visible to the user`, body: block.text, max: this.#maxText };
      case 'thinking':
        return { head: `${at} · reasoning, not visible to the user`, body: block.text, max: this.#maxText };
      case 'redacted_thinking':
        return { head: `${at} · reasoning, encrypted`, body: '', max: 0 };
      case 'tool_call': {
        const broken = block.rawInput === undefined ? '' : ' · arguments are not JSON';
        const body = block.rawInput ?? JSON.stringify(block.input);
        return { head: `${at} · call ${block.name} (${block.id})${broken}`, body, max: this.#maxResult };
      }
      default:
        return { head: `${at} · ${block.type}`, body: plain(block), max: this.#maxResult };
    }
  }

  #incoming(thread: Thread, message: Message, block: Block): Part[] {
    if (block.type === 'tool_result') {
      const error = block.isError === true ? ' · error' : '';
      const body = this.#maskReminders(block.blocks.map(plain).join('\n'));
      return [{ head: `${thread.id} · result of ${block.id}${error}`, body, max: this.#maxResult }];
    }
    const query = message.query === null ? '' : ` · query ${message.query}`;
    return [{ head: `${thread.id} · user${query}`, body: this.#maskReminders(plain(block)), max: this.#maxResult }];
  }

  /** A part as it is shown; the mark names the range of the whole turn's text that was left out. */
  #cut(thread: Thread, turn: number | null, part: Part, parts: readonly Part[], depth: number): string {
    const head = this.#head(part.head, depth);
    if (part.body === '') return head;
    const cut = cutMiddle(part.body, part.max);
    if (cut === null) return `${head}\n${part.body}`;
    const start = offsetOf(part, parts);
    const main = thread === this.#main ? '' : `, thread=${thread.id}`;
    const place = `show(turn=${turn}, from=${start + cut.from}, to=${start + cut.to}${main})`;
    const mark = this.#head(
      `${count(cut.to - cut.from)} of ${count(part.body.length)} characters left out: ${place}`,
      0,
    );
    return `${head}\n${cut.head}\n${mark}\n${cut.tail}`;
  }

  show(turn: number | null, range?: { from: number; to: number }, id?: string): string | null {
    const thread = id === undefined ? this.#main : this.#t.threads.find((x) => x.id === id);
    const parts = thread === undefined ? undefined : this.#turns(thread).get(turn);
    if (parts === undefined) return null;
    const text = wholeText(parts);
    return (range === undefined ? text : text.slice(Math.max(0, range.from), range.to)).toWellFormed();
  }

  #mask(text: string): string {
    return this.#names === null ? text : text.replace(this.#names, MASKED);
  }

  #maskReminders(text: string): string {
    return this.#names !== null && text.includes('<') ? text.replace(REMINDER, (found) => this.#mask(found)) : text;
  }
}

const wholeText = (parts: readonly Part[]): string =>
  parts.map((part) => (part.body === '' ? `[${part.head}]` : `[${part.head}]\n${part.body}`)).join('\n');

/** Where a part's body starts in the whole text of its turn. */
const offsetOf = (part: Part, parts: readonly Part[]): number => {
  const before = parts.slice(0, parts.indexOf(part));
  return wholeText(before).length + (before.length > 0 ? 1 : 0) + part.head.length + 3;
};

const callsOf = (thread: Thread, turn: number | null): string[] =>
  turn === null
    ? []
    : lineOf(thread)
        .filter(({ message }) => message.turn === turn)
        .flatMap(({ message }) => message.blocks.flatMap((b) => (b.type === 'tool_call' ? [b.id] : [])));

/** A block as text. */
const plain = (block: Block): string => {
  if (block.type === 'text') return block.text;
  if (block.type === 'image') return `[image ${block.mediaType} ${block.bytes} bytes]`;
  return block.type === 'unknown' ? JSON.stringify(block.raw) : `[${block.type}]`;
};

/** Names of models: those given, those on the messages, those that a system prompt tells; the longest first. */
const namesToMask = (t: Trajectory, given: readonly string[]): RegExp | null => {
  const names = new Set(given);
  for (const thread of t.threads)
    for (const segment of thread.segments) {
      for (const { model } of segment.messages) if (model !== undefined) names.add(model);
      for (const block of segment.system) {
        if (block.type !== 'text') continue;
        for (const [, name, id] of block.text.matchAll(NAMED_MODEL))
          for (const n of [name, id]) if (n !== undefined) names.add(n);
      }
    }
  // As words of their own: a short name must not eat into others. The longest first.
  const words = [...names].filter((name) => name.trim() !== '').sort((a, b) => b.length - a.length);
  if (words.length === 0) return null;
  return new RegExp(`(?<![\\w-])(?:${words.map((name) => RegExp.escape(name)).join('|')})(?![\\w-])`, 'g');
};
