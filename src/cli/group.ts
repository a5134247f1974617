import type { Command } from 'commander';
import type { Io } from './io.ts';

/** What a command leaves for the process: the exit code. */
export interface Session {
  code: number;
}

/** A group of commands: adds them to the program. A new group is one file in `commands/` and one line in program.ts. */
export type CommandGroup = (program: Command, io: Io, session: Session) => void;
