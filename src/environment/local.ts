import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { RELAY, runSession } from './launch.ts';
import { acquireFolder, killMarked, markOf, removeTree, type SandboxFolder } from './lifecycle.ts';
import { descendants, processTable } from './processes.ts';
import { baseEnvironment, openSandbox, type SandboxParts } from './sandbox.ts';
import type { Sandbox, SandboxProvider, SandboxSpec } from './schema.ts';
import { fillWorkspace } from './seed.ts';
import type { Places } from './workspace.ts';

const refuse = (spec: SandboxSpec): void => {
  if (spec.seed.kind === 'image') {
    throw new BenchError('unavailable', 'environment', 'an image needs `--sandbox docker`: local has no images');
  }
  const moved = spec.mounts.find((m) => m.source !== m.target);
  if (moved !== undefined) {
    throw new BenchError('input', 'environment', `local mounts nothing: ${moved.source} cannot be at ${moved.target}`);
  }
};

/** Where files given as mounts of one command are seen: `local` can only offer them where they are. */
const refuseMounts = (mounts: readonly { source: string; target: string }[]): void => {
  if (mounts.some((m) => m.source !== m.target)) {
    throw new BenchError('input', 'environment', 'local mounts nothing: a mount must have its source as its target');
  }
};

const partsOf = (spec: SandboxSpec, folder: SandboxFolder): SandboxParts => {
  const places: Places = {
    home: folder.home,
    workspace: folder.workspace,
    hostHome: folder.home,
    hostWorkspace: folder.workspace,
  };
  const url = new URL(spec.hostUrl);
  const mark = markOf(spec.id);
  const temporary = join(folder.root, 'tmp');
  const path = [dirname(spec.node), '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'].join(':');
  const env = { ...baseEnvironment(folder.home, path), TMPDIR: temporary, [mark.name]: mark.value };
  return {
    kind: 'local',
    spec,
    places,
    owner: null,
    baseUrl: url.origin,
    shadow: folder.shadow,
    async start(steps, { wired, mounts }, options) {
      refuseMounts(mounts);
      await mkdir(temporary, { recursive: true });
      const upstream = wired ? { host: url.hostname, port: Number(url.port) } : null;
      return runSession(
        { file: spec.node, args: [RELAY], env, cwd: folder.workspace },
        { port: null, upstream, user: null, cwd: folder.workspace, steps },
        { ...options, killRest: () => killMarked(spec.id) },
      );
    },
    async sample(pid) {
      const limit = spec.limits.memoryBytes;
      if (limit === null) return null;
      const used = descendants(await processTable(), pid).reduce((sum, row) => sum + row.rss, 0);
      return used > limit ? 'memory' : null;
    },
  };
};

/**
 * No isolation: a process group in a temporary folder, with a fresh HOME and environment. For scripted models, or when asked for by
 * name. The workspace's path cannot be chosen (`Sandbox.workspace` says where it is).
 */
export const local: SandboxProvider = {
  kind: 'local',
  check: async () => (process.platform === 'win32' ? 'local needs Linux, macOS or WSL' : null),
  async withSandbox<T>(spec: SandboxSpec, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    refuse(spec);
    const folder = await acquireFolder(spec.id, 'local');
    try {
      const parts = partsOf(spec, folder);
      await fillWorkspace(spec, parts.places, null);
      return await use(await openSandbox(parts));
    } finally {
      await killMarked(spec.id);
      await removeTree(folder.root);
    }
  },
};
