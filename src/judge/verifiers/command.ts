import type { Action, Command } from '../../scaffolds/dialect.ts';
import { type RuleEvent, UNKNOWN } from '../event.ts';
import type { ThreadView } from '../world.ts';
import { inputField, kindsOffered } from './action.ts';
import { type Source, turnEvent, unseenEvent } from './source.ts';

export const COMMAND_DOES = [
  'read',
  'search',
  'list',
  'edit',
  'write',
  'delete',
  'move',
  'talk',
  'probe',
  'test',
  'lint',
  'build',
  'typecheck',
  'format',
  'install',
  'commit',
  'push',
  'network',
  'opaque',
] as const;

/* An editor writes the message: that there is one is known, what it says is not. */
const message = (c: Command, value: string | null): unknown =>
  value ?? (c.does.includes('commit') ? UNKNOWN : undefined);

/* `args` are the words after the subcommand; people and patterns want the whole line. */
const lineOf = (c: Command): string => [c.name, ...(c.sub === null ? [] : [c.sub]), ...c.args].join(' ');

/* The grammar's names and the schema's: the one place where they meet. */
const READERS: Readonly<Record<string, (c: Command, a: Action) => unknown>> = {
  name: (c) => c.name,
  via: (c) => c.via,
  sub: (c) => c.sub ?? undefined,
  args: (c) => c.args,
  stdin: (c) => c.stdin,
  stdout: (c) => c.stdout,
  cwd: (c) => c.cwd ?? UNKNOWN,
  commit_message: (c) => message(c, c.commitMessage),
  commit_title: (c) => message(c, c.commitTitle),
  reads: (c) => c.reads,
  writes: (c) => c.writes,
  does: (c) => c.does,
  alone: (c) => c.alone,
  background: (c) => c.background,
  ok: (c) => c.ok,
  output: (c, a) => c.output ?? (a.result === null ? undefined : UNKNOWN),
  line: lineOf,
};

const commandEvent = (thread: ThreadView, action: Action, command: Command, index: number): RuleEvent =>
  turnEvent(
    'command',
    thread,
    action.turn,
    (field) => (field.startsWith('input') ? inputField(action.input, field) : READERS[field]?.(command, action)),
    { toolCall: action.toolCall, index, text: lineOf(command) },
  );

/** One event a simple command that really ran, in the order of running. */
export const command: Source = {
  name: 'command',
  description: 'a simple shell command, also inside bash -c, $( ), pipes, xargs and find -exec; never a quoted word',
  subject: 'name',
  fields: {
    name: { words: null },
    via: { list: { words: null } },
    sub: { words: null },
    args: { list: 'text' },
    stdin: { words: ['none', 'pipe', 'file', 'heredoc'] },
    stdout: { words: ['terminal', 'pipe', 'file'] },
    cwd: 'path',
    commit_message: 'text',
    commit_title: 'text',
    reads: { list: 'path' },
    writes: { list: 'path' },
    does: { list: { words: COMMAND_DOES } },
    alone: 'flag',
    background: 'flag',
    ok: 'flag',
    output: 'text',
    line: 'text',
    input: 'json',
  },
  scope: 'main',
  events: (thread) =>
    thread.thread.actions.flatMap((a) => {
      if (a.kind !== 'run') return [];
      if (a.commands === undefined) return [unseenEvent('command', thread)];
      return a.commands.map((c, i) => commandEvent(thread, a, c, i));
    }),
  offered: (thread, world) => kindsOffered(['run'], thread, world),
};
