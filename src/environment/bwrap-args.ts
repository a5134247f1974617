import { dirname } from 'node:path';

/** What a bubblewrap of some version can do. */
export interface BwrapFeatures {
  /** `--size`: tmpfs with a limit (0.7). */
  size: boolean;
}

export interface BwrapPlan {
  /** Real root: the relay keeps the right to become another user, and to kill; the steps have none. Otherwise a user namespace. */
  asRoot: boolean;
  features: BwrapFeatures;
  network: 'proxy' | 'open';
  /** What of the host's system folders is there: folders to bind read-only, links to repeat. */
  system: { binds: readonly string[]; links: readonly { path: string; target: string }[] };
  /** Read-only, in order: [source, target]. */
  mounts: readonly (readonly [source: string, target: string])[];
  /** Read-write. */
  writable: readonly (readonly [source: string, target: string])[];
  environment: Record<string, string>;
  cwd: string;
  /** Bytes that /tmp and /dev/shm may each hold; null = what the kernel allows. */
  temporaryBytes: number | null;
}

const UID = '1000';

/**
 * Makes the folders above a mount point: bubblewrap's own would be closed to all but root. In a read-only system folder (`/usr/src/app`)
 * the first folder below it is covered by an empty one.
 */
const foldersAbove = (plan: BwrapPlan, target: string, covered: Set<string>): string[] => {
  const names = target.split('/').slice(1, -1);
  const above = names.map((_, i) => `/${names.slice(0, i + 1).join('/')}`);
  const system = plan.system.binds.find((b) => target.startsWith(`${b}/`));
  const opened = (paths: readonly string[]): string[] => paths.flatMap((path) => ['--perms', '0755', '--dir', path]);
  if (system === undefined) return opened(above);
  const [cover, ...rest] = above.filter((path) => path.startsWith(`${system}/`));
  if (cover === undefined) return [];
  const fresh = covered.has(cover) ? [] : ['--tmpfs', cover];
  covered.add(cover);
  return [...fresh, ...opened(rest)];
};

/** Arguments of `bwrap` up to the command: everything unshared, system folders read-only, nothing else of the host. */
export const bwrapArguments = (plan: BwrapPlan): string[] => {
  const sized = plan.temporaryBytes !== null && plan.features.size ? ['--size', String(plan.temporaryBytes)] : [];
  const covered = new Set<string>();
  const temporary = (path: string): string[] => ['--perms', '1777', ...sized, '--tmpfs', path];
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'sandbox'],
    ...(plan.network === 'proxy' ? ['--unshare-net'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...(plan.asRoot
      ? ['CAP_SETUID', 'CAP_SETGID', 'CAP_KILL'].flatMap((c) => ['--cap-add', c])
      : ['--unshare-user', '--uid', UID, '--gid', UID]),
    ...['--perms', '0755', '--dir', '/etc'],
    ...plan.system.binds.flatMap((path) => ['--ro-bind', path, path]),
    ...plan.system.links.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...['/tmp', '/var/tmp', '/dev/shm'].flatMap(temporary),
    ...['--perms', '0755', '--dir', '/run'],
    ...plan.writable.flatMap(([source, target]) => [...foldersAbove(plan, target, covered), '--bind', source, target]),
    ...plan.mounts.flatMap(([source, target]) => [...foldersAbove(plan, target, covered), '--ro-bind', source, target]),
    '--clearenv',
    ...Object.entries(plan.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--chdir', plan.cwd, '--'],
  ];
};

/** `$PATH` inside: the Node that was mounted, then the system's. */
export const insidePath = (node: string): string =>
  [dirname(node), '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'].join(':');
