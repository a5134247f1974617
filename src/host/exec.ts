import { execa } from 'execa';

export interface ExecOptions {
  cwd?: string;
  /** The whole environment of the process; nothing is inherited when given. */
  env?: Record<string, string>;
  input?: string | Uint8Array;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What a process left behind. `code` is null when a signal ended it or it could not start (`failure` then says why). */
export interface ExecResult {
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
  timedOut: boolean;
  failure: string | null;
}

/** Runs a program to its end without a shell, standard input closed unless `input` is given. Never throws: a failure is data. */
export const exec = async (file: string, args: readonly string[], options: ExecOptions = {}): Promise<ExecResult> => {
  const result = await execa(file, args, {
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 64 * 1024 * 1024,
    killSignal: 'SIGKILL',
    ...(options.input === undefined ? { stdin: 'ignore' as const } : { input: options.input }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.env === undefined ? {} : { env: options.env, extendEnv: false }),
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
  });
  return {
    code: result.exitCode ?? null,
    signal: result.signal ?? null,
    stdout: result.stdout,
    stderr: result.stderr,
    timedOut: result.timedOut,
    failure:
      result.exitCode === undefined && result.signal === undefined ? (result.shortMessage ?? 'could not start') : null,
  };
};
