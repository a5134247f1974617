import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { Instance } from '../dataset/schema.ts';
import type { Sandbox, SandboxProvider, SandboxSpec } from '../environment/schema.ts';
import { writeAtomic } from '../host/files.ts';
import { INSIDE } from '../rollout/plan.ts';
import type { Rollout } from '../rollout/schema.ts';
import { seedOf } from './attempt-plan.ts';
import { temporaryFolder } from './store.ts';

const SOLVED_MS = 5 * 60_000;
const APPLY_MS = 60_000;
const INSIDE_PATCH = '/opt/octobench/change.patch';
const INSIDE_HIDDEN = '/opt/octobench/hidden';

type Why = { why: string };

/** A path of the host inside a sandbox; `local` has no other paths than the host's. */
const mounted = (
  kind: SandboxProvider['kind'],
  source: string,
  target: string,
): { source: string; target: string } => ({
  source,
  target: kind === 'local' ? source : target,
});

/** The workspace an attempt left: what is needed to make it again. */
export interface FinalWorkspace {
  provider: SandboxProvider;
  /** For names. */
  key: string;
  instance: Instance;
  setup: string[];
  /** `workspace.patch`. */
  patch: Uint8Array;
}

const freshSpec = ({ provider, key, instance, setup }: FinalWorkspace, socket: string): SandboxSpec => {
  const local = provider.kind === 'local';
  return {
    id: `${key.slice(0, 40)}-${randomBytes(5).toString('hex')}`,
    seed: seedOf(instance, setup),
    workspace: instance.workspace,
    overlay: [],
    mounts: [{ source: process.execPath, target: local ? process.execPath : INSIDE.node }],
    // Commands are not joined to a proxy: nothing listens there, and the sandbox has no network.
    socket,
    hostUrl: 'http://127.0.0.1:9',
    node: local ? process.execPath : INSIDE.node,
    limits: { memoryBytes: 4 * 1024 ** 3, processes: 512, diskBytes: 4 * 1024 ** 3, outputBytes: 1024 ** 2 },
    network: 'proxy',
  };
};

/**
 * Runs `use` in a fresh sandbox whose workspace is as the attempt left it: the seed with `workspace.patch` applied inside.
 * What the agent left running, or did outside the workspace, is not there.
 * @returns what `use` gave, or why there is no such workspace
 */
export const inFinalWorkspace = async <T>(
  final: FinalWorkspace,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T | Why> => {
  const folder = await temporaryFolder('octobench-patch-');
  try {
    const file = join(folder.path, 'change.patch');
    await writeAtomic(file, final.patch);
    return await final.provider.withSandbox(freshSpec(final, join(folder.path, 'none.s')), async (sandbox) => {
      if (final.patch.length === 0) return await use(sandbox);
      const mount = mounted(sandbox.kind, file, INSIDE_PATCH);
      const argv = ['git', 'apply', '--allow-empty', '--whitespace=nowarn', mount.target];
      const applied = await sandbox.command(argv, { mounts: [mount], timeoutMs: APPLY_MS });
      if (applied.code === 0) return await use(sandbox);
      return { why: `the change could not be applied: ${applied.failure ?? applied.stderr.slice(0, 300)}` };
    });
  } catch (e) {
    if (e instanceof BenchError) return { why: e.message };
    throw e;
  } finally {
    await folder.remove();
  }
};

/** Runs the instance's `solved` command, its hidden tests in `$HIDDEN`, in the workspace as the attempt left it; null when it has none. */
export const runSolved = async (final: FinalWorkspace): Promise<Rollout['solved']> => {
  const { solved, hiddenDir } = final.instance;
  if (solved === null) return null;
  const result = await inFinalWorkspace(final, async (sandbox) => {
    const hidden = hiddenDir === null ? null : mounted(sandbox.kind, hiddenDir, INSIDE_HIDDEN);
    return sandbox.command(['bash', '-c', solved], {
      timeoutMs: SOLVED_MS,
      mounts: hidden === null ? [] : [hidden],
      env: hidden === null ? {} : { HIDDEN: hidden.target },
    });
  });
  if ('why' in result) return { ok: null, why: result.why };
  if (result.timedOut) return { ok: false, why: 'the command did not end in time' };
  if (result.failure !== null) return { ok: null, why: result.failure };
  return { ok: result.code === 0, why: result.code === 0 ? null : `exit code ${result.code}` };
};
