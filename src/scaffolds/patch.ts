import type { ActionDraft } from './dialect.ts';
import { draftOf, type Ending } from './ending.ts';

/* The patch text of `apply_patch` tools: `*** Begin Patch`, then files with `+`, `-` and context lines. */

const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** One action a file of a patch: write, edit, delete, and a move for a file that is renamed. */
export const patchActions = (patch: string, end: Ending): ActionDraft[] => {
  const actions: ActionDraft[] = [];
  for (const line of patch.split('\n')) {
    const file = FILE.exec(line);
    const moved = MOVE.exec(line)?.[1];
    const last = actions.at(-1);
    if (file !== null) actions.push(fileAction(file[1] ?? '', (file[2] ?? '').trim(), end));
    else if (moved !== undefined) actions.push({ ...draftOf('move', end), path: moved.trim(), existed: null });
    else if (last?.kind === 'write' && line.startsWith('+')) last.content = `${last.content ?? ''}${line.slice(1)}\n`;
    else if (last?.kind === 'edit' && line.startsWith('+')) last.added?.push(line.slice(1));
    else if (last?.kind === 'edit' && line.startsWith('-')) last.removed?.push(line.slice(1));
  }
  return actions.length > 0 ? actions : [{ ...draftOf('edit', end), added: [], removed: [] }];
};

const fileAction = (verb: string, path: string, end: Ending): ActionDraft => {
  if (verb === 'Add') return { ...draftOf('write', end), path, content: '', existed: end.ok === true ? false : null };
  const existed = end.ok === true ? true : null;
  if (verb === 'Delete') return { ...draftOf('delete', end), path, existed };
  return { ...draftOf('edit', end), path, existed, added: [], removed: [] };
};
