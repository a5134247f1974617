import type { Sandbox, SessionEnd } from '../environment/schema.ts';
import { now as wallClock } from '../host/clock.ts';
import type { Launch } from '../scaffolds/scaffold.ts';
import type { Execution, ModelEndpoint, Stopper, TimeLimits } from './schema.ts';

export interface ExecuteOptions {
  sandbox: Sandbox;
  launch: Launch;
  queries: readonly string[];
  endpoint: ModelEndpoint;
  limits: TimeLimits;
  /** Ctrl-C. */
  signal: AbortSignal;
  /** The command that prints the scaffold's version, or null. */
  versionProbe: readonly string[] | null;
  /** Globs of the instruction files whose digests are kept. */
  instructionFiles: readonly string[];
  /** Every piece of what the scaffold prints, for `scaffold.log`. */
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  /** `Date.now()`; tests hand in their own. */
  clock?: () => number;
}

const PROBE_MS = 15_000;
const PROBES = 3;
const TICK_MS = 100;

/**
 * Runs a scaffold on its queries inside a sandbox until it ends, a limit is passed, the endpoint ends the attempt or the user stops
 * it. Whoever comes first is `stopped`; everything inside is killed then. What the scaffold does is data, never an exception.
 */
export const executeAttempt = async (options: ExecuteOptions): Promise<Execution> => {
  const { sandbox, launch, queries } = options;
  const clock = options.clock ?? wallClock;
  await sandbox.write(launch.files);
  const reportedVersion = options.versionProbe === null ? null : await probeVersion(sandbox, options.versionProbe);
  const before = await sandbox.digests(options.instructionFiles);
  const startedAt = clock();
  const { session, stopped } = await watchSession(options, clock, startedAt, (signal, onOutput) =>
    sandbox.run(launch.steps(queries), { signal, onOutput }),
  );
  const endedAt = clock();
  const after = await sandbox.digests(options.instructionFiles);
  const patch = await sandbox.patch();
  return {
    workspace: sandbox.workspace,
    session,
    stopped,
    startedAt,
    endedAt,
    reportedVersion,
    files: { before, after },
    patch,
  };
};

/* Droid 0.99.0 hangs at about one start in ten: a probe that gave nothing is made again. */
const probeVersion = async (sandbox: Sandbox, argv: readonly string[]): Promise<string | null> => {
  for (let i = 0; i < PROBES; i++) {
    const { code, stdout, stderr } = await sandbox.command(argv, { timeoutMs: PROBE_MS });
    // pi says it on standard error.
    const said = stdout.trim() === '' ? stderr : stdout;
    const line = said.trim().split('\n')[0] ?? '';
    if (code === 0 && line !== '') return line.slice(0, 200);
  }
  return null;
};

/** Who would stop the session at this moment, by time alone. */
export const overdue = (
  at: number,
  times: { startedAt: number; lastOutputAt: number },
  stats: ReturnType<ModelEndpoint['stats']>,
  limits: TimeLimits,
): Stopper | null => {
  if (at - times.startedAt >= limits.wallMs) return 'wall';
  if (stats.firstCallAt === null) return at - times.startedAt >= limits.firstCallMs ? 'first_call' : null;
  const lastSign = Math.max(times.startedAt, times.lastOutputAt, stats.lastActivityAt ?? 0);
  return stats.openCalls === 0 && at - lastSign >= limits.silenceMs ? 'silence' : null;
};

const watchSession = async (
  options: ExecuteOptions,
  clock: () => number,
  startedAt: number,
  run: (signal: AbortSignal, onOutput: NonNullable<ExecuteOptions['onOutput']>) => Promise<SessionEnd>,
): Promise<{ session: SessionEnd; stopped: Stopper | null }> => {
  const { endpoint, limits, signal } = options;
  const kill = new AbortController();
  let stopped: Stopper | null = null;
  let lastOutputAt = startedAt;
  const stop = (why: Stopper): void => {
    stopped ??= why;
    kill.abort();
  };
  const onCancel = (): void => stop('cancelled');
  const onEnd = (): void => stop('endpoint');
  signal.addEventListener('abort', onCancel, { once: true });
  endpoint.ended.addEventListener('abort', onEnd, { once: true });
  if (signal.aborted) onCancel();
  if (endpoint.ended.aborted) onEnd();
  const timer = setInterval(() => {
    const why = overdue(clock(), { startedAt, lastOutputAt }, endpoint.stats(), limits);
    if (why !== null) stop(why);
  }, TICK_MS);
  try {
    const session = await run(kill.signal, (stream, chunk) => {
      lastOutputAt = clock();
      options.onOutput?.(stream, chunk);
    });
    // A session that had ended by itself was not stopped, whatever fired meanwhile.
    return { session, stopped: session.end === 'exited' ? null : stopped };
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', onCancel);
    endpoint.ended.removeEventListener('abort', onEnd);
  }
};
