import { CommanderError } from 'commander';
import { BenchError, type ErrorCode } from '../core/errors.ts';
import { byPlace, describeProblem } from '../core/problem.ts';
import { printable } from '../core/text.ts';
import type { Io } from './io.ts';

/** Exit codes; the README lists them. */
export const EXIT = { done: 0, error: 1, usage: 2, gaps: 3, gate: 100, interrupted: 130 } as const;

const CODES: Record<ErrorCode, number> = {
  usage: EXIT.usage,
  input: EXIT.usage,
  unavailable: EXIT.usage,
  interrupted: EXIT.interrupted,
  failed: EXIT.error,
};
const SHOWN = 40;

const showProblems = (error: BenchError): string[] => {
  const lines = error.problems
    .toSorted(byPlace)
    .slice(0, SHOWN)
    .map((p) => `  ${describeProblem(p)}`);
  const rest = error.problems.length - SHOWN;
  return rest > 0 ? [...lines, `  and ${rest} more`] : lines;
};

/** Says what went wrong in one line (and one line a problem), never a stack trace unless OCTOBENCH_DEBUG is set; gives the exit code. */
export const report = (error: unknown, io: Io): number => {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.done;
    io.err(`octobench: ${error.message.replace(/^error: /, '').replaceAll('\n', ' ')}`);
    return EXIT.usage;
  }
  if (error instanceof BenchError) {
    io.err(printable([`octobench: ${error.message}`, ...showProblems(error)].join('\n')));
    if (io.env.OCTOBENCH_DEBUG !== undefined) io.err(String(error.stack));
    return CODES[error.code];
  }
  io.err(printable(`octobench: ${error instanceof Error ? error.message : String(error)}`));
  if (io.env.OCTOBENCH_DEBUG !== undefined && error instanceof Error) io.err(String(error.stack));
  else io.err('This is a fault of octobench; OCTOBENCH_DEBUG=1 shows where.');
  return EXIT.error;
};
