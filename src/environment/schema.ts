import type { ExecResult } from '../host/exec.ts';

export const SANDBOX_KINDS = ['docker', 'bubblewrap', 'local'] as const;
export type SandboxKind = (typeof SANDBOX_KINDS)[number];

/**
 * What an attempt's workspace starts as.
 * `folder`: `dir` holds the workspace's files, `history` is the path of a `history.yaml` to replay (null = no git repository),
 * `setup` are shell commands run in it before the change since the seed begins to count.
 * `image`: the files at `SandboxSpec.workspace` in a container image (docker only).
 */
export type WorkspaceSeed =
  | { kind: 'folder'; dir: string; history: string | null; setup: string[] }
  | { kind: 'image'; reference: string };

/** A file written before the scaffold starts. `path` is the path inside the sandbox; a leading `~/` is its HOME. */
export interface SandboxFile {
  path: string;
  content: string;
  mode?: number;
}

export interface SandboxLimits {
  memoryBytes: number | null;
  processes: number | null;
  diskBytes: number | null;
  /** Bytes of standard output and error kept: half from the head, half from the tail, with a mark between. */
  outputBytes: number;
  /** Bytes of output after which the session is ended (`limit: 'output'`); absent or null = never. */
  outputTotalBytes?: number | null;
  /** Processors, e.g. 1.5; absent or null = all. */
  cpus?: number | null;
}

/** What ended a session before its time. `memory` and `processes` are the sandbox's own word, `disk` is sampled. */
export type SandboxLimit = 'memory' | 'disk' | 'output' | 'processes';

/**
 * Why a session was lost: the proxy did not answer from inside, the agent's user cannot write the workspace, something inside killed
 * the relay, or the sandbox could not start or went away.
 */
export type LostReason = 'proxy_unreachable' | 'workspace_not_writable' | 'killed_inside' | 'sandbox_died';

export interface SandboxSpec {
  /** Unique on this machine; containers and folders carry it. */
  id: string;
  seed: WorkspaceSeed;
  /** Path of the workspace inside the sandbox. `local` cannot honour it and says so in `Sandbox.workspace`. */
  workspace: string;
  /** Files laid over the workspace after the seed is committed (instruction files of a variant), paths relative to it. */
  overlay: { path: string; content: string }[];
  /** Read-only mounts: the scaffold's install, the Node runtime. `local` mounts nothing: `target` must be `source` there. */
  mounts: { source: string; target: string }[];
  /** The proxy's unix socket on the host; `local` uses `hostUrl` instead. */
  socket: string | null;
  hostUrl: string;
  /** Node 20 or newer, as a path inside the sandbox. */
  node: string;
  limits: SandboxLimits;
  network: 'proxy' | 'open';
  /** docker: the image a `folder` seed runs in; absent = our base image. */
  image?: string;
  /** docker: prefixes of image names and what to put in their place. */
  imageMap?: Readonly<Record<string, string>>;
  /** docker: bytes that all images of the engine may take before nothing more is pulled; absent or null = no limit. */
  imageBudget?: number | null;
}

/** One process to run: the scaffold on one user query. `{{session}}` in argv and env becomes what an earlier step captured. */
export interface Step {
  argv: string[];
  env: Record<string, string>;
  /** Standard input; null = closed at once. */
  stdin: string | null;
  /** Regular expression over stdout whose first group is the session id for later steps. */
  capture?: string;
}

/** How one step ended. */
export interface StepEnd {
  step: number;
  code: number | null;
  signal: string | null;
  startedAt: number;
  endedAt: number;
  stdout: string;
  stderr: string;
  /** Bytes dropped from the middle of each stream. */
  dropped: number;
  /** The container's or kernel's word that memory ran out. */
  oomKilled?: true;
}

export interface SessionEnd {
  steps: StepEnd[];
  /** `aborted` = the signal fired and the process tree was killed; `lost` = the sandbox itself died. */
  end: 'exited' | 'aborted' | 'lost';
  message: string | null;
  /** Present when `end` is `lost`. */
  lost?: LostReason;
  /** The limit that ended it (`end` is then `aborted`) or that was hit on the way (`memory`: a process was killed for it). */
  limit?: SandboxLimit;
}

/** How a command is run inside, apart from the session. */
export interface CommandOptions {
  timeoutMs?: number;
  env?: Record<string, string>;
  /** Host folders to be seen at these paths for this command alone: hidden tests. */
  mounts?: readonly { source: string; target: string }[];
}

/** A running sandbox; gone, with all its processes, when the callback of `withSandbox` returns. */
export interface Sandbox {
  kind: SandboxKind;
  /** Inside paths. */
  home: string;
  workspace: string;
  /** The same workspace on the host. */
  hostWorkspace: string;
  /** Base URL of the proxy as the scaffold sees it, without a path. */
  baseUrl: string;
  /** Writes files (owner: the sandbox's user). */
  write(files: readonly SandboxFile[]): Promise<void>;
  /**
   * Runs the steps one after the other, children of one relay. It ends early when `signal` aborts (everything is killed) or when a
   * step exits non-zero. Never throws for what the scaffold does.
   */
  run(
    steps: readonly Step[],
    options: { signal: AbortSignal; onOutput?: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void },
  ): Promise<SessionEnd>;
  /** Runs one command inside, apart from the session (version probes, `solved`, `run` rules). */
  command(argv: readonly string[], options?: CommandOptions): Promise<ExecResult>;
  /** sha256 of workspace and HOME files that match the globs, by inside path. */
  digests(globs: readonly string[]): Promise<Record<string, string>>;
  /**
   * The change since the seed as a git patch (binary, new, deleted and ignored files too), taken out of the agent's reach.
   * Lines before the first `diff --git` name what was left out (`.git`, large dependency folders, huge files).
   */
  patch(): Promise<Uint8Array>;
}

/** One kind of sandbox. `check` says why it cannot be had here and how to mend it, or null. */
export interface SandboxProvider {
  kind: SandboxKind;
  check(): Promise<string | null>;
  /** Acquires, runs the callback, releases in every case. A failure to acquire throws BenchError('unavailable'). */
  withSandbox<T>(spec: SandboxSpec, use: (sandbox: Sandbox) => Promise<T>): Promise<T>;
}
