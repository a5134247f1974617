import { readdir, readFile } from 'node:fs/promises';

/** A process of this machine as /proc shows it. `rss` in bytes. */
export interface ProcessRow {
  pid: number;
  parent: number;
  rss: number;
}

const PAGE = 4096;

const rowOf = async (pid: string): Promise<ProcessRow | null> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name is in parentheses and may itself hold any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(fields[1]), rss: Number(fields[21]) * PAGE };
  } catch {
    return null; // it has ended
  }
};

const pids = async (): Promise<string[]> => {
  try {
    return (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // no /proc: not Linux
  }
};

/** All processes; empty where there is no /proc. */
export const processTable = async (): Promise<ProcessRow[]> =>
  (await Promise.all((await pids()).map(rowOf))).filter((row) => row !== null);

/** The processes below `root`, children of children included, without `root` itself. */
export const descendants = (table: readonly ProcessRow[], root: number): ProcessRow[] => {
  const byParent = Map.groupBy(table, (row) => row.parent);
  const found: ProcessRow[] = [];
  const open = [root];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const child of byParent.get(at) ?? []) {
      found.push(child);
      open.push(child.pid);
    }
  }
  return found;
};

/** Processes whose environment holds `NAME=value`, wherever they hang in the tree. Needs /proc and the right to read it. */
export const marked = async (entry: string): Promise<number[]> => {
  const mark = Buffer.from(entry);
  const hits = await Promise.all(
    (await pids()).map(async (pid) => {
      try {
        const environment = await readFile(`/proc/${pid}/environ`);
        const at = environment.indexOf(mark);
        const whole = at >= 0 && (at === 0 || environment[at - 1] === 0) && (environment[at + mark.length] ?? 0) === 0;
        return whole ? Number(pid) : null;
      } catch {
        return null;
      }
    }),
  );
  return hits.filter((pid) => pid !== null);
};

/** When a process started, in clock ticks since boot: with the pid it names one process for ever. Null when it is gone. */
export const startTicks = async (pid: number): Promise<string | null> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
};

/** Sends SIGKILL; a process that is gone already is fine. */
export const killProcess = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ESRCH: gone already.
  }
};
