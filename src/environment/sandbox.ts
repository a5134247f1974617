import { posix } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { ExecResult } from '../host/exec.ts';
import type { SessionOptions } from './launch.ts';
import type { SandboxFolder } from './lifecycle.ts';
import type { CommandOptions, Sandbox, SandboxKind, SandboxLimit, SandboxSpec, SessionEnd, Step } from './schema.ts';
import { layOver } from './seed.ts';
import { type Baseline, takeBaseline } from './snapshot.ts';
import { diskUse } from './tree.ts';
import { digestFiles, type Places, type User, writeFiles } from './workspace.ts';

/** Port of the sandbox's own 127.0.0.1 behind which the proxy is. */
export const RELAY_PORT = 8790;
/** HOME of the sandbox's user, where a sandbox has a file system of its own. */
export const HOME = '/home/agent';
/** The user's name inside. */
export const USER = 'agent';

/** The environment a step starts from, before the adapter's own variables. */
export const baseEnvironment = (home: string, path: string): Record<string, string> => ({
  PATH: path,
  HOME: home,
  USER,
  LOGNAME: USER,
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TZ: 'UTC',
});

const NO_WORKSPACE = /^\/(usr|etc|proc|sys|dev|bin|sbin|lib|lib32|lib64|run|tmp|home|root|var|opt)?$/;

/** The places of a sandbox with a file system of its own. Throws BenchError('input') for a workspace path that cannot be one. */
export const insidePlaces = (spec: SandboxSpec, folder: SandboxFolder): Places => {
  const workspace = posix.normalize(spec.workspace).replace(/\/+$/, '');
  if (!workspace.startsWith('/') || NO_WORKSPACE.test(workspace) || workspace === HOME) {
    throw new BenchError('input', 'environment', `${spec.workspace} cannot be a workspace: name a folder below it`);
  }
  return { home: HOME, workspace, hostHome: folder.home, hostWorkspace: folder.workspace };
};

/** What a kind of sandbox does in its own way. */
export interface SandboxParts {
  kind: SandboxKind;
  spec: SandboxSpec;
  places: Places;
  /** Whom files are given to; null = they stay as written. */
  owner: User | null;
  baseUrl: string;
  shadow: string;
  /** Runs steps behind one relay; `wired` = joined to the proxy, which must answer first. */
  start(
    steps: readonly Step[],
    how: { wired: boolean; mounts: readonly { source: string; target: string }[] },
    options: SessionOptions,
  ): Promise<SessionEnd>;
  /** Other limits to watch while a session runs. */
  sample?: (pid: number) => Promise<SandboxLimit | null>;
}

const asExecResult = (end: SessionEnd, timedOut: boolean): ExecResult => {
  const [step] = end.steps;
  const failure = end.end === 'lost' || step === undefined ? (end.message ?? 'the sandbox was lost') : null;
  return {
    code: step?.code ?? null,
    signal: step?.signal ?? null,
    stdout: step?.stdout ?? '',
    stderr: step?.stderr ?? '',
    timedOut,
    failure,
  };
};

/** Bytes of a command's output that are kept. */
const COMMAND_OUTPUT = 4 * 1024 * 1024;

const runCommand = async (
  parts: SandboxParts,
  argv: readonly string[],
  options: CommandOptions,
): Promise<ExecResult> => {
  const signal =
    options.timeoutMs === undefined ? new AbortController().signal : AbortSignal.timeout(options.timeoutMs);
  const step: Step = { argv: [...argv], env: options.env ?? {}, stdin: null };
  const end = await parts.start(
    [step],
    { wired: false, mounts: options.mounts ?? [] },
    {
      limits: { ...parts.spec.limits, outputBytes: COMMAND_OUTPUT, outputTotalBytes: null },
      signal,
      ...(parts.sample === undefined ? {} : { sample: parts.sample }),
    },
  );
  return asExecResult(end, signal.aborted);
};

const prepare = async (parts: SandboxParts, sandbox: Sandbox): Promise<Baseline> => {
  const setup = parts.spec.seed.kind === 'folder' ? parts.spec.seed.setup : [];
  for (const line of setup) {
    const done = await sandbox.command(['/bin/sh', '-c', line], { timeoutMs: 600_000 });
    if (done.code === 0) continue;
    const why = done.failure ?? (done.stderr.trim() || `exit code ${done.code}`);
    throw new BenchError('unavailable', 'environment', `setup command "${line}" failed in the sandbox: ${why}`);
  }
  await layOver(parts.spec, parts.places, parts.owner);
  return takeBaseline(parts.places.hostWorkspace, parts.shadow);
};

/** Tells when the sandbox's folders have grown by more than the limit since now. */
const diskSampler = async (parts: SandboxParts): Promise<(() => Promise<SandboxLimit | null>) | null> => {
  const limit = parts.spec.limits.diskBytes;
  if (limit === null) return null;
  const roots = [parts.places.hostWorkspace, parts.places.hostHome];
  const before = await diskUse(roots);
  return async () => ((await diskUse(roots)) - before > limit ? 'disk' : null);
};

/** Makes the sandbox's handle, runs the seed's setup commands, lays the overlay and remembers the workspace as it then is. */
export const openSandbox = async (parts: SandboxParts): Promise<Sandbox> => {
  let baseline: Baseline | undefined;
  const sandbox: Sandbox = {
    kind: parts.kind,
    home: parts.places.home,
    workspace: parts.places.workspace,
    hostWorkspace: parts.places.hostWorkspace,
    baseUrl: parts.baseUrl,
    write: (files) => writeFiles(files, parts.places, parts.owner),
    async run(steps, options) {
      const needsSocket = parts.kind === 'docker' || (parts.kind === 'bubblewrap' && parts.spec.network === 'proxy');
      if (needsSocket && parts.spec.socket === null) {
        throw new BenchError('input', 'environment', 'a session without a network needs the proxy’s unix socket');
      }
      const disk = await diskSampler(parts);
      const sample = async (pid: number): Promise<SandboxLimit | null> =>
        (await parts.sample?.(pid)) ?? (await disk?.()) ?? null;
      const limits = parts.spec.limits;
      return parts.start(steps, { wired: true, mounts: [] }, { ...options, limits, sample });
    },
    command: (argv, options) => runCommand(parts, argv, options ?? {}),
    digests: (globs) => digestFiles(globs, parts.places),
    patch: async () => (await baseline?.patch()) ?? new Uint8Array(),
  };
  baseline = await prepare(parts, sandbox);
  return sandbox;
};
