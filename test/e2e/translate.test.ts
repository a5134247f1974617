import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import type { Problem } from '../../src/core/problem.ts';
import type { IncomingReply, Upstream } from '../../src/recording/schema.ts';
import { openProxy } from '../../src/recording/server.ts';
import { translateUpstream } from '../../src/recording/upstreams/translate.ts';
import { claudeCode } from '../../src/scaffolds/claude-code/scaffold.ts';
import { defaultCacheDir, type Installed, installScaffold } from '../../src/scaffolds/install.ts';
import { protocols } from '../../src/wire/all.ts';
import type { Block, ReplyPlan } from '../../src/wire/schema.ts';
import { startFakeProvider } from '../fakes/providers/server.ts';

/* The real Claude Code 2.0.69 before a provider that speaks another protocol: six turns with thinking, parallel calls, an image
   that it reads, a call that fails. The fake provider refuses what the real one would. */

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Claude Code's side calls are answered here. */
const sideCalls: Upstream = {
  id: 'side',
  free: true,
  send: async (request): Promise<IncomingReply> => {
    for await (const _ of request.body);
    const blocks: Block[] = [{ type: 'text', text: 'ok' }];
    const plan: ReplyPlan = { id: 's', model: 'small', blocks, stop: 'end', usage: { input: 1, output: 1 } };
    const { status, headers, chunks } = protocols.anthropic.writeReply(plan, true);
    return {
      status,
      headers,
      body: (async function* () {
        yield* chunks;
      })(),
    };
  },
};

const turnsIn = (workspace: string, signed: boolean): ReplyPlan[] => {
  const thinking: Block = { type: 'thinking', text: 'Let me look.' };
  let calls = 0;
  const call = (name: string, input: unknown): Block => {
    const id = `call_${calls++}`;
    return { type: 'tool_call', id, name, input, ...(signed && { signature: `seal-${id}` }) };
  };
  const plan = (stop: ReplyPlan['stop'], ...blocks: Block[]): ReplyPlan => ({
    ...{ id: 'r', model: 'fake-model', blocks, stop },
    usage: { input: 10, output: 5 },
  });
  const read = (file: string): Block => call('Read', { file_path: join(workspace, file) });
  return [
    plan('tool', thinking, { type: 'text', text: 'Reading.' }, read('a.txt'), read('b.txt')),
    plan('tool', thinking, read('dot.png')),
    plan('tool', read('missing.txt')),
    plan('tool', call('Write', { file_path: join(workspace, 'c.txt'), content: 'gamma\n' })),
    plan('tool', call('TodoWrite', { todos: [{ content: 'x', status: 'in_progress', activeForm: 'xing' }] })),
    plan('end', thinking, { type: 'text', text: 'All done.' }),
  ];
};

const run = (entry: string, workspace: string, env: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const args = ['-p', 'Do it', '--model', 'fake-model', '--output-format', 'json', '--dangerously-skip-permissions'];
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: workspace,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: 100_000,
      killSignal: 'SIGKILL',
    });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.on('error', reject).on('close', () => resolve(out));
  });

describe.concurrent.each(['openai-chat', 'gemini'] as const)('Claude Code at a provider that speaks %s', (far) => {
  let installed: Installed;
  beforeAll(async () => {
    installed = await installScaffold(claudeCode, '2.0.69', { cacheDir: defaultCacheDir(process.env) });
  }, 150_000);

  test('plays six turns, and nothing is refused', async () => {
    const root = await mkdtemp(join(tmpdir(), 'octobench-translate-'));
    const workspace = join(root, 'work');
    await mkdir(join(root, 'home'));
    await mkdir(workspace);
    await writeFile(join(workspace, 'a.txt'), 'alpha\n');
    await writeFile(join(workspace, 'b.txt'), 'beta\n');
    await writeFile(join(workspace, 'dot.png'), Buffer.from(PNG, 'base64'));
    const fake = await startFakeProvider(far);
    fake.answer(...turnsIn(workspace, far === 'gemini'));
    const problems: Problem[] = [];
    const onProblem = (problem: Problem): unknown => problems.push(problem);
    const upstream = translateUpstream({ id: 'far', protocol: far, baseUrl: fake.url, key: fake.key, onProblem });
    const proxy = await openProxy();
    const small = { tier: 'small', upstream: sideCalls } as const;
    const attempt = await proxy.open({
      ...{ attempt: 'a', log: join(root, 'calls.jsonl'), socket: null, aliases: {}, stubs: [], secrets: [] },
      models: { 'fake-model': { tier: 'main', upstream }, small },
      limits: { calls: null, tokens: null, cost: null },
    });
    try {
      const out = await run(installed.entry, workspace, {
        HOME: join(root, 'home'),
        ANTHROPIC_BASE_URL: attempt.url,
        ANTHROPIC_API_KEY: attempt.token,
        ANTHROPIC_SMALL_FAST_MODEL: 'small',
        CLAUDE_CODE_SUBAGENT_MODEL: 'small',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        IS_SANDBOX: '1',
        MAX_THINKING_TOKENS: '2000',
      });
      expect(fake.refusals).toEqual([]);
      expect(JSON.parse(out)).toMatchObject({ is_error: false, result: 'All done.' });
      expect(fake.requests).toHaveLength(6);
      expect(await readFile(join(workspace, 'c.txt'), 'utf8')).toBe('gamma\n');
      const last = fake.requests.at(-1) as { body: JsonObject; text: string };
      for (const kept of ['alpha', 'beta', 'File does not exist', PNG, 'Let me look.'])
        expect(last.text).toContain(kept);
      // Chat completions have no common word for a thinking budget.
      const lost = far === 'gemini' ? [] : ['parameter_not_forwarded'];
      expect([...new Set(problems.map(({ kind }) => kind))]).toEqual(lost);
    } finally {
      await attempt.close();
      await proxy.close();
      await upstream.close?.();
      await fake.close();
      await rm(root, { recursive: true, force: true });
    }
  }, 120_000);
});
