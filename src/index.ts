/* The library: named exports only, bound to the default lists; importing it has no effect (docs/library.md). */
import { dialects } from './scaffolds/all.ts';
import type { Dialect } from './scaffolds/dialect.ts';
import { type ActionOptions, withActions as withActionsOf } from './trajectory/actions.ts';
import type { Trajectory } from './trajectory/schema.ts';

export type { Category, Check, Checklist, CheckType } from './checklist/schema.ts';
export { BenchError } from './core/errors.ts';
export { safeName } from './core/ids.ts';
export type { Problem } from './core/problem.ts';
export { assertUsable, type LoadOptions, loadDataset } from './dataset/load.ts';
export type { Dataset, Instance } from './dataset/schema.ts';
export { type Summary, summarize } from './dataset/summary.ts';
export { type ReplyReading, readReply } from './judge/reply.ts';
export type { OpenQuestion, Verdict, VerdictRow } from './judge/schema.ts';
export { type Verified, verify, verifyAll } from './judge/verify.ts';
export type { VerifyContext } from './judge/world.ts';
export type { Score } from './metrics/schema.ts';
export { score } from './metrics/score.ts';
export { importLog } from './pipeline/import.ts';
export { type JudgeOptions, judgeExperiment } from './pipeline/judge.ts';
export { type ReportOptions, reportExperiment } from './pipeline/report.ts';
export { type ResumeOptions, resumeExperiment } from './pipeline/resume.ts';
export { type RunOptions, runExperiment } from './pipeline/run.ts';
export type { Experiment, Finished, Hooks, Progress, View } from './pipeline/schema.ts';
export { type ValidateReport, validateDataset } from './pipeline/validate.ts';
export { redact } from './recording/redact.ts';
export type { Body, CallRecord, Proxy as RecordingProxy, RecordedAttempt, Upstream } from './recording/schema.ts';
export { openProxy } from './recording/server.ts';
export { readCalls } from './recording/store.ts';
export type { Rollout } from './rollout/schema.ts';
export { scaffolds } from './scaffolds/all.ts';
export type { Action, Dialect } from './scaffolds/dialect.ts';
export type { Scaffold } from './scaffolds/scaffold.ts';
export { checkAtif } from './trajectory/check-atif.ts';
export { toMarkdown } from './trajectory/export-markdown.ts';
export { fromAtif } from './trajectory/from-atif.ts';
export { fromClaudeTranscript } from './trajectory/import-claude-transcript.ts';
export { createNormalizer, normalizeCallStream, normalizeCalls } from './trajectory/normalize.ts';
export { fromReferenceLog } from './trajectory/reference-log.ts';
export type { Coordinate, Normalized, Thread, Trajectory } from './trajectory/schema.ts';
export { selectMain } from './trajectory/select-main.ts';
export { toAtif } from './trajectory/to-atif.ts';
export { toPaperShape } from './trajectory/to-paper-shape.ts';
export { decodeReply } from './wire/all.ts';
export { retryDelay } from './wire/retry-delay.ts';
export type { Block, DecodedReply, Protocol } from './wire/schema.ts';
export { parseSse } from './wire/sse.ts';

/**
 * A trajectory with its actions and the instruction material the model was given.
 * @param dialect a dialect, the id of a known one, or `detect`: the known one that fits the tools that were offered best
 */
export const withActions = (trajectory: Trajectory, dialect: Dialect | string, options?: ActionOptions): Trajectory =>
  withActionsOf(trajectory, dialect, dialects, options);
