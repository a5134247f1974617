import type { WriteStream } from 'node:tty';

/** Where a command writes: results to stdout, progress and errors to stderr. */
export interface Io {
  out(text: string): void;
  err(text: string): void;
  /** Columns of stdout. */
  width: number;
  color: boolean;
  /** stderr is a terminal that can be redrawn. */
  live: boolean;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** NO_COLOR and FORCE_COLOR are what users of terminals expect (https://no-color.org). */
const wantsColor = (stream: WriteStream, env: NodeJS.ProcessEnv): boolean => {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
};

/** The process's own streams. */
export const processIo = (env: NodeJS.ProcessEnv): Io => ({
  out: (text) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
  err: (text) => void process.stderr.write(text.endsWith('\n') ? text : `${text}\n`),
  width: process.stdout.columns ?? 100,
  color: wantsColor(process.stdout, env),
  live: process.stderr.isTTY === true && env.TERM !== 'dumb',
  env,
  cwd: process.cwd(),
});
