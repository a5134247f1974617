import { showDuration } from '../core/units.ts';
import type { SessionEnd, StepEnd } from '../environment/schema.ts';
import type { AttemptEnd } from '../recording/schema.ts';
import { type Exchange, type Fault, isMain } from './exchanges.ts';
import type { Decision, Execution, Outcome, TimeLimits } from './schema.ts';

/** All that says how an attempt ended. */
export interface OutcomeEvidence {
  exchanges: readonly Exchange[];
  execution: Pick<Execution, 'session' | 'stopped' | 'startedAt' | 'endedAt'>;
  /** Why the proxy ended the attempt, if it did. */
  endpointEnd: AttemptEnd | null;
  /** `Date.now()` when the log was opened: what the calls' times are counted from. */
  logOpenedAt: number;
  /** Number of user queries. */
  queries: number;
  limits: TimeLimits;
}

const decide = (outcome: Outcome, reason: string | null, message: string | null): Decision => ({
  outcome,
  reason,
  message,
});

/**
 * Says how an attempt ended (docs/formats/rollout.md, "Outcomes"). Recorded replies decide; exit codes are evidence for a scaffold
 * that failed after good replies, and for nothing else.
 */
export const decideOutcome = (evidence: OutcomeEvidence): Decision =>
  fromOutside(evidence) ?? fromCalls(evidence) ?? fromWatch(evidence) ?? fromExit(evidence);

/** What octobench itself, its sandbox or its proxy say. */
const fromOutside = ({ execution, endpointEnd }: OutcomeEvidence): Decision | null => {
  const { session, stopped } = execution;
  if (stopped === 'cancelled') return decide('cancelled', 'interrupted', 'the run was interrupted');
  if (endpointEnd !== null) return decide(endpointEnd.outcome, endpointEnd.reason, endpointEnd.message);
  if (session.end === 'lost') {
    const reason = session.lost ?? 'sandbox_died';
    return decide('infra_failed', reason, session.message ?? 'the sandbox went away');
  }
  if (stopped === 'endpoint') return decide('infra_failed', 'proxy_closed', 'the proxy ended the attempt');
  return sandboxLimit(session, stopped !== null);
};

const WORDS = {
  memory: 'the memory limit was reached',
  disk: 'the disk limit was reached',
  output: 'the output limit was reached',
  processes: 'the limit on processes was reached',
} as const;

// A limit that was only brushed (the kernel killed one child, the scaffold went on and ended well) is not how the attempt ended.
const sandboxLimit = (session: SessionEnd, stoppedByUs: boolean): Decision | null => {
  const last = session.steps.at(-1);
  const failed = !stoppedByUs && (session.end === 'aborted' || (last !== undefined && last.code !== 0));
  const limit = session.limit ?? (last?.oomKilled === true ? 'memory' : undefined);
  return limit !== undefined && failed ? decide('limit_reached', limit, WORDS[limit]) : null;
};

/** What the recorded exchanges of the main thread say. */
const fromCalls = (evidence: OutcomeEvidence): Decision | null => {
  const { exchanges, execution } = evidence;
  const at = exchanges.findLastIndex(isMain);
  const last = exchanges[at];
  if (last === undefined) return noCall(evidence, exchanges.length);
  const used = exchanges.findIndex(
    (e, i) => i < at && e.fault?.kind === 'truncated' && isMain(e) && !isReplaced(exchanges, i),
  );
  if (used >= 0) return truncated(exchanges[used]);
  if (last.fault === null) return null;
  if (last.fault.kind === 'truncated') {
    // Killed while it was retrying, or used as if it were whole: in both cases the upstream broke the reply.
    return truncated(last);
  }
  if (last.fault.kind !== 'gone') return unrecovered(last.fault);
  return execution.stopped === null && execution.session.steps.at(-1)?.code !== 0 ? null : leftOpen(last, evidence);
};

const noCall = ({ execution }: OutcomeEvidence, others: number): Decision => {
  const step = execution.session.steps.at(-1);
  const how = execution.stopped === null && step !== undefined ? ` before it ended (${describeExit(step)})` : '';
  const what = others === 0 ? 'made no call' : 'made only side calls';
  return decide('infra_failed', 'no_call', `the scaffold ${what}${how}`);
};

const truncated = (exchange: Exchange | undefined): Decision =>
  decide(
    'infra_failed',
    'truncated_reply',
    `the reply of call ${exchange?.call.id} was cut off and nothing replaced it (${exchange?.reply?.reason ?? exchange?.call.end})`,
  );

/** A cut reply was replaced when the next main request does not carry it: its history is no longer than the one that was answered. */
const isReplaced = (exchanges: readonly Exchange[], index: number): boolean => {
  const next = exchanges.slice(index + 1).find(isMain);
  return next !== undefined && next.assistants() <= (exchanges[index]?.assistants() ?? 0);
};

const isPassing = (status: number): boolean => status >= 500 || status === 408 || status === 409 || status === 429;

const unrecovered = (fault: Exclude<Fault, { kind: 'gone' | 'truncated' }>): Decision => {
  if (fault.kind === 'reset') return decide('infra_failed', 'upstream_reset', 'the upstream broke the connection');
  if (fault.kind === 'stall') return decide('infra_failed', 'upstream_stall', 'the upstream stopped answering');
  const said = `the provider answered ${fault.status}: ${fault.message.slice(0, 300)}`;
  if (fault.overflow) return decide('limit_reached', 'context_overflow', said);
  return isPassing(fault.status)
    ? decide('infra_failed', `upstream_${fault.status}`, said)
    : decide('scaffold_failed', `provider_${fault.status}`, said);
};

/** How long an open call may be silent before it is the upstream's fault, in ms. */
const stallAfter = (limits: TimeLimits): number => Math.min(60_000, limits.silenceMs, limits.wallMs / 4);

/** The last main call was open when the session ended: a stalled or endless upstream, or a time limit that came in the middle. */
const leftOpen = (last: Exchange, { execution, logOpenedAt, limits }: OutcomeEvidence): Decision | null => {
  const { request, response } = last.call;
  const end = execution.endedAt - logOpenedAt;
  const lastByte = Math.max(request.at, response?.at ?? 0, response?.chunks.at(-1)?.[0] ?? 0);
  const silent = end - lastByte;
  if (silent >= stallAfter(limits)) {
    const message = `call ${last.call.id} was open and silent for ${showDuration(silent)} when the attempt ended`;
    return decide('infra_failed', 'upstream_stall', message);
  }
  if (execution.stopped === null) return truncated(last);
  if (end - request.at >= limits.wallMs / 2) {
    const message = `call ${last.call.id} had streamed for ${showDuration(end - request.at)} without an end`;
    return decide('infra_failed', 'endless_upstream', message);
  }
  return null;
};

/** Main calls that were made while a step ran. */
const callsDuring = (step: StepEnd, { exchanges, logOpenedAt }: OutcomeEvidence): boolean =>
  exchanges.some((e) => {
    const at = e.call.request.at + logOpenedAt;
    return at >= step.startedAt - CLOCK_SLACK_MS && at <= step.endedAt + CLOCK_SLACK_MS && isMain(e);
  });
// Times of steps and of calls are taken by two processes from one clock.
const CLOCK_SLACK_MS = 50;

/** What octobench's own clocks say. */
const fromWatch = (evidence: OutcomeEvidence): Decision | null => {
  const { stopped, session, startedAt, endedAt } = evidence.execution;
  if (stopped === null) return null;
  const step = session.steps.at(-1);
  if (stopped === 'first_call' || (step !== undefined && !callsDuring(step, evidence))) {
    const message = `query ${step?.step ?? 0}: no call within the time limit`;
    return decide('infra_failed', 'no_call', message);
  }
  const message =
    stopped === 'wall'
      ? `not done after ${showDuration(endedAt - startedAt)}`
      : `no output and no call for ${showDuration(evidence.limits.silenceMs)}`;
  return decide('timed_out', stopped, message);
};

const describeExit = (step: StepEnd): string =>
  step.signal === null ? `exit code ${step.code}` : `killed by ${step.signal}`;

/** Every main reply was whole; what is left is how the processes ended. */
const fromExit = (evidence: OutcomeEvidence): Decision => {
  const { session } = evidence.execution;
  const failed = session.steps.find((step) => step.code !== 0);
  if (failed !== undefined) {
    const reason = failed.signal === null ? `exit_${failed.code}` : `signal_${failed.signal}`;
    const message = `query ${failed.step}: ${describeExit(failed)} after whole replies`;
    return decide('scaffold_failed', reason, message);
  }
  const silent = session.steps.find((step) => !callsDuring(step, evidence));
  if (silent !== undefined) return decide('infra_failed', 'no_call', `query ${silent.step}: ended without a call`);
  if (session.steps.length < evidence.queries) {
    const message = session.message ?? `only ${session.steps.length} of ${evidence.queries} queries were run`;
    return decide('scaffold_failed', 'session_lost', message);
  }
  return decide('finished', null, null);
};
