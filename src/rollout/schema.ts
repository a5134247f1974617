import type { SandboxKind, SessionEnd, StepEnd } from '../environment/schema.ts';
import type { AttemptStats } from '../recording/schema.ts';

/** How an attempt ended (docs/formats/rollout.md). The first three are judged and counted. */
export const OUTCOMES = [
  'finished',
  'timed_out',
  'limit_reached',
  'scaffold_failed',
  'infra_failed',
  'cancelled',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Outcomes whose rollout is judged and counts in the scores. */
export const COUNTED: ReadonlySet<Outcome> = new Set(['finished', 'timed_out', 'limit_reached']);

/** What of the recorded session differs from what was asked for. */
export interface Difference {
  what: 'query' | 'system_prompt' | 'model' | 'tools' | 'sampling' | 'version';
  expected: string;
  recorded: string;
  query?: number;
}

/** Limits on one attempt's time, in ms. */
export interface TimeLimits {
  wallMs: number;
  /** From the start to the first call. */
  firstCallMs: number;
  /** Without output and without an open call. */
  silenceMs: number;
}

/** The recording of an attempt as execution sees it; `recording`'s `RecordedAttempt` is one. */
export interface ModelEndpoint {
  /** Aborts when the proxy ends the attempt. */
  ended: AbortSignal;
  stats(): AttemptStats;
}

/** Who ended the session before the scaffold did. */
export type Stopper = 'wall' | 'silence' | 'first_call' | 'endpoint' | 'cancelled';

/** What an attempt left behind, besides its calls. */
export interface Execution {
  /** Where the agent worked, as it saw it. */
  workspace: string;
  session: SessionEnd;
  stopped: Stopper | null;
  /** `Date.now()` around the scaffold's processes. */
  startedAt: number;
  endedAt: number;
  /** The program's own `--version`, one line; null when it gave none. */
  reportedVersion: string | null;
  files: { before: Record<string, string>; after: Record<string, string> };
  patch: Uint8Array;
}

/** How an attempt ended, and why in one word and in a sentence. */
export interface Decision {
  outcome: Outcome;
  reason: string | null;
  message: string | null;
}

/** What the record of an attempt says of the scaffold and of what the model was given. */
export interface Findings {
  /** Where the agent really worked; `local` cannot honour the row's path. */
  workspace: string;
  reportedVersion: string | null;
  userAgent: string | null;
  systemPromptMode: 'append' | 'replace' | null;
  differences: Difference[];
  sampling: Record<string, unknown>;
  files: Rollout['files'];
  solved: Rollout['solved'];
}

/** `attempt.json`. */
export interface Attempt {
  version: 1;
  attempt: number;
  outcome: Outcome;
  reason: string | null;
  message: string | null;
  startedAt: string;
  endedAt: string;
  durationMs: number;
  /** Wall time of the scaffold's processes alone. */
  scaffoldMs: number;
  sandbox: SandboxKind;
  steps: Omit<StepEnd, 'stdout' | 'stderr'>[];
  calls: number;
  tokens: { input: number; output: number };
  cost: number | null;
  /** Absent when the attempt never got as far. With it `rollout.json` can be written again from its attempts after a crash. */
  findings?: Findings;
  /** A later resume asked to try again: this attempt stays on record and no longer counts against the tries. */
  reopened?: true;
}

/** Which program really ran. */
export interface ScaffoldIdentity {
  id: string;
  version: string;
  /** The version the row asked for when another one ran. */
  substitutedFor: string | null;
  /** The program's own `--version` output. */
  reportedVersion: string | null;
  /** On the wire. */
  userAgent: string | null;
  /** sha256 of the file that was run. */
  binaryDigest: string | null;
}

/** `rollout.json`, written last: the commit point of a rollout. */
export interface Rollout {
  version: 1;
  key: string;
  instance: string;
  instanceDigest: string;
  environment: string;
  scaffold: ScaffoldIdentity;
  model: string;
  variant: string;
  repeat: number;
  workspace: string;
  systemPromptMode: 'append' | 'replace' | null;
  /** Number of the attempt that counts, or null. */
  counted: number | null;
  /** Outcome of the counted attempt, else of the last one; null for imported calls. */
  outcome: Outcome | null;
  reason: string | null;
  attempts: Attempt[];
  differences: Difference[];
  /** Sampling parameters, thinking and effort seen on the main thread's requests. */
  sampling: Record<string, unknown>;
  /** Digests of policy, skill and memory files. */
  files: { before: Record<string, string>; after: Record<string, string> };
  /** Result of the instance's `solved` command; null = none, or could not be run (`why`). */
  solved: { ok: boolean | null; why: string | null } | null;
  origin: 'run' | 'import' | 'proxy';
}
