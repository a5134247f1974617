import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../host/clock.ts';
import type { SandboxLimit, SandboxLimits } from './schema.ts';

/** A control group around one sandbox: hard limits of memory and processes, and the kernel's word on them. */
export interface ControlGroup {
  /** Files into which a process writes its own pid to be in the group. */
  procs: string[];
  /** The limit that was hit, if any. */
  hit(): Promise<SandboxLimit | null>;
  /** Waits until the last process is gone, then removes the group. */
  remove(): Promise<void>;
}

const ROOT = '/sys/fs/cgroup';

/** The candidates for a parent folder: this process's own group, the one above it, the root. */
const parents = (own: string, mount: string): string[] => [
  ...new Set([join(mount, own), join(mount, own, '..'), mount]),
];

const make = async (candidates: readonly string[], name: string, limitFile: string): Promise<string | null> => {
  for (const parent of candidates) {
    const folder = join(parent, name);
    try {
      await mkdir(folder);
    } catch {
      continue;
    }
    if ((await readFile(join(folder, limitFile), 'utf8').catch(() => null)) !== null) return folder;
    await rmdir(folder).catch(() => undefined);
  }
  return null;
};

const count = async (file: string, key: string): Promise<number> => {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(new RegExp(`^${key} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
};

interface Layout {
  memory: {
    candidates: string[];
    limit: string;
    swap: [file: string, value: (bytes: number) => string];
    events: string;
  };
  pids: { candidates: string[] };
}

/** Where the memory and pids controllers are: version 1 has a hierarchy each, version 2 one for all (kernel docs, cgroup-v1 and cgroup-v2). */
const layout = (selfCgroup: string): Layout => {
  const lines = selfCgroup
    .trim()
    .split('\n')
    .map((line) => line.split(':'));
  const own = (controller: string): string | undefined =>
    lines
      .find(([, names]) => names?.split(',').includes(controller))
      ?.slice(2)
      .join(':');
  const v1 = own('memory');
  if (v1 !== undefined) {
    return {
      memory: {
        candidates: parents(v1, join(ROOT, 'memory')),
        limit: 'memory.limit_in_bytes',
        swap: ['memory.memsw.limit_in_bytes', String],
        events: 'memory.oom_control',
      },
      pids: { candidates: parents(own('pids') ?? '/', join(ROOT, 'pids')) },
    };
  }
  const unified = parents(own('') ?? '/', ROOT);
  return {
    memory: { candidates: unified, limit: 'memory.max', swap: ['memory.swap.max', () => '0'], events: 'memory.events' },
    pids: { candidates: unified },
  };
};

const removeGroup = async (folder: string): Promise<void> => {
  for (let i = 0; i < 100; i++) {
    try {
      return await rmdir(folder);
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === 'ENOENT') return;
    }
    await sleep(20);
  }
};

/** Makes a control group with the limits, or null where this user may make none (or no limit asks for one). */
export const makeControlGroup = async (name: string, limits: SandboxLimits): Promise<ControlGroup | null> => {
  if (limits.memoryBytes === null && limits.processes === null) return null;
  const text = await readFile('/proc/self/cgroup', 'utf8').catch(() => null);
  if (text === null) return null;
  const { memory, pids } = layout(text);
  const folders = new Set<string>();
  const memoryFolder = limits.memoryBytes === null ? null : await make(memory.candidates, name, memory.limit);
  if (memoryFolder !== null && limits.memoryBytes !== null) {
    folders.add(memoryFolder);
    await writeFile(join(memoryFolder, memory.limit), String(limits.memoryBytes));
    await writeFile(join(memoryFolder, memory.swap[0]), memory.swap[1](limits.memoryBytes)).catch(() => undefined);
  }
  let pidsFolder = memoryFolder;
  if (limits.processes !== null) {
    const shared = memoryFolder !== null && (await readFile(join(memoryFolder, 'pids.max')).catch(() => null)) !== null;
    if (!shared) pidsFolder = await make(pids.candidates, name, 'pids.max');
    if (pidsFolder !== null) {
      folders.add(pidsFolder);
      await writeFile(join(pidsFolder, 'pids.max'), String(limits.processes));
    }
  }
  if (folders.size === 0) return null;
  return {
    procs: [...folders].map((folder) => join(folder, 'cgroup.procs')),
    async hit() {
      if (memoryFolder !== null && (await count(join(memoryFolder, memory.events), 'oom_kill')) > 0) return 'memory';
      return pidsFolder !== null && (await count(join(pidsFolder, 'pids.events'), 'max')) > 0 ? 'processes' : null;
    },
    async remove() {
      await Promise.all([...folders].map(removeGroup));
    },
  };
};
