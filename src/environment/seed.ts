import { BenchError } from '../core/errors.ts';
import { readText } from '../host/files.ts';
import { readHistory, replayHistory } from './history.ts';
import type { SandboxSpec } from './schema.ts';
import { giveTree } from './tree.ts';
import { copyFolder, type Places, type User, writeWithin } from './workspace.ts';

/** Who commits are by when the agent names nobody, and a git that is content with a workspace it does not own. */
const GIT_CONFIG =
  '[user]\n\tname = Developer\n\temail = developer@example.com\n[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n';

const replay = async (workspace: string, file: string): Promise<void> => {
  const text = await readText(file);
  if (text === null) throw new BenchError('input', 'environment', `${file}: no such history`);
  const { entries, problems } = readHistory(text, file);
  if (problems[0] !== undefined) {
    throw new BenchError('input', 'environment', `${file}: ${problems[0].message}`, { problems });
  }
  await replayHistory(workspace, entries);
};

/** Fills a fresh workspace with the files of a `folder` seed and its history, and a fresh HOME with a git identity. */
export const fillWorkspace = async (spec: SandboxSpec, places: Places, owner: User | null): Promise<void> => {
  if (spec.seed.kind === 'folder') {
    await copyFolder(spec.seed.dir, places.hostWorkspace);
    if (spec.seed.history !== null) await replay(places.hostWorkspace, spec.seed.history);
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
