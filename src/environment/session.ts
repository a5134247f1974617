import { parseJson } from '../core/json.ts';
import { createFrameReader } from './frames.ts';
import { type KeptOutput, keepOutput } from './output.ts';
import type { LostReason, SessionEnd, Step, StepEnd } from './schema.ts';

/** Where the relay finds the proxy: a unix socket mounted into the sandbox, or a host and port it can reach. */
export type Upstream = { path: string } | { host: string; port: number };

/** What the relay reads as one line of JSON (relay.mjs). */
export interface RelayJob {
  /** Port of the sandbox's own 127.0.0.1 to listen on; null = the scaffold reaches the upstream by itself. */
  port: number | null;
  upstream: Upstream | null;
  /** Whom the steps run as; null = as the relay. */
  user: { uid: number; gid: number } | null;
  cwd: string;
  steps: readonly Step[];
}

interface RelayRecord {
  t: 'start' | 'end' | 'fail' | 'note' | 'done';
  at: number;
  step?: number;
  code?: number | null;
  signal?: string | null;
  why?: string;
  message?: string;
}

interface RunningStep {
  step: number;
  startedAt: number;
  stdout: KeptOutput;
  stderr: KeptOutput;
}

/** What the host saw of the relay's own end. */
export interface RelayExit {
  code: number | null;
  signal: string | null;
  /** The caller's signal fired and everything was killed. */
  aborted: boolean;
  at: number;
}

export interface SessionReader {
  /** Bytes of the relay's standard output, cut anywhere. */
  push(chunk: Uint8Array): void;
  /** What became of the session, once the relay is gone. */
  end(exit: RelayExit): SessionEnd;
}

const LOST: readonly LostReason[] = ['proxy_unreachable', 'workspace_not_writable'];

const stepEnd = (running: RunningStep, endedAt: number, code: number | null, signal: string | null): StepEnd => ({
  step: running.step,
  code,
  signal,
  startedAt: running.startedAt,
  endedAt,
  stdout: running.stdout.text(),
  stderr: running.stderr.text(),
  dropped: running.stdout.dropped() + running.stderr.dropped(),
});

/** Why the relay went without saying goodbye, from its exit alone. */
const lostEnd = (steps: StepEnd[], exit: RelayExit, failure: RelayRecord | null): SessionEnd => {
  const known = LOST.find((r) => r === failure?.why);
  const killed = exit.signal === 'SIGKILL' || exit.code === 137;
  const lost = known ?? (steps.length > 0 && killed ? 'killed_inside' : 'sandbox_died');
  const how = exit.signal === null ? `exit code ${exit.code}` : exit.signal;
  return { steps, end: 'lost', lost, message: failure?.message ?? `the sandbox's first process ended early (${how})` };
};

/** Turns the relay's frames into the session's end; memory is bounded by twice `outputBytes` a running step. */
export const createSessionReader = (options: {
  outputBytes: number;
  onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
}): SessionReader => {
  const steps: StepEnd[] = [];
  const notes: string[] = [];
  let running: RunningStep | null = null;
  let failure: RelayRecord | null = null;
  let done = false;
  let text = '';
  const take = (r: RelayRecord): void => {
    if (r.t === 'start') {
      const keep = (): KeptOutput => keepOutput(options.outputBytes);
      running = { step: r.step ?? steps.length, startedAt: r.at, stdout: keep(), stderr: keep() };
    } else if (r.t === 'end' && running !== null) {
      steps.push(stepEnd(running, r.at, r.code ?? null, r.signal ?? null));
      running = null;
    } else if (r.t === 'note') notes.push(r.message ?? '');
    else if (r.t === 'fail') failure = r;
    else if (r.t === 'done') done = true;
  };
  const read = createFrameReader(({ kind, payload }) => {
    if (kind === 3) {
      // Latin-1 carries bytes one to one, so a character cut between two chunks survives.
      const lines = (text + Buffer.from(payload).toString('latin1')).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) take(parseJson(Buffer.from(line, 'latin1').toString('utf8')) as RelayRecord);
      return;
    }
    const stream = kind === 1 ? 'stdout' : 'stderr';
    running?.[stream].push(payload);
    options.onOutput?.(stream, payload);
  });
  return {
    push: read,
    end(exit) {
      if (running !== null) steps.push(stepEnd(running, exit.at, null, exit.signal ?? 'SIGKILL'));
      running = null;
      if (done) return { steps, end: 'exited', message: notes[0] ?? null };
      if (exit.aborted) return { steps, end: 'aborted', message: null };
      return lostEnd(steps, exit, failure);
    },
  };
};
