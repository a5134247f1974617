import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { readText } from '../host/files.ts';
import { readHistory, replayHistory } from './history.ts';
import { acquireFolder, removeAtExit } from './lifecycle.ts';
import type { SandboxSpec } from './schema.ts';
import { giveTree } from './tree.ts';
import { copyFolder, type Places, type User, writeWithin } from './workspace.ts';

/** Who commits are by when the agent names nobody, and a git that is content with a workspace it does not own. */
const GIT_CONFIG =
  '[user]\n\tname = Developer\n\temail = developer@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n';

/** Replays a `history.yaml` in a folder. Throws BenchError('input') with its problems. */
export const replayFile = async (workspace: string, file: string): Promise<void> => {
  const text = await readText(file);
  if (text === null) throw new BenchError('input', 'environment', `${file}: no such history`);
  const { entries, problems } = readHistory(text, file);
  if (problems[0] !== undefined) {
    throw new BenchError('input', 'environment', `${file}: ${problems[0].message}`, { problems });
  }
  await replayHistory(workspace, entries);
};

/* Repositories replayed by this process, by seed: a replay takes several git processes a commit, a copy takes none. */
const replayed = new Map<string, Promise<string>>();

/** The `.git` folder of a seed, replayed once a process; gone when the process ends, and swept like any leftover when it crashed. */
const repositoryOf = (dir: string, history: string): Promise<string> => {
  const key = `${dir}\n${history}`;
  const known = replayed.get(key);
  if (known !== undefined) return known;
  const made = (async (): Promise<string> => {
    const folder = await acquireFolder(`history-${randomBytes(6).toString('hex')}`, 'local');
    removeAtExit(folder);
    await copyFolder(dir, folder.workspace);
    await replayFile(folder.workspace, history);
    return join(folder.workspace, '.git');
  })();
  replayed.set(key, made);
  made.catch(() => replayed.delete(key));
  return made;
};

/** Fills a fresh workspace with the files of a `folder` seed and its history, and a fresh HOME with a git identity. */
export const fillWorkspace = async (spec: SandboxSpec, places: Places, owner: User | null): Promise<void> => {
  if (spec.seed.kind === 'folder') {
    await copyFolder(spec.seed.dir, places.hostWorkspace);
    if (spec.seed.history !== null) {
      await copyFolder(await repositoryOf(spec.seed.dir, spec.seed.history), join(places.hostWorkspace, '.git'));
    }
  }
  await writeWithin(places.hostHome, '.gitconfig', GIT_CONFIG, { owner: null });
  if (owner !== null) {
    await giveTree(places.hostHome, owner);
    await giveTree(places.hostWorkspace, owner);
  }
};

/** Lays the variant's files over the workspace. */
export const layOver = async (spec: SandboxSpec, places: Places, owner: User | null): Promise<void> => {
  for (const { path, content } of spec.overlay) await writeWithin(places.hostWorkspace, path, content, { owner });
};
