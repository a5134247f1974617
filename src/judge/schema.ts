import type { Coordinate } from '../trajectory/schema.ts';

export const VERDICTS = ['success', 'fail', 'not_applicable', 'unscored'] as const;
export type VerdictValue = (typeof VERDICTS)[number];

/** One judge's word on one check, with what it rests on. */
export interface Verdict {
  check: string;
  category: string;
  verdict: VerdictValue;
  by: 'program' | 'llm' | 'human';
  /** For people; of `unscored`: why (`no_judge`, `judge_failed`, `refused`, `cut`, `incomplete`, `unknown`, ...: reason). */
  reason: string;
  evidence: Coordinate[];
  /** Events seen by the rule that decided. */
  events?: number;
}

/** What a judge left open, for the next one: questions with facts. */
export interface OpenQuestion {
  check: string;
  question: string;
  facts: Coordinate[];
}

/** A judge's answer to an open question. */
export interface JudgeAnswer {
  verdict: VerdictValue;
  reason: string;
  evidence: Coordinate[];
}

/** A path that is not what it was when the agent started. */
export interface WorkspaceChange {
  /** Relative to the workspace. */
  rel: string;
  status: 'added' | 'modified' | 'deleted';
  /** Lines that came in and went out; empty for binary files. */
  added: string[];
  removed: string[];
}

/** What a `workspace` condition found in the final workspace; null = could not be had. */
export type WorkspaceAnswer =
  | { files: { rel: string; text: string }[] }
  | { exit: number | null; output: string }
  | null;

/** `verdicts/<judge>.json`. */
export interface VerdictFile {
  version: 1;
  judge: string;
  /** Digest of all that could change the answer: rules or prompt, model, settings, trajectory. */
  fingerprint: string;
  /** Assistant turns of the main thread, and those at which it was compacted: what analyses need without reading the trajectory. */
  turns?: number;
  compactions?: number[];
  samples: VerdictSample[];
  /** Of LLM judges: what was asked, and how. */
  llm?: LlmJudge;
  /** Of people: every word they gave, the last one last. */
  history?: HumanEntry[];
}

/** One asking of a judge. */
export interface VerdictSample {
  sample: number;
  verdicts: Verdict[];
  /** What an LLM judge said on checks that a program decided (`judge: also`): for calibration, in no figure. */
  also?: Verdict[];
  /** Digests of the replies it rests on (`judges/<judge>/replies`). */
  replies?: string[];
}

/** What an LLM judge was. */
export interface LlmJudge {
  model: string;
  prompt: string;
  promptDigest: string;
  granularity: 'checklist' | 'category' | 'check';
  settings: Record<string, unknown>;
  /** The model under test is of the judge's own family. */
  ownFamily: boolean;
}

/** A person's word on one check. */
export interface HumanEntry {
  /** ISO 8601. */
  at: string;
  who: string;
  check: string;
  category: string;
  verdict: VerdictValue;
  why: string;
}

/** One row of the verdict table that metrics read: one check of one rollout in one judge's column. */
export interface VerdictRow {
  instance: string;
  environment?: string;
  judge: string;
  repeat: number;
  check: string;
  category: string;
  checkType?: string | null;
  verdict: VerdictValue;
  by?: 'program' | 'llm' | 'human';
}
