import { z } from 'zod';
import { BenchError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import { readYaml, schemaProblems } from '../core/yaml.ts';
import { type ExecResult, exec } from '../host/exec.ts';

/** One commit of a `history.yaml`: either the named files as they stand in the workspace, or a patch over the commit before. */
export interface HistoryEntry {
  /** ISO 8601 with a time zone: author and committer date. */
  date: string;
  /** `Name <mail>`: author and committer. */
  author: string;
  message: string;
  /** Globs over the workspace's files (git's `:(glob)`); the last entry takes all that is left besides. */
  paths?: string[];
  patch?: string;
}

const AUTHOR = /^([^<>]+) <([^<>]+)>$/;
const entrySchema = z
  .strictObject({
    date: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/, 'an ISO date with a time zone'),
    author: z.string().regex(AUTHOR, 'Name <mail>'),
    message: z.string().min(1),
    paths: z.array(z.string().min(1)).exactOptional(),
    patch: z.string().min(1).exactOptional(),
  })
  .refine((e) => e.paths === undefined || e.patch === undefined, 'either paths or patch');
const historySchema = z.array(entrySchema).min(1);

/** Reads a `history.yaml`; `entries` is empty when there are problems. */
export const readHistory = (text: string, file: string): { entries: HistoryEntry[]; problems: Problem[] } => {
  const yaml = readYaml(text, file);
  if (yaml.problems.length > 0) return { entries: [], problems: yaml.problems };
  const parsed = historySchema.safeParse(yaml.value);
  return parsed.success
    ? { entries: parsed.data, problems: [] }
    : { entries: [], problems: schemaProblems(parsed.error, yaml, file) };
};

/** No configuration but ours, so that the same history gives the same hashes on every machine. */
export const QUIET_GIT: Record<string, string> = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};
const FIXED = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'core.autocrlf=false'],
  ...['-c', 'core.fileMode=true', '-c', 'commit.gpgSign=false', '-c', 'safe.directory=*'],
];

const git = async (
  dir: string,
  args: readonly string[],
  more: { env?: Record<string, string>; input?: string } = {},
): Promise<ExecResult> => {
  const done = await exec('git', [...FIXED, ...args], {
    cwd: dir,
    env: { ...QUIET_GIT, ...more.env },
    ...(more.input === undefined ? {} : { input: more.input }),
  });
  if (done.code === 0) return done;
  throw new BenchError('input', 'environment', `git ${args[0]} in the history: ${done.failure ?? done.stderr.trim()}`);
};

const stage = async (dir: string, entry: HistoryEntry, isLast: boolean): Promise<void> => {
  if (entry.patch !== undefined) {
    await git(dir, ['apply', '--cached', '--whitespace=nowarn', '-'], { input: entry.patch });
  } else if (entry.paths !== undefined) {
    await git(dir, ['add', '--', ...entry.paths.map((p) => `:(glob)${p}`)]);
  }
  if (isLast) await git(dir, ['add', '--all']);
};

/** Makes `dir` a git repository with these commits on `main`; its files stay as they are. Returns the hash of the last commit. */
export const replayHistory = async (dir: string, entries: readonly HistoryEntry[]): Promise<string> => {
  await git(dir, ['init', '--quiet', '--template=', '--initial-branch=main']);
  for (const [i, entry] of entries.entries()) {
    await stage(dir, entry, i === entries.length - 1);
    const [, name = '', mail = ''] = AUTHOR.exec(entry.author) ?? [];
    await git(dir, ['commit', '--quiet', '--allow-empty', '--no-verify', '--cleanup=verbatim', '--file=-'], {
      input: entry.message.endsWith('\n') ? entry.message : `${entry.message}\n`,
      env: {
        ...{ GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_AUTHOR_DATE: entry.date },
        ...{ GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: mail, GIT_COMMITTER_DATE: entry.date },
      },
    });
  }
  return (await git(dir, ['rev-parse', 'HEAD'])).stdout.trim();
};

/** Gives a repository an index of HEAD without times of files: the same bytes every time. */
export const plainIndex = async (dir: string): Promise<void> => {
  await git(dir, ['read-tree', 'HEAD']);
};
