import type { Problem } from './problem.ts';

/**
 * What kind of failure this is; callers branch on it, never on the message.
 * `usage` and `input` are the user's to mend (exit code 2); `unavailable` is something this machine lacks (exit code 2);
 * `interrupted` is Ctrl-C (130); `failed` is everything else (1).
 */
export type ErrorCode = 'usage' | 'input' | 'unavailable' | 'interrupted' | 'failed';

/** The one error class of octobench: a message that says what to do next, a code, the stage, and what was wrong where. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
  readonly code: ErrorCode;
  readonly stage: string;
  readonly problems: readonly Problem[];
  constructor(
    code: ErrorCode,
    stage: string,
    message: string,
    more: { problems?: readonly Problem[]; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.stage = stage;
    this.problems = more.problems ?? [];
  }
}
