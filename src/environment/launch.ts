import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { now, sleep } from '../host/clock.ts';
import { keepOutput } from './output.ts';
import type { SandboxLimit, SandboxLimits, SessionEnd } from './schema.ts';
import { createSessionReader, type RelayJob, type SessionReader } from './session.ts';

/** The relay on the host. */
export const RELAY: string = fileURLToPath(new URL('./relay.mjs', import.meta.url));

/** How a sandbox's first process is started. */
export interface RelayCommand {
  file: string;
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
}

export interface SessionOptions {
  limits: SandboxLimits;
  signal: AbortSignal;
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
  /** Asked now and then while the session runs: the limit that was passed, or null. */
  sample?: (pid: number) => Promise<SandboxLimit | null>;
  /** Kills whatever killing the first process leaves. */
  killRest?: () => Promise<void>;
}

/** Where the bytes of the relay come from and how it is stopped, whatever it runs in. */
export interface Control {
  kill(): void;
  /** Resolves to the relay's end once its output has been read to the end. */
  ended: Promise<{ code: number | null; signal: string | null }>;
  pid: number;
}

const SAMPLE_MS = 500;

/** Samples until `over`; calls `stop` at the first limit that was passed. The pause grows with what a sample costs. */
const watch = async (
  sample: () => Promise<SandboxLimit | null>,
  over: AbortSignal,
  stop: (limit: SandboxLimit) => void,
): Promise<void> => {
  while (!over.aborted) {
    const began = now();
    const limit = await sample();
    if (limit !== null) return stop(limit);
    await sleep(Math.max(SAMPLE_MS, 10 * (now() - began)), over);
  }
};

/** Drives one session over an attached relay: reads its frames, watches the limits, kills on abort. Never throws. */
export const driveSession = async (
  attach: (push: (chunk: Uint8Array) => void) => Control,
  options: SessionOptions,
): Promise<SessionEnd> => {
  let limit: SandboxLimit | undefined;
  let stopped = false;
  let broken: string | null = null;
  let control: Control | undefined;
  const stop = (why?: SandboxLimit): void => {
    if (stopped) return;
    stopped = true;
    limit = why;
    control?.kill();
  };
  let seen = 0;
  const most = options.limits.outputTotalBytes ?? Number.POSITIVE_INFINITY;
  const reader: SessionReader = createSessionReader({
    outputBytes: options.limits.outputBytes,
    onOutput: (stream, chunk) => {
      seen += chunk.length;
      options.onOutput?.(stream, chunk);
      if (seen > most) stop('output');
    },
  });
  control = attach((chunk) => {
    if (broken !== null) return;
    try {
      reader.push(chunk);
    } catch (e) {
      broken = e instanceof Error ? e.message : String(e);
      control?.kill();
    }
  });
  const onAbort = (): void => stop();
  options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.signal.aborted) stop();
  const over = new AbortController();
  const { sample } = options;
  const { pid } = control;
  const watching = sample === undefined ? undefined : watch(() => sample(pid), over.signal, stop);
  const exit = await control.ended;
  over.abort();
  options.signal.removeEventListener('abort', onAbort);
  await Promise.all([watching, options.killRest?.()]);
  const end = reader.end({ ...exit, aborted: stopped, at: now() });
  if (broken !== null) return { ...end, end: 'lost', lost: 'sandbox_died', message: broken };
  return limit === undefined ? end : { ...end, limit };
};

const exitOf = (child: ChildProcess): Control['ended'] =>
  new Promise((resolve) => {
    child.on('error', () => resolve({ code: 127, signal: null }));
    child.on('close', (code, signal) => resolve({ code, signal }));
  });

/**
 * Starts the relay as a child of this process, hands it the job and runs the session to its end. The job's channel stays open while
 * octobench lives, so that the relay kills everything when it does not. Never throws.
 */
export const runSession = async (
  command: RelayCommand,
  job: RelayJob,
  options: SessionOptions,
): Promise<SessionEnd> => {
  const errors = keepOutput(4096);
  const end = await driveSession((push) => {
    const child = spawn(command.file, command.args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdout.on('data', push);
    child.stderr.on('data', (chunk: Uint8Array) => errors.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', (e) => errors.push(Buffer.from(e.message)));
    child.stdin.write(`${JSON.stringify(job)}\n`);
    return { kill: () => void child.kill('SIGKILL'), ended: exitOf(child), pid: child.pid ?? -1 };
  }, options);
  const said = errors.text().trim();
  return end.end === 'lost' && said !== '' ? { ...end, message: `${end.message}: ${said}` } : end;
};
