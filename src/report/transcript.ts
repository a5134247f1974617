import { oneLine } from '../core/text.ts';
import type { Message, Segment, Thread, Trajectory } from '../trajectory/schema.ts';
import type { Block, ToolCall, ToolResult } from '../wire/schema.ts';
import { html, type Markup } from './markup.ts';

/** A broken check pinned to the place where it broke. */
export interface Pin {
  thread: string;
  turn: number;
  toolCall: string | null;
  quote: string | null;
  /** Anchor of the check's row. */
  href: string;
  check: string;
}

interface Context {
  trajectory: Trajectory;
  /** Prefix of ids, unique in the page. */
  prefix: string;
  pins: readonly Pin[];
  results: Map<string, ToolResult>;
  calls: Set<string>;
  children: Map<string, Thread[]>;
  shown: Set<Message>;
  depth: number;
}

/** Characters shown of one text; the rest is in trajectory.json. */
const LONGEST = { assistant: 50_000, other: 6_000 };
const DEEPEST = 8;
/** Characters of a user's text from which on it is folded. */
const FOLD_FROM = 1200;

/** The anchor of an assistant turn; null when the trajectory has no such thread. */
export const turnAnchor = (trajectory: Trajectory, prefix: string, thread: string, turn: number): string | null => {
  const index = trajectory.threads.findIndex((t) => t.id === thread);
  const known = trajectory.threads[index]?.segments.some((s) => s.messages.some((m) => m.turn === turn)) === true;
  return known && trajectory.threads[index]?.role !== 'auxiliary' ? `${prefix}-t${index}-${turn}` : null;
};

/** Head and tail of a text that is too long, with a mark that says what was left out. */
const shortened = (text: string, longest: number): string => {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}\n[… ${left} characters not shown; the whole text is in trajectory.json …]\n${text.slice(-half).toWellFormed()}`;
};

/** Text with the quotes of the pins marked where they are found. */
const marked = (text: string, quotes: readonly string[]): Markup => {
  const found = quotes
    .map((quote) => ({ quote, at: quote === '' ? -1 : text.indexOf(quote) }))
    .filter((f) => f.at >= 0)
    .sort((a, b) => a.at - b.at)[0];
  if (found === undefined) return html`${text}`;
  const end = found.at + found.quote.length;
  return html`${text.slice(0, found.at)}<mark>${text.slice(found.at, end)}</mark>${text.slice(end)}`;
};

const textBlock = (text: string, longest: number, quotes: readonly string[] = []): Markup =>
  html`<pre class="text" dir="auto">${marked(shortened(text, longest), quotes)}</pre>`;

const plainText = (blocks: readonly Block[]): string =>
  blocks
    .map((b) => {
      if (b.type === 'text') return b.text;
      if (b.type === 'image') return `[image ${b.mediaType}, ${b.bytes} bytes]`;
      return b.type === 'unknown' ? JSON.stringify(b.raw) : '';
    })
    .filter((t) => t !== '')
    .join('\n');

const argumentsOf = (call: ToolCall): string => call.rawInput ?? JSON.stringify(call.input, null, 2) ?? '';

const resultOf = (result: ToolResult | undefined, quotes: readonly string[]): Markup =>
  result === undefined
    ? html`<p class="note">No result was recorded.</p>`
    : html`<p class="label">${result.isError === true ? 'Result (error)' : 'Result'}</p>${textBlock(plainText(result.blocks), LONGEST.other, quotes)}`;

const toolCall = (c: Context, call: ToolCall, pins: readonly Pin[]): Markup => {
  const quotes = pins.flatMap((p) => (p.quote === null ? [] : [p.quote]));
  const here = pins.some((p) => p.toolCall === call.id);
  const children = c.children.get(call.id) ?? [];
  return html`<details class="tool${here ? ' pinned' : ''}"${here ? html` open` : null}>
<summary><span class="tool-name">${call.name}</span> <span class="brief">${oneLine(briefOf(call), 120)}</span>${call.incomplete === true ? html` <span class="tag">cut</span>` : null}</summary>
<p class="label">Arguments</p>${textBlock(argumentsOf(call), LONGEST.other, quotes)}
${resultOf(c.results.get(call.id), quotes)}
${children.map((t) => subagent(c, t))}
</details>`;
};

/** What a tool call is about, on one line: its path or command when it has one, else its arguments. */
const briefOf = (call: ToolCall): string => {
  const input = typeof call.input === 'object' && call.input !== null ? (call.input as Record<string, unknown>) : {};
  const telling = ['file_path', 'path', 'command', 'pattern', 'query', 'url', 'skill', 'description']
    .map((k) => input[k])
    .find((v) => typeof v === 'string');
  return typeof telling === 'string' ? telling : argumentsOf(call);
};

const subagent = (c: Context, thread: Thread): Markup =>
  c.depth >= DEEPEST
    ? html`<p class="note">A subagent thread nested too deep to show.</p>`
    : html`<details class="subagent"><summary>Subagent thread <code>${thread.id}</code></summary>${threadBody({ ...c, depth: c.depth + 1 }, thread)}</details>`;

const block = (c: Context, b: Block, pins: readonly Pin[], longest: number): Markup | null => {
  const quotes = pins.flatMap((p) => (p.quote === null ? [] : [p.quote]));
  if (b.type === 'text') return b.text.trim() === '' ? null : textBlock(b.text, longest, quotes);
  if (b.type === 'thinking')
    return html`<details class="thinking"><summary>Reasoning <span class="tag">not visible to the user</span></summary>${textBlock(b.text, longest, quotes)}</details>`;
  if (b.type === 'redacted_thinking') return html`<p class="note">Reasoning, encrypted by the provider.</p>`;
  if (b.type === 'tool_call') return toolCall(c, b, pins);
  if (b.type === 'tool_result')
    return c.calls.has(b.id)
      ? null
      : html`<div class="orphan"><p class="note">A result of a call that was not recorded (${b.id})</p>${resultOf(b, quotes)}</div>`;
  return textBlock(plainText([b]), LONGEST.other);
};

const assistant = (c: Context, index: number, thread: Thread, m: Message): Markup => {
  const pins = m.turn === null ? [] : c.pins.filter((p) => p.thread === thread.id && p.turn === m.turn);
  const blocks = m.blocks.map((b) => block(c, b, pins, LONGEST.assistant)).filter((b) => b !== null);
  const id = m.turn === null ? null : html` id="${c.prefix}-t${index}-${m.turn}"`;
  return html`<div class="message assistant${pins.length > 0 ? ' broken' : ''}"${id} tabindex="-1">
<p class="who">Assistant${m.turn === null ? null : html` · turn ${m.turn}`}${m.abandoned === true ? html` <span class="tag">abandoned reply</span>` : null}${m.seeded === true ? html` <span class="tag">not generated in this session</span>` : null}</p>
${pins.map((p) => html`<p class="pin"><span aria-hidden="true">✗</span> Broken here: <a href="${p.href}">${p.check}</a></p>`)}
${blocks.length === 0 ? html`<p class="note">An empty turn.</p>` : blocks}
</div>`;
};

/** Reminders and files that come with a query are long; the query itself is what a reader looks for. */
const userBlock = (c: Context, b: Block): Markup | null =>
  b.type === 'text' && b.text.length > FOLD_FROM
    ? html`<details class="given"><summary>${oneLine(b.text, 100)} <span class="tag">${b.text.length} characters</span></summary>${textBlock(b.text, LONGEST.other)}</details>`
    : block(c, b, [], LONGEST.other);

const message = (c: Context, index: number, thread: Thread, m: Message): Markup | null => {
  if (m.role === 'assistant') return assistant(c, index, thread, m);
  const blocks = m.blocks.map((b) => userBlock(c, b)).filter((b) => b !== null);
  if (blocks.length === 0) return null;
  const who =
    m.role === 'tool' ? 'Tool results' : m.query === null ? 'Given before the first query' : `User · query ${m.query}`;
  return html`<div class="message user"><p class="who">${who}</p>${blocks}</div>`;
};

const BECAUSE: Record<Segment['because'], string> = {
  start: '',
  compaction: 'The history was replaced by a summary here (compaction).',
  rewind: 'The conversation was rewound and went on from an earlier point.',
  rewrite: 'The history was rewritten here.',
};

const segment = (c: Context, index: number, thread: Thread, s: Segment): Markup => {
  const fresh = s.messages.filter((m) => !c.shown.has(m));
  for (const m of fresh) c.shown.add(m);
  return html`${s.because === 'start' ? null : html`<p class="compaction" role="note">${BECAUSE[s.because]}</p>`}
${s.system.length === 0 ? null : html`<details class="system"><summary>System prompt</summary>${textBlock(plainText(s.system), LONGEST.assistant)}</details>`}
${fresh.map((m) => message(c, index, thread, m))}`;
};

const threadBody = (c: Context, thread: Thread): Markup => {
  const index = c.trajectory.threads.indexOf(thread);
  return html`${thread.segments.map((s) => segment(c, index, thread, s))}`;
};

const contextOf = (trajectory: Trajectory, prefix: string, pins: readonly Pin[]): Context => {
  const c: Context = {
    trajectory,
    prefix,
    pins,
    results: new Map(),
    calls: new Set(),
    children: new Map(),
    shown: new Set(),
    depth: 0,
  };
  for (const thread of trajectory.threads) {
    if (thread.role === 'subagent' && thread.parent !== null) {
      c.children.set(thread.parent.toolCall, [...(c.children.get(thread.parent.toolCall) ?? []), thread]);
    }
    for (const b of thread.segments.flatMap((s) => s.messages).flatMap((m) => m.blocks)) {
      if (b.type === 'tool_call') c.calls.add(b.id);
      if (b.type === 'tool_result' && !c.results.has(b.id)) c.results.set(b.id, b);
    }
  }
  return c;
};

/** The readable trajectory: the main thread, tool calls and subagents folded, auxiliary threads left out and counted. */
export const transcript = (trajectory: Trajectory, prefix: string, pins: readonly Pin[]): Markup => {
  const c = contextOf(trajectory, prefix, pins);
  const main = trajectory.threads.filter((t) => t.role === 'main');
  const lost = trajectory.threads.filter(
    (t) => t.role === 'subagent' && (t.parent === null || !c.calls.has(t.parent.toolCall)),
  );
  const hidden = trajectory.threads.filter((t) => t.role === 'auxiliary');
  const kinds = [...new Set(hidden.map((t) => t.kind ?? 'other'))].join(', ');
  return html`<div class="transcript">
${main.length === 0 ? html`<p class="note">No main thread was recorded.</p>` : main.map((t) => threadBody(c, t))}
${lost.map((t) => subagent(c, t))}
${hidden.length === 0 ? null : html`<p class="note">Not shown: ${hidden.length} auxiliary thread${hidden.length === 1 ? '' : 's'} (${kinds}).</p>`}
</div>`;
};
