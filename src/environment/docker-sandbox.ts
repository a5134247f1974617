import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { safeName } from '../core/ids.ts';
import { writeAtomic } from '../host/files.ts';
import {
  type Container,
  type ContainerOptions,
  checkEngine,
  type Engine,
  engineError,
  isMissing,
  openEngine,
} from './docker.ts';
import { createFrameReader } from './frames.ts';
import { BASE_IMAGE, ensureImage, type LocalImage } from './image.ts';
import { type Control, driveSession, RELAY, type SessionOptions } from './launch.ts';
import { acquireFolder, isRunning, readOwner, removeTree, type SandboxFolder, self } from './lifecycle.ts';
import { keepOutput } from './output.ts';
import { baseEnvironment, HOME, insidePlaces, openSandbox, RELAY_PORT, type SandboxParts, USER } from './sandbox.ts';
import type { Sandbox, SandboxProvider, SandboxSpec, SessionEnd } from './schema.ts';
import { scrubHistory } from './scrub.ts';
import { fillWorkspace } from './seed.ts';
import type { RelayJob } from './session.ts';
import { readTar } from './tar.ts';
import { unpackTar } from './unpack.ts';
import type { Places, User } from './workspace.ts';

const LABEL_ID = 'octobench.id';
const LABEL_OWNER = 'octobench.owner';
const STEPS_UID = 1000;
/** Where the proxy's socket is inside. */
const SOCKET = '/run/proxy.sock';

const isRoot = (): boolean => process.getuid?.() === 0;

/** Run as root, octobench gives the steps a user of their own; otherwise everything inside is the user who runs it. */
const stepsUser = (): User =>
  isRoot() ? { uid: STEPS_UID, gid: STEPS_UID } : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

interface Prepared {
  engine: Engine;
  image: LocalImage;
  spec: SandboxSpec;
  folder: SandboxFolder;
  places: Places;
  user: User;
  accounts: [string, string][];
  owner: string;
}

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The image's own environment, then ours; the scaffold's Node comes last on the path, the workspace's tools come first. */
const environmentOf = (p: Prepared): string[] => {
  const own = Object.fromEntries(p.image.env.map((e) => [e.slice(0, e.indexOf('=')), e.slice(e.indexOf('=') + 1)]));
  const path = `${own.PATH ?? PATH}:${p.spec.node.slice(0, p.spec.node.lastIndexOf('/'))}`;
  const all = { ...own, ...baseEnvironment(HOME, path) };
  return Object.entries(all).map(([name, value]) => `${name}=${value}`);
};

const bindsOf = (p: Prepared, mounts: readonly { source: string; target: string }[]): string[] => [
  `${p.places.hostHome}:${p.places.home}`,
  `${p.places.hostWorkspace}:${p.places.workspace}`,
  `${RELAY}:/run/relay.mjs:ro`,
  ...(p.spec.socket === null ? [] : [`${p.spec.socket}:${SOCKET}`]),
  ...p.accounts.map(([source, target]) => `${source}:${target}:ro`),
  ...[...p.spec.mounts, ...mounts].map((m) => `${m.source}:${m.target}:ro`),
];

/** The container: one relay, everything else taken away (Docker Engine API 1.41, "Create a container"). */
const optionsOf = (p: Prepared, mounts: readonly { source: string; target: string }[]): ContainerOptions => {
  const { limits, network } = p.spec;
  const { memoryBytes, processes, diskBytes, cpus } = limits;
  const size = diskBytes === null ? '' : `,size=${diskBytes}`;
  return {
    Image: p.image.id,
    Entrypoint: [p.spec.node, '/run/relay.mjs'],
    Cmd: [],
    User: isRoot() ? '0:0' : `${p.user.uid}:${p.user.gid}`,
    Env: environmentOf(p),
    WorkingDir: p.places.workspace,
    Hostname: 'sandbox',
    Tty: false,
    ...{ OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true },
    Labels: { [LABEL_ID]: p.spec.id, [LABEL_OWNER]: p.owner },
    HostConfig: {
      Init: true,
      NetworkMode: network === 'proxy' ? 'none' : 'bridge',
      Binds: bindsOf(p, mounts),
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777${size}` },
      CapDrop: ['ALL'],
      CapAdd: isRoot() ? ['SETUID', 'SETGID', 'KILL'] : [],
      SecurityOpt: ['no-new-privileges'],
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        ...(diskBytes === null ? [] : [{ Name: 'fsize', Soft: diskBytes, Hard: diskBytes }]),
      ],
      // What a container prints is read as it comes; the engine would keep it a second time, without a limit.
      LogConfig: { Type: 'none', Config: {} },
      ...(memoryBytes === null ? {} : { Memory: memoryBytes, MemorySwap: memoryBytes }),
      ...(processes === null ? {} : { PidsLimit: processes }),
      ...(cpus === null || cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
    },
  };
};

const removeContainer = async (container: Container): Promise<void> => {
  try {
    await container.remove({ force: true, v: true });
  } catch (e) {
    if (!isMissing(e)) throw engineError('a container cannot be removed', e);
  }
};

const exitCode = async (container: Container): Promise<{ code: number | null; signal: string | null }> => {
  const { StatusCode } = (await container.wait()) as { StatusCode: number };
  return { code: StatusCode, signal: null };
};

/** Starts the container with its relay attached and hands over the job. The control ends when the container has stopped. */
const attachRelay = async (
  container: Container,
  job: RelayJob,
  push: { out: (chunk: Uint8Array) => void; err: (chunk: Uint8Array) => void },
): Promise<Control> => {
  const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
  const demultiplex = createFrameReader(({ kind, payload }) => (kind === 2 ? push.err(payload) : push.out(payload)));
  stream.on('data', demultiplex);
  const read = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, () => resolve());
  });
  await container.start();
  stream.write(`${JSON.stringify(job)}\n`);
  const ended = (async () => {
    const exit = await exitCode(container);
    await read;
    return exit;
  })();
  const kill = (): void => void container.kill().catch(() => undefined);
  return { kill, ended, pid: -1 };
};

const oomOf = async (container: Container): Promise<boolean> => {
  const { State } = await container.inspect();
  return State.OOMKilled;
};

const runIn = async (container: Container, job: RelayJob, options: SessionOptions): Promise<SessionEnd> => {
  const errors = keepOutput(4096);
  let push: (chunk: Uint8Array) => void = () => undefined;
  const control = await attachRelay(container, job, {
    out: (chunk) => push(chunk),
    err: (chunk) => errors.push(chunk),
  });
  const end = await driveSession((to) => {
    push = to;
    return control;
  }, options);
  const said = errors.text().trim();
  const told = end.end === 'lost' && said !== '' ? { ...end, message: `${end.message}: ${said}` } : end;
  if (!(await oomOf(container))) return told;
  const last = told.steps.at(-1);
  if (last !== undefined) last.oomKilled = true;
  return { ...told, limit: told.limit ?? 'memory' };
};

const partsOf = (p: Prepared, container: Container): SandboxParts => ({
  kind: 'docker',
  spec: p.spec,
  places: p.places,
  owner: isRoot() ? p.user : null,
  baseUrl: `http://127.0.0.1:${RELAY_PORT}`,
  shadow: p.folder.shadow,
  async start(steps, { wired, mounts }, options): Promise<SessionEnd> {
    const job: RelayJob = {
      port: wired ? RELAY_PORT : null,
      upstream: wired ? { path: SOCKET } : null,
      user: isRoot() ? p.user : null,
      cwd: p.spec.workspace,
      steps,
    };
    const own = mounts.length === 0 ? container : await p.engine.createContainer(optionsOf(p, mounts));
    try {
      return await runIn(own, job, options);
    } catch (e) {
      return { steps: [], end: 'lost', lost: 'sandbox_died', message: e instanceof Error ? e.message : String(e) };
    } finally {
      if (own !== container) await removeContainer(own);
    }
  },
});

const textInImage = async (container: Container, path: string): Promise<string> => {
  try {
    for await (const entry of readTar((await container.getArchive({ path })) as AsyncIterable<Uint8Array>)) {
      const parts: Uint8Array[] = [];
      for await (const part of entry.body) parts.push(part);
      return Buffer.concat(parts).toString('utf8');
    }
  } catch (e) {
    if (!isMissing(e)) throw engineError(`${path} of the image cannot be read`, e);
  }
  return '';
};

/** The image's account files with a line for the steps' user, where it has none. */
const writeAccounts = async (container: Container, folder: string, user: User): Promise<[string, string][]> => {
  const lines = {
    passwd: `${USER}:x:${user.uid}:${user.gid}:${USER}:${HOME}:/bin/sh\n`,
    group: `${USER}:x:${user.gid}:\n`,
  };
  const written: [string, string][] = [];
  for (const [name, line] of Object.entries(lines)) {
    const text = await textInImage(container, `/etc/${name}`);
    const id = name === 'passwd' ? user.uid : user.gid;
    if (text.split('\n').some((l) => l.split(':')[2] === String(id))) continue;
    await writeAtomic(join(folder, name), `${text.replace(/\n?$/, text === '' ? '' : '\n')}${line}`);
    written.push([join(folder, name), `/etc/${name}`]);
  }
  return written;
};

/** Takes what a workspace starts as out of the image: its files as they are, its git history without what HEAD does not know. */
const fillFromImage = async (container: Container, spec: SandboxSpec, places: Places): Promise<void> => {
  try {
    const archive = (await container.getArchive({ path: places.workspace })) as AsyncIterable<Uint8Array>;
    await unpackTar(archive, places.hostWorkspace, { strip: 1, links: 'any' });
  } catch (e) {
    if (isMissing(e)) throw new BenchError('input', 'environment', `the image has no folder ${spec.workspace}`);
    throw e instanceof BenchError ? e : engineError(`${spec.workspace} cannot be taken out of the image`, e);
  }
  await scrubHistory(places.hostWorkspace, join(places.hostHome, '..', 'history'));
};

const prepare = async (spec: SandboxSpec, folder: SandboxFolder): Promise<Prepared> => {
  const engine = openEngine();
  const reference = spec.seed.kind === 'image' ? spec.seed.reference : (spec.image ?? BASE_IMAGE);
  const image = await ensureImage(engine, reference, {
    ...(spec.imageMap === undefined ? {} : { map: spec.imageMap }),
    diskBudget: spec.imageBudget ?? null,
  });
  const places = insidePlaces(spec, folder);
  const user = stepsUser();
  const owner = JSON.stringify(await self());
  const labels = { [LABEL_ID]: spec.id, [LABEL_OWNER]: owner };
  const bare = await engine.createContainer({ Image: image.id, Entrypoint: ['/'], Cmd: [], Labels: labels });
  try {
    const accounts = await writeAccounts(bare, join(folder.root, 'etc'), user);
    if (spec.seed.kind === 'image') await fillFromImage(bare, spec, places);
    await fillWorkspace(spec, places, isRoot() ? user : null);
    return { engine, image, spec, folder, places, user, accounts, owner };
  } finally {
    await removeContainer(bare);
  }
};

/** Removes the containers that crashed runs of octobench left; containers without its label are never looked at. Returns their names. */
export const sweepContainers = async (): Promise<string[]> => {
  const engine = openEngine();
  const removed: string[] = [];
  for (const { Id, Labels } of await engine.listContainers({ all: true, filters: { label: [LABEL_OWNER] } })) {
    const owner = readOwner(Labels[LABEL_OWNER] ?? null);
    if (owner === null || (await isRunning(owner))) continue;
    await removeContainer(engine.getContainer(Id));
    removed.push(Labels[LABEL_ID] ?? Id);
  }
  return removed;
};

/* Once a process: containers of crashed runs are looked for before the first one is made. */
let swept: Promise<string[]> | undefined;

/** A container without a network, whose only way out is the proxy's socket; its one process is the relay, started once a session. */
export const docker: SandboxProvider = {
  kind: 'docker',
  check: checkEngine,
  async withSandbox<T>(spec: SandboxSpec, use: (sandbox: Sandbox) => Promise<T>): Promise<T> {
    const why = await checkEngine();
    if (why !== null) throw new BenchError('unavailable', 'environment', why);
    swept ??= sweepContainers().catch(() => []); // what cannot be swept now is swept by a later run
    await swept;
    const folder = await acquireFolder(spec.id, 'docker');
    try {
      const prepared = await prepare(spec, folder);
      const name = `octobench-${safeName(spec.id)}`;
      const container = await prepared.engine.createContainer({ ...optionsOf(prepared, []), name });
      try {
        return await use(await openSandbox(partsOf(prepared, container)));
      } finally {
        await removeContainer(container);
      }
    } finally {
      await removeTree(folder.root);
    }
  },
};
