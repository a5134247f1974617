import { BenchError } from '../core/errors.ts';
import { now } from '../host/clock.ts';
import { redact } from '../recording/redact.ts';
import type { AttemptStats, RecordedAttempt } from '../recording/schema.ts';
import { readCalls } from '../recording/store.ts';
import { readExchanges } from '../rollout/exchanges.ts';
import { executeAttempt } from '../rollout/execute.ts';
import { findingsOf } from '../rollout/findings.ts';
import { decideOutcome } from '../rollout/outcome.ts';
import { type AttemptPlan, launchSetup, programOf, sandboxSpec } from '../rollout/plan.ts';
import { type Attempt, COUNTED, type Decision, type Execution, type Findings } from '../rollout/schema.ts';
import { type AttemptPaths, writeAttempt } from '../rollout/store.ts';
import { type Place, planAttempt, recordingSpec } from './attempt-plan.ts';
import { type FinalWorkspace, runSolved } from './final-workspace.ts';
import type { PlannedRollout } from './schema.ts';
import { socketPath, type Workbench } from './workbench.ts';

/** One attempt while it runs. */
interface Running {
  bench: Workbench;
  planned: PlannedRollout;
  plan: AttemptPlan;
  recorded: RecordedAttempt;
  place: Place;
  signal: AbortSignal;
}

const inSandbox = ({ bench, planned, plan, recorded, place, signal }: Running): Promise<Execution> => {
  const scaffold = bench.scaffold(planned.scaffold.id);
  return bench.provider.withSandbox(sandboxSpec(plan), (sandbox) => {
    place.workspace = sandbox.workspace;
    return executeAttempt({
      sandbox,
      launch: scaffold.launch(launchSetup(plan, sandbox)),
      queries: plan.instance.queries,
      endpoint: recorded,
      limits: bench.file.experiment.limits,
      signal,
      versionProbe: [...programOf(plan), '--version'],
      instructionFiles: [...scaffold.reads.policy, ...scaffold.reads.skills, ...scaffold.reads.memory],
    });
  });
};

/** A sandbox that could not be had is an infrastructure failure of this attempt, not a fault of octobench. */
const sandboxFailure = (error: unknown): Decision => {
  if (!(error instanceof BenchError)) throw error;
  return { outcome: 'infra_failed', reason: 'sandbox_unavailable', message: error.message };
};

const logText = (execution: Execution | null, message: string | null): string =>
  [
    ...(message === null ? [] : [`octobench: ${message}`]),
    ...(execution?.session.steps ?? []).flatMap((step) => [
      `== query ${step.step}: exit code ${step.code}, signal ${step.signal}`,
      step.stdout,
      ...(step.stderr === '' ? [] : ['-- stderr', step.stderr]),
    ]),
    '',
  ].join('\n');

/** What is known when the sandbox and the recording are closed. */
interface Closed {
  execution: Execution | null;
  decision: Decision;
  findings: Findings | null;
  stats: AttemptStats;
}

const attemptFile = (running: Running, n: number, startedAt: number, closed: Closed): Attempt => {
  const { execution, decision, findings, stats } = closed;
  const endedAt = now();
  return {
    version: 1,
    attempt: n,
    ...decision,
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    durationMs: endedAt - startedAt,
    scaffoldMs: execution === null ? 0 : execution.endedAt - execution.startedAt,
    sandbox: running.plan.kind,
    steps: (execution?.session.steps ?? []).map(({ stdout: _stdout, stderr: _stderr, ...step }) => step),
    calls: stats.calls,
    tokens: stats.tokens,
    cost: stats.cost,
    ...(findings === null ? {} : { findings }),
  };
};

const finalOf = ({ bench, planned }: Running, patch: Uint8Array): FinalWorkspace => {
  const instance = bench.instance(planned.instance);
  return { provider: bench.provider, key: planned.key, instance, setup: bench.setup(instance), patch };
};

const runAndClose = async (running: Running, log: string, openedAt: number): Promise<Closed> => {
  const { bench, planned, recorded } = running;
  let execution: Execution | null = null;
  let failure: Decision | null = null;
  let stats: AttemptStats;
  try {
    execution = await inSandbox(running);
  } catch (e) {
    failure = sandboxFailure(e);
  } finally {
    stats = await recorded.close();
  }
  if (execution === null) {
    const unknown: Decision = { outcome: 'infra_failed', reason: 'sandbox_died', message: 'the sandbox left nothing' };
    return { execution, decision: failure ?? unknown, findings: null, stats };
  }
  const scaffold = bench.scaffold(planned.scaffold.id);
  const exchanges = readExchanges(await Array.fromAsync(readCalls(log)), (request) => scaffold.classify(request));
  const decision = decideOutcome({
    exchanges,
    execution,
    endpointEnd: stats.end,
    logOpenedAt: openedAt,
    queries: running.plan.instance.queries.length,
    limits: bench.file.experiment.limits,
  });
  const counts = COUNTED.has(decision.outcome);
  const findings = findingsOf(running.plan, execution, {
    exchanges,
    dialect: scaffold.dialect(planned.scaffold.version),
    logOpenedAt: openedAt,
    substitutedFor: planned.scaffold.substitutedFor,
    solved: counts ? await runSolved(finalOf(running, execution.patch)) : null,
  });
  return { execution, decision, findings, stats };
};

/**
 * Runs one attempt: opens its recording, runs the scaffold in a sandbox, closes both, says how it ended and writes its files,
 * `attempt.json` last.
 * @param signal stops it at once; its outcome is `cancelled` then
 */
export const runAttempt = async (
  bench: Workbench,
  planned: PlannedRollout,
  { attempt: n, paths }: { attempt: number; paths: AttemptPaths },
  signal: AbortSignal,
): Promise<Attempt> => {
  const place: Place = { workspace: bench.instance(planned.instance).workspace };
  const socket = bench.provider.kind === 'local' ? null : socketPath(bench);
  const startedAt = now();
  const recorded = await bench.proxy.open(recordingSpec(bench, planned, { n, log: paths.calls, socket, place }));
  const plan = planAttempt(bench, planned, recorded, socket);
  const running: Running = { bench, planned, plan, recorded, place, signal };
  const closed = await runAndClose(running, paths.calls, startedAt);
  const attempt = attemptFile(running, n, startedAt, closed);
  const log = redact(logText(closed.execution, closed.decision.message), [...bench.secrets, recorded.token]);
  await writeAttempt(paths, attempt, { patch: closed.execution?.patch ?? new Uint8Array(), log });
  return attempt;
};
