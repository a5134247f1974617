import type { Command } from '../scaffolds/dialect.ts';
import { relativePath } from './paths.ts';
import { commitMessage } from './shell-commit.ts';
import { doesOf } from './shell-does.ts';
import { fileOperands } from './shell-operands.ts';
import { baseName, subCommand } from './shell-unwrap.ts';
import { type Simple, simpleCommands } from './shell-walk.ts';

/** What is known of the call that ran a piece of shell. */
export interface ShellContext {
  /** Directory it started in, absolute; null = not known. */
  cwd: string | null;
  workspace: string | null;
  /** The call's own result. */
  ok: boolean | null;
  output: string | null;
  background: boolean;
  /** Text of a file as far as it is known (`git commit -F`), by its `rel` path. */
  written?: (rel: string) => string | null;
}

/**
 * The simple commands that a piece of shell really runs, in order: also inside `bash -c`, `eval`, here-documents fed to a shell,
 * `$( )`, pipes, `xargs` and `find -exec`; never inside quoted words. Never throws; what cannot be parsed is `opaque`.
 */
export const parseCommands = (command: string, context: ShellContext): Command[] => {
  const simple = simpleCommands(command, context);
  return simple.map((s) => commandOf(s, simple.length === 1, context));
};

const commandOf = (simple: Simple, alone: boolean, context: ShellContext): Command => {
  const [first, ...words] = simple.argv;
  const name = baseName(first?.text ?? '');
  const { sub, rest, folder } = subCommand(name, words);
  const cwd = folder === null ? simple.cwd : folder.fixed ? absolute(folder.text, simple.cwd) : null;
  const rel = (path: string): string => relativePath(path, context.workspace, cwd);
  const operands = fileOperands(name, sub, rest);
  const message =
    name === 'git' && sub === 'commit'
      ? commitMessage(rest, simple.streams.input, (path) => context.written?.(rel(path)) ?? null)
      : null;
  const command: Command = {
    name: first === undefined || isSystem(first.text) ? name : first.text,
    via: simple.via,
    sub,
    args: rest.map((a) => a.text),
    stdin: simple.streams.stdin ?? (simple.piped ? 'pipe' : 'none'),
    stdout:
      simple.streams.stdout === 'file' ? 'file' : simple.pipes || simple.streams.stdout !== null ? 'pipe' : 'terminal',
    cwd,
    commitMessage: message,
    commitTitle: message?.split('\n')[0]?.trim() ?? null,
    reads: [...new Set([...operands.reads, ...simple.streams.reads].map(rel))],
    writes: [...new Set([...operands.writes, ...simple.streams.writes].map(rel))],
    does: [],
    alone,
    background: simple.background || context.background,
    ok: context.background ? null : simple.ok,
    output: alone ? context.output : null,
  };
  command.does = simple.opaque ? ['opaque'] : doesOf(command, alone);
  return command;
};

// A program of the system or of a build tool is known by its name alone; any other path is kept.
const isSystem = (path: string): boolean =>
  /^\/(usr\/(local\/)?)?s?bin\/|node_modules\/\.bin\/|^\.\/(gradlew|mvnw)$/.test(path);

/** A folder seen from `cwd`; null when that is not known and the path is relative. */
const absolute = (path: string, cwd: string | null): string | null =>
  path.startsWith('/') || path.startsWith('~') ? path : cwd === null ? null : relativePath(path, null, cwd);
