import type { Problem } from '../core/problem.ts';
import type { Action, SourceLabel } from '../scaffolds/dialect.ts';
import type { Block, Protocol, ToolSchema, Usage } from '../wire/schema.ts';

/** The normalized view of a rollout's calls (docs/formats/trajectory.md). */
export interface Trajectory {
  version: 1;
  session: string;
  /** Which run of the session: a log that two runs were appended to gives two trajectories. */
  run: number;
  labels: Record<string, string>;
  workspace: string | null;
  dialect: { id: string; how: 'declared' | 'detected' } | null;
  threads: Thread[];
  toolsets: Toolset[];
  problems: Problem[];
}

/** Tools that were offered together; messages name theirs by index. */
export interface Toolset {
  id: number;
  tools: ToolSchema[];
}

export interface Thread {
  id: string;
  role: 'main' | 'subagent' | 'auxiliary';
  /** Of auxiliary threads: title, warmup, count_tokens, ... */
  kind?: string;
  parent: { thread: string; toolCall: string } | null;
  segments: Segment[];
  /** Filled by `withActions`. */
  actions: Action[];
  /** Instruction material by source, in the order the model first saw it. Filled by `withActions`. */
  given: Given[];
  /** Ids of all recorded calls that belong to it: turns, attempts, and calls that are no turn. */
  calls: number[];
}

/** A stretch of a thread whose history only grows. */
export interface Segment {
  id: string;
  continues: string | null;
  because: 'start' | 'compaction' | 'rewind' | 'rewrite';
  /** Assistant turn of the thread at which it starts. */
  at: number;
  /** Of a rewind or a side call: how many messages of the segment it continues stand before its own. */
  from?: number;
  /** Calls at its end that got no reply and were not repeated. */
  failed?: number[];
  /** Model and tools of its first call, for a segment that has no reply. */
  model?: string;
  toolset?: number;
  /** How its usage figures count (Anthropic's input leaves cached tokens out). */
  protocol?: Protocol;
  params: Record<string, unknown>;
  system: Block[];
  messages: Message[];
}

export interface Message {
  role: 'user' | 'assistant' | 'tool';
  /** Assistant turn over the whole thread, from 0; null for other roles and abandoned replies. */
  turn: number | null;
  /** Index of the user query in force, from 0; null before the first. */
  query: number | null;
  /** The call that generated it (assistant). */
  call: number | null;
  blocks: Block[];
  model?: string;
  /** Index into `toolsets`. */
  toolset?: number;
  abandoned?: true;
  /** Calls that failed or were retried for this turn. */
  attempts?: number[];
  /** Why the reply is not whole: a broken stream, an error in the middle. */
  incomplete?: string;
  /** The protocol's own word for why the reply ended. */
  stop?: string | null;
  usage?: Usage;
  /** When the request was made, in ms since the log was opened (imports: since the epoch, as far as the log tells). */
  at?: number;
  /** Half a surrogate pair was shown as U+FFFD. */
  lossy?: true;
  /** An assistant message that no recorded call generated (it was already in the first request). */
  seeded?: true;
}

/** A stretch of text the model was given, and the instruction source it belongs to. */
export interface Given {
  label: SourceLabel;
  /** Finer: preamble, appended prompt, wrapper of a reminder. */
  part?: string;
  path?: string;
  segment: string;
  /** Message index in the segment, or `system`, or `tools`. */
  message: number | 'system' | 'tools';
  block: number;
  start: number;
  end: number;
  /** Assistant turn that first had it in its request. */
  turn: number;
  /** Last assistant turn that still had it in context. */
  until: number;
  text: string;
}

/** Where evidence is. The only coordinate that verdicts, reports and judges use. */
export interface Coordinate {
  thread: string;
  turn: number;
  toolCall?: string;
  quote?: string;
  path?: string;
}

export interface Normalized {
  /** One a run of a session. */
  trajectories: Trajectory[];
  problems: Problem[];
}
