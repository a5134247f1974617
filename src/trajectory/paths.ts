import { posix } from 'node:path';
import type { Trajectory } from './schema.ts';

/**
 * A path as rules compare it: relative to the workspace inside it (`.` is the workspace itself), absolute outside, `~` kept.
 * `path` is taken from `cwd`, else from the workspace; without either a relative path is only tidied.
 */
export const relativePath = (path: string, workspace: string | null, cwd?: string | null): string => {
  const text = path.replace(/^file:\/\//, '');
  if (text.startsWith('~')) return tidy(text);
  const base = cwd ?? workspace;
  const absolute = text.startsWith('/') ? posix.normalize(text) : base === null ? null : posix.resolve(base, text);
  if (absolute === null) return tidy(text);
  const from = absolute.length > 1 ? absolute.replace(/\/$/, '') : absolute;
  if (workspace === null) return from;
  const rel = posix.relative(workspace, from);
  if (rel === '') return '.';
  return rel === '..' || rel.startsWith('../') ? from : rel;
};

const tidy = (path: string): string => {
  const normal = posix.normalize(path);
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal;
};

const WORKING_DIRECTORY =
  /(?:primary working directory|current working directory|working directory|workspace(?: root| directory)?|pwd|cwd)\s*(?::|=|\bis\b)\s*[`"']?(\/[^\s`"'<>,;]*)/i;

/** The directory that a scaffold tells its model it works in, or null. */
export const workspaceOf = (t: Trajectory): string | null => {
  const main = t.threads.find((thread) => thread.role === 'main');
  const segment = main?.segments[0];
  const opening = segment?.messages.slice(0, 3).filter((m) => m.role === 'user') ?? [];
  for (const block of [...(segment?.system ?? []), ...opening.flatMap((m) => m.blocks)]) {
    const found = block.type === 'text' ? WORKING_DIRECTORY.exec(block.text)?.[1] : undefined;
    if (found !== undefined) return found.length > 1 ? found.replace(/[/.]+$/, '') : found;
  }
  return null;
};
