import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxKind, SandboxProvider } from '../../src/environment/schema.ts';
import { parseScript } from '../../src/recording/script.ts';
import { openProxy } from '../../src/recording/server.ts';
import { readCalls } from '../../src/recording/store.ts';
import { scriptUpstream } from '../../src/recording/upstreams/script.ts';
import { readExchanges } from '../../src/rollout/exchanges.ts';
import { executeAttempt } from '../../src/rollout/execute.ts';
import { findingsOf } from '../../src/rollout/findings.ts';
import { decideOutcome } from '../../src/rollout/outcome.ts';
import { type AttemptPlan, launchSetup, programOf, sandboxSpec } from '../../src/rollout/plan.ts';
import type { Decision, Execution, Findings, TimeLimits } from '../../src/rollout/schema.ts';
import type { Installed } from '../../src/scaffolds/install.ts';
import type { Scaffold } from '../../src/scaffolds/scaffold.ts';
import { withActions } from '../../src/trajectory/actions.ts';
import { normalizeCalls } from '../../src/trajectory/normalize.ts';
import type { Trajectory } from '../../src/trajectory/schema.ts';
import type { Protocol } from '../../src/wire/schema.ts';

/** What is run: a real scaffold, by a script, on the cart workspace. */
export interface ScaffoldRun {
  scaffold: Scaffold;
  installed: Installed;
  provider: SandboxProvider;
  script: string;
  queries: string[];
  systemPrompt?: string;
  systemPromptMode?: 'append' | 'replace';
  protocol?: Protocol;
  limits?: Partial<TimeLimits>;
  settings?: Record<string, unknown>;
  tools?: Record<string, string>;
}

export interface ScaffoldResult {
  decision: Decision;
  findings: Findings;
  execution: Execution;
  patch: string;
  trajectory: Trajectory;
  /** `role model` of each call that asked a model. */
  asked: string[];
}

const SEED = join(import.meta.dirname, '../fixtures/scaffolds/cart');

const planOf = (
  run: ScaffoldRun,
  place: { url: string; token: string; socket: string; kind: SandboxKind },
): AttemptPlan => ({
  id: `e2e-${run.scaffold.id}-${randomUUID().slice(0, 8)}`,
  instance: {
    queries: run.queries,
    systemPrompt: run.systemPrompt ?? '',
    systemPromptMode: run.systemPromptMode ?? 'append',
    workspace: '/work/cart',
  },
  seed: { kind: 'folder', dir: SEED, history: null, setup: [] },
  systemPrompt: run.scaffold.systemPrompt,
  installed: run.installed,
  variant: { files: {}, appendSystemPrompt: '', settings: {} },
  settings: run.settings ?? {},
  models: { main: 'careful', small: 'careful-small', subagent: 'careful-subagent' },
  protocol: run.protocol ?? run.scaffold.protocols[0] ?? 'anthropic',
  kind: place.kind,
  limits: { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 1 << 20 },
  network: 'proxy',
  node: process.execPath,
  tools: run.tools ?? {},
  socket: place.socket,
  hostUrl: place.url,
  token: place.token,
  session: randomUUID(),
});

/** Runs a real scaffold by a script and tells everything that came of it. Leaves nothing behind. */
export const runScaffold = async (run: ScaffoldRun): Promise<ScaffoldResult> => {
  const folder = await mkdtemp(join(tmpdir(), 'ob-'));
  const proxy = await openProxy();
  try {
    const { scaffold, installed, provider } = run;
    const log = join(folder, 'calls.jsonl');
    const socket = join(folder, 's', 'p.sock');
    const dialect = scaffold.dialect(installed.version);
    let workspace = '/work/cart';
    const upstream = scriptUpstream({
      id: 'script/careful',
      script: parseScript(run.script, 'script.yaml'),
      dialect,
      classify: scaffold.classify,
      workspace: () => workspace,
    });
    const route = (tier: 'main' | 'small' | 'subagent') => ({ tier, upstream });
    const logOpenedAt = Date.now();
    const recorded = await proxy.open({
      attempt: 'e2e',
      log,
      socket: provider.kind === 'local' ? null : socket,
      models: { careful: route('main'), 'careful-small': route('small'), 'careful-subagent': route('subagent') },
      aliases: scaffold.aliasesOfModels,
      stubs: scaffold.stubs,
      limits: { calls: 100, tokens: null, cost: null },
      secrets: [],
    });
    const plan = planOf(run, { url: recorded.url, token: recorded.token, socket, kind: provider.kind });
    const limits = { wallMs: 120_000, firstCallMs: 60_000, silenceMs: 60_000, ...run.limits };
    const execution = await provider.withSandbox(sandboxSpec(plan), (sandbox) => {
      workspace = sandbox.workspace;
      return executeAttempt({
        sandbox,
        launch: scaffold.launch(launchSetup(plan, sandbox)),
        queries: run.queries,
        endpoint: recorded,
        limits,
        signal: new AbortController().signal,
        versionProbe: [...programOf(plan), '--version'],
        instructionFiles: [...scaffold.reads.policy, ...scaffold.reads.skills],
      });
    });
    const stats = await recorded.close();
    const calls = await Array.fromAsync(readCalls(`${log}.zst`));
    const exchanges = readExchanges(calls, scaffold.classify);
    const decision = decideOutcome({
      exchanges,
      execution,
      endpointEnd: stats.end,
      logOpenedAt,
      queries: run.queries.length,
      limits,
    });
    const findings = findingsOf(plan, execution, {
      exchanges,
      dialect,
      logOpenedAt,
      substitutedFor: null,
      solved: null,
    });
    const normalized = normalizeCalls(calls);
    const trajectory = normalized.trajectories[0];
    if (trajectory === undefined)
      throw new Error(`no trajectory; ${JSON.stringify(decision)} ${JSON.stringify(execution.session)}`);
    return {
      decision,
      findings,
      execution,
      patch: Buffer.from(execution.patch).toString('utf8'),
      trajectory: withActions({ ...trajectory, workspace }, dialect),
      asked: exchanges.map((e) => `${e.role().role} ${e.request().model}`),
    };
  } finally {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
  }
};
