import type { Usage } from '../wire/schema.ts';
import type { JudgePrompt } from './prompt.ts';

/** Reads what was cut out of a record, for the tool `show`. */
export type Show = (turn: number | null, range?: { from: number; to: number }, thread?: string) => string | null;

/** One request to a judge. */
export interface JudgeRequest {
  prompt: JudgePrompt;
  /** Null: nothing was cut, so there is nothing to open. */
  show: Show | null;
  maxOutputTokens: number;
}

/** A judge's reply as it came. `stopped`: whole; `length`: cut at the limit of tokens; `refused`: by the provider. */
export interface JudgeReply {
  finish: 'stopped' | 'length' | 'refused';
  /** Verbatim. */
  text: string;
  /** How often it opened what was cut. */
  shown: number;
  /** The provider took the schema of the reply; else it was asked for in words alone. */
  structured: boolean;
  /** Tokens, cached ones within `input`. */
  usage: Usage;
}

/** A judge that gave no reply: what the provider said, after the tries that its kind of failure deserves. */
export interface JudgeFailure {
  finish: 'failed';
  status: number | null;
  message: string;
}

/** Something that answers requests: a provider behind `client.ts`, or that with a cache before it. Never throws. */
export type AskJudge = (request: JudgeRequest) => Promise<JudgeReply | JudgeFailure>;
