import { globPattern } from '../pattern.ts';
import { truthOf } from '../truth.ts';
import type { TextTest } from './test.ts';

const ABSOLUTE = /^(?:[/~]|[A-Za-z]:[\\/])/;

const boolTest = (
  name: string,
  description: string,
  holds: (path: string, workspace: string | null) => boolean,
): TextTest => ({
  name,
  description,
  on: 'path',
  options: [],
  schema: { type: 'boolean' },
  bind(argument) {
    if (typeof argument !== 'boolean') return 'takes true or false';
    return { holds: (value, { world }) => truthOf(holds(value, world.trajectory.workspace) === argument) };
  },
});

export const absolute: TextTest = boolTest('absolute', 'is an absolute path', (path) => ABSOLUTE.test(path));

/* Where a path with `..` ends up; null = above its start. */
const resolved = (path: string): string | null => {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') {
      if (out.pop() === undefined) return null;
    } else if (part !== '' && part !== '.') out.push(part);
  }
  return out.join('/');
};

export const insideWorkspace: TextTest = boolTest('inside_workspace', 'lies in the workspace', (path, workspace) => {
  if (!ABSOLUTE.test(path)) return resolved(path) !== null;
  const whole = resolved(path);
  const root = workspace === null ? null : resolved(workspace);
  return path.startsWith('/') && root !== null && whole !== null && (whole === root || whole.startsWith(`${root}/`));
});

export const under: TextTest = {
  name: 'under',
  description: 'lies in a folder that matches the glob',
  on: 'path',
  options: [],
  schema: { type: 'string' },
  bind(argument) {
    if (typeof argument !== 'string' || argument.trim() === '') return 'takes a glob of folders';
    const self = globPattern(argument);
    const inside = globPattern(`${argument.trim().replace(/\/+$/, '')}/**`);
    return { holds: (value) => truthOf(inside.test(value) && !self.test(value)) };
  },
};
