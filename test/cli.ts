import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command line as a user would, in a process of its own. */
export const cli = (
  args: readonly string[],
  options: {
    env?: Record<string, string>;
    cwd?: string;
    onStart?: (pid: number, kill: (signal: NodeJS.Signals) => void) => void;
  } = {},
): Promise<CliResult> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: options.cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', ...cacheOf(process.env), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (d) => {
      stdout += d;
    });
    child.stderr.on('data', (d) => {
      stderr += d;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
    if (child.pid !== undefined) options.onStart?.(child.pid, (signal) => child.kill(signal));
  });

const cacheOf = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([k, v]) => v !== undefined && /^(OCTOBENCH_CACHE|npm_config_|NPM_CONFIG_|TMPDIR|XDG_CACHE_HOME)/.test(k),
    ),
  ) as Record<string, string>;
