import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxFile, SessionEnd, Step } from '../environment/schema.ts';
import { sleep } from '../host/clock.ts';
import type { AttemptStats } from '../recording/schema.ts';
import { type ExecuteOptions, executeAttempt, overdue } from './execute.ts';
import type { Execution } from './schema.ts';

const stats = (over: Partial<AttemptStats> = {}): AttemptStats => ({
  calls: 1,
  openCalls: 0,
  firstCallAt: 1,
  lastActivityAt: 1,
  tokens: { input: 0, output: 0 },
  cost: null,
  end: null,
  ...over,
});

/** A sandbox whose session does what it is told and ends when it is killed. */
const sandboxOf = (
  script: (io: { signal: AbortSignal; print: (text: string) => void }) => Promise<void>,
): Sandbox & { events: string[] } => {
  const events: string[] = [];
  return {
    events,
    kind: 'local',
    home: '/h',
    workspace: '/w',
    hostWorkspace: '/w',
    baseUrl: 'http://127.0.0.1:1',
    write: async (files: readonly SandboxFile[]) => void events.push(`write ${files.map((f) => f.path).join(',')}`),
    async run(steps: readonly Step[], { signal, onOutput }): Promise<SessionEnd> {
      events.push(`run ${steps.map((s) => s.argv.join(' ')).join('; ')}`);
      await script({ signal, print: (text) => onOutput?.('stdout', Buffer.from(text)) });
      events.push(signal.aborted ? 'killed' : 'exited');
      return { steps: [], end: signal.aborted ? 'aborted' : 'exited', message: null };
    },
    command: async (argv) => {
      events.push(`command ${argv.join(' ')}`);
      const stdout = argv[0] === 'fails' ? '' : '2.0.69 (Claude Code)\nmore\n';
      return { code: argv[0] === 'fails' ? 1 : 0, signal: null, stdout, stderr: '', timedOut: false, failure: null };
    },
    digests: async (globs) => {
      events.push(`digests ${globs.join(' ')}`);
      return { '/w/CLAUDE.md': String(events.length) };
    },
    patch: async () => {
      events.push('patch');
      return new Uint8Array([1]);
    },
  };
};

const LIMITS = { wallMs: 60_000, firstCallMs: 60_000, silenceMs: 60_000 };
const execute = (sandbox: Sandbox, more: Partial<ExecuteOptions> = {}): Promise<Execution> =>
  executeAttempt({
    sandbox,
    launch: {
      files: [{ path: '~/.x', content: '' }],
      steps: (queries) => queries.map((q) => ({ argv: ['cc', q], env: {}, stdin: null })),
    },
    queries: ['one', 'two'],
    endpoint: { ended: new AbortController().signal, stats: () => stats() },
    limits: LIMITS,
    signal: new AbortController().signal,
    versionProbe: ['cc', '--version'],
    instructionFiles: ['CLAUDE.md'],
    ...more,
  });
const untilKilled = ({ signal }: { signal: AbortSignal }): Promise<void> => sleep(20_000, signal);

describe('executeAttempt', () => {
  it('goes in order: files, version, digests, the session, digests, the change', async () => {
    const sandbox = sandboxOf(async ({ print }) => print('hi'));
    const printed: string[] = [];
    const execution = await execute(sandbox, { onOutput: (_, chunk) => printed.push(Buffer.from(chunk).toString()) });
    expect(sandbox.events).toEqual([
      'write ~/.x',
      'command cc --version',
      'digests CLAUDE.md',
      'run cc one; cc two',
      'exited',
      'digests CLAUDE.md',
      'patch',
    ]);
    expect(execution).toMatchObject({ stopped: null, reportedVersion: '2.0.69 (Claude Code)', workspace: '/w' });
    expect(execution.files.before).not.toEqual(execution.files.after);
    expect(printed).toEqual(['hi']);
  });

  it('goes on without a version that the program does not tell', async () => {
    const sandbox = sandboxOf(async () => undefined);
    expect((await execute(sandbox, { versionProbe: ['fails'] })).reportedVersion).toBeNull();
    expect((await execute(sandbox, { versionProbe: null })).reportedVersion).toBeNull();
  });

  it.each([
    ['wall', { wallMs: 150 }, stats()],
    ['first_call', { firstCallMs: 150 }, stats({ firstCallAt: null, lastActivityAt: null })],
    ['silence', { silenceMs: 150 }, stats()],
  ])('kills at the limit: %s', async (stopped, limits, seen) => {
    const sandbox = sandboxOf(untilKilled);
    const execution = await execute(sandbox, {
      limits: { ...LIMITS, ...limits },
      endpoint: { ended: new AbortController().signal, stats: () => seen },
    });
    expect(execution.stopped).toBe(stopped);
    expect(sandbox.events).toContain('killed');
    expect(sandbox.events.at(-1)).toBe('patch');
  });

  it('output puts silence off', async () => {
    const sandbox = sandboxOf(async ({ print, signal }) => {
      for (let i = 0; i < 8; i++) {
        print('.');
        await sleep(60, signal);
      }
    });
    expect((await execute(sandbox, { limits: { ...LIMITS, silenceMs: 400 } })).stopped).toBeNull();
  });

  it('kills when the endpoint ends the attempt, or the user does, also before it began', async () => {
    const endpoint = new AbortController();
    const user = new AbortController();
    setTimeout(() => endpoint.abort(), 30);
    const ended = await execute(sandboxOf(untilKilled), { endpoint: { ended: endpoint.signal, stats: () => stats() } });
    expect(ended.stopped).toBe('endpoint');
    user.abort();
    expect((await execute(sandboxOf(untilKilled), { signal: user.signal })).stopped).toBe('cancelled');
  });

  it('keeps the first reason, and none for a session that had ended by itself', async () => {
    const user = new AbortController();
    const both = await execute(
      sandboxOf(async ({ signal }) => {
        await sleep(20_000, signal);
        user.abort();
        await sleep(10);
      }),
      { limits: { ...LIMITS, wallMs: 100 }, signal: user.signal },
    );
    expect(both.stopped).toBe('wall');
    const sandbox = sandboxOf(async () => undefined);
    const late = await execute(
      { ...sandbox, run: async () => ({ steps: [], end: 'exited', message: null }) },
      { signal: user.signal },
    );
    expect(late.stopped).toBeNull();
  });
});

describe('overdue', () => {
  const at = (ms: number, seen: Partial<AttemptStats>, lastOutputAt = 0) =>
    overdue(ms, { startedAt: 0, lastOutputAt }, stats(seen), { wallMs: 1000, firstCallMs: 100, silenceMs: 300 });
  it.each([
    [99, { firstCallAt: null }, 0, null],
    [100, { firstCallAt: null }, 0, 'first_call'],
    [400, { lastActivityAt: 200 }, 0, null],
    [500, { lastActivityAt: 200 }, 0, 'silence'],
    [500, { lastActivityAt: 200 }, 300, null],
    [900, { lastActivityAt: 200, openCalls: 1 }, 0, null],
    [1000, { lastActivityAt: 990, openCalls: 1 }, 990, 'wall'],
  ] as const)('%i ms, %j, output at %i: %s', (ms, seen, output, expected) => {
    expect(at(ms, seen, output)).toBe(expected);
  });
});
