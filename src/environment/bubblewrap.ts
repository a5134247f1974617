import { randomInt } from 'node:crypto';
import { lstat, mkdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { safeName } from '../core/ids.ts';
import { exec } from '../host/exec.ts';
import { type BwrapFeatures, type BwrapPlan, bwrapArguments, insidePath } from './bwrap-args.ts';
import { type ControlGroup, makeControlGroup } from './cgroup.ts';
import { RELAY, runSession } from './launch.ts';
import { acquireFolder, removeTree, type SandboxFolder } from './lifecycle.ts';
import { descendants, processTable } from './processes.ts';
import { baseEnvironment, HOME, insidePlaces, openSandbox, RELAY_PORT, type SandboxParts, USER } from './sandbox.ts';
import type { Sandbox, SandboxProvider, SandboxSpec, SessionEnd } from './schema.ts';
import { fillWorkspace } from './seed.ts';
import type { Upstream } from './session.ts';
import type { Places, User } from './workspace.ts';

const isRoot = (): boolean => process.getuid?.() === 0;

/** System folders and files an agent needs, as far as the host has them. */
const SYSTEM = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'],
  ...['/etc/ssl', '/etc/pki', '/etc/ca-certificates', '/etc/alternatives', '/etc/localtime', '/etc/os-release'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/mime.types', '/etc/protocols', '/etc/services'],
];

const systemFolders = async (network: 'proxy' | 'open'): Promise<BwrapPlan['system']> => {
  const binds: string[] = [];
  const links: { path: string; target: string }[] = [];
  for (const path of network === 'open' ? [...SYSTEM, '/etc/resolv.conf'] : SYSTEM) {
    const stat = await lstat(path).catch(() => null);
    if (stat?.isSymbolicLink() === true && !path.startsWith('/etc/resolv'))
      links.push({ path, target: await readlink(path) });
    else if (stat !== null) binds.push(path);
  }
  return { binds, links };
};

/** A minimal account database, so that the user has a name and no account of the host is seen. */
const writeAccounts = async (folder: string, user: User): Promise<[string, string][]> => {
  await mkdir(folder);
  const files: Record<string, string> = {
    passwd: `root:x:0:0:root:/root:/usr/sbin/nologin\n${USER}:x:${user.uid}:${user.gid}:${USER}:${HOME}:/bin/bash\n`,
    group: `root:x:0:\n${USER}:x:${user.gid}:\n`,
    hosts: '127.0.0.1 localhost sandbox\n::1 localhost\n',
    'nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o644 });
  return Object.keys(files).map((name): [string, string] => [join(folder, name), `/etc/${name}`]);
};

/** Limits that hold for every process by itself; `processes` counts threads, and per user. */
const limitArguments = (spec: SandboxSpec): string[] => {
  const { processes, diskBytes } = spec.limits;
  return [
    ...['prlimit', '--core=0:0'],
    ...(processes === null ? [] : [`--nproc=${processes}:${processes}`]),
    ...(diskBytes === null ? [] : [`--fsize=${diskBytes}:${diskBytes}`]),
  ];
};

interface Prepared {
  spec: SandboxSpec;
  folder: SandboxFolder;
  places: Places;
  user: User;
  system: BwrapPlan['system'];
  accounts: [string, string][];
  features: BwrapFeatures;
}

const planOf = (p: Prepared, mounts: readonly { source: string; target: string }[], wired: boolean): BwrapPlan => {
  const { spec } = p;
  const socket =
    wired && spec.network === 'proxy' && spec.socket !== null ? [[spec.socket, '/run/proxy.sock'] as const] : [];
  return {
    asRoot: isRoot(),
    features: p.features,
    network: spec.network,
    system: p.system,
    writable: [
      [p.places.hostHome, p.places.home],
      [p.places.hostWorkspace, p.places.workspace],
    ],
    mounts: [
      ...p.accounts,
      [RELAY, '/run/relay.mjs'],
      ...socket,
      ...[...spec.mounts, ...mounts].map((m) => [m.source, m.target] as const),
    ],
    environment: { ...baseEnvironment(HOME, insidePath(spec.node)), TMPDIR: '/tmp' },
    cwd: p.places.workspace,
    temporaryBytes: spec.limits.diskBytes,
  };
};

/** A shell line that puts itself into the control group, then becomes the command. */
const inGroup = (group: ControlGroup | null): string[] =>
  group === null ? [] : ['/bin/sh', '-c', `${group.procs.map((f) => `echo $$ >${f}`).join(' && ')} && exec "$@"`, 'sh'];

const upstreamOf = (spec: SandboxSpec): Upstream => {
  if (spec.network === 'proxy') return { path: '/run/proxy.sock' };
  const url = new URL(spec.hostUrl);
  return { host: url.hostname, port: Number(url.port) };
};

const partsOf = (p: Prepared): SandboxParts => {
  const { spec } = p;
  let started = 0;
  return {
    kind: 'bubblewrap',
    spec,
    places: p.places,
    owner: isRoot() ? p.user : null,
    baseUrl: spec.network === 'proxy' ? `http://127.0.0.1:${RELAY_PORT}` : new URL(spec.hostUrl).origin,
    shadow: p.folder.shadow,
    async start(steps, { wired, mounts }, options): Promise<SessionEnd> {
      // Commands (`solved`, `run` rules) need no proxy; a session does.
      if (wired && spec.network === 'proxy' && spec.socket === null) {
        throw new BenchError('input', 'environment', 'a session in bubblewrap needs the proxy’s unix socket');
      }
      const group = await makeControlGroup(`octobench-${safeName(spec.id)}-${started++}`, spec.limits);
      const argv = [
        ...inGroup(group),
        ...['bwrap', ...bwrapArguments(planOf(p, mounts, wired))],
        ...[...limitArguments(spec), spec.node, '/run/relay.mjs'],
      ];
      const [file = 'bwrap', ...args] = argv;
      const job = {
        port: wired && spec.network === 'proxy' ? RELAY_PORT : null,
        upstream: wired ? upstreamOf(spec) : null,
        user: isRoot() ? p.user : null,
        cwd: p.places.workspace,
        steps,
      };
      const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' };
      try {
        const end = await runSession({ file, args, env, cwd: '/' }, job, options);
        const limit = end.limit ?? (await group?.hit()) ?? undefined;
        if (limit === undefined) return end;
        const last = end.steps.at(-1);
        if (limit === 'memory' && group !== null && last !== undefined) last.oomKilled = true;
        return { ...end, limit };
      } finally {
        await group?.remove();
      }
    },
    async sample(pid) {
      const limit = spec.limits.memoryBytes;
      if (limit === null) return null;
      const used = descendants(await processTable(), pid).reduce((sum, row) => sum + row.rss, 0);
      return used > limit ? 'memory' : null;
    },
  };
};

const features = async (): Promise<BwrapFeatures | null> => {
  const said = await exec('bwrap', ['--version']);
  const version = /(\d+)\.(\d+)/.exec(said.stdout);
  return version === null ? null : { size: Number(version[1]) > 0 || Number(version[2]) >= 7 };
};

const check = async (): Promise<string | null> => {
  if (process.platform !== 'linux') return 'bubblewrap is for Linux; use `--sandbox docker`';
  if ((await features()) === null) return 'bubblewrap is not installed; install the package `bubblewrap`';
  const system = await systemFolders('proxy');
  const none: BwrapPlan = {
    ...{ asRoot: isRoot(), features: { size: false }, network: 'proxy', system, mounts: [], writable: [] },
    ...{ environment: { PATH: '/usr/bin:/bin' }, cwd: '/', temporaryBytes: null },
  };
  const tried = await exec('bwrap', [...bwrapArguments(none), 'true']);
  if (tried.code === 0) return null;
  const why = tried.failure ?? tried.stderr.trim();
  return `bubblewrap cannot make a sandbox here (${why}); allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap)`;
};

/**
 * Own namespaces for everything, the network included; the host's system folders read-only; a private HOME and /tmp; no capabilities.
 * Run as root, each sandbox has a user id of its own that exists nowhere else, and only the relay can see the proxy's socket.
 */
export const bubblewrap: SandboxProvider = {
  kind: 'bubblewrap',
  check,
  async withSandbox<T>(spec: SandboxSpec, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    if (spec.seed.kind === 'image') {
      throw new BenchError('unavailable', 'environment', 'an image needs `--sandbox docker`: bubblewrap has no images');
    }
    const found = await features();
    if (found === null) throw new BenchError('unavailable', 'environment', 'bubblewrap is not installed');
    const folder = await acquireFolder(spec.id, 'bubblewrap');
    try {
      const id = isRoot() ? randomInt(20_000, 60_000) : 1000;
      const user = { uid: id, gid: id };
      const places = insidePlaces(spec, folder);
      const accounts = await writeAccounts(join(folder.root, 'etc'), user);
      await fillWorkspace(spec, places, isRoot() ? user : null);
      const system = await systemFolders(spec.network);
      return await use(await openSandbox(partsOf({ spec, folder, places, user, system, accounts, features: found })));
    } finally {
      await removeTree(folder.root);
    }
  },
};
