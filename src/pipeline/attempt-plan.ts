import { randomBytes, randomUUID } from 'node:crypto';
import { BenchError } from '../core/errors.ts';
import type { Instance } from '../dataset/schema.ts';
import type { SandboxLimits, WorkspaceSeed } from '../environment/schema.ts';
import type { AttemptSpec, ModelRoute, RecordedAttempt, Upstream } from '../recording/schema.ts';
import { scriptUpstream } from '../recording/upstreams/script.ts';
import type { AttemptPlan } from '../rollout/plan.ts';
import type { ModelTier, Scaffold } from '../scaffolds/scaffold.ts';
import type { Protocol } from '../wire/schema.ts';
import { asPlanned } from './schedule.ts';
import type { ModelSpec, PlannedRollout, ProviderSpec } from './schema.ts';
import type { Workbench } from './workbench.ts';

/** Where the agent works: the row's path, until the sandbox says otherwise (`local` cannot honour it). */
export interface Place {
  workspace: string;
}

const TIERS: readonly ModelTier[] = ['main', 'small', 'subagent'];

/** Generous for an agent that works, small for one that runs away. */
const SANDBOX_LIMITS: SandboxLimits = {
  memoryBytes: 4 * 1024 ** 3,
  processes: 512,
  diskBytes: 4 * 1024 ** 3,
  outputBytes: 4 * 1024 ** 2,
};

/** What the workspace of an instance starts as. */
export const seedOf = (instance: Instance, setup: string[]): WorkspaceSeed => {
  const dir = instance.environmentDir;
  if (dir === null) return { kind: 'image', reference: instance.image };
  return { kind: 'folder', dir: `${dir}/workspace`, history: `${dir}/history.yaml`, setup };
};

/** Main wins where tiers share a name: the small model is the main one then. */
const routesOf = (model: ModelSpec, upstream: Upstream): Record<string, ModelRoute> =>
  Object.fromEntries(TIERS.toReversed().map((tier) => [model.names[tier], { tier, upstream }]));

const spokenBy = (bench: Workbench, planned: PlannedRollout): Protocol => {
  const { provider } = bench.model(planned.model);
  const spec = bench.file.experiment.providers.find((p) => p.id === provider);
  return protocolFor(bench.scaffold(planned.scaffold.id), spec);
};

const upstreamFor = (bench: Workbench, planned: PlannedRollout, instance: Instance, place: Place): Upstream => {
  const model = bench.model(planned.model);
  const script = bench.script(instance, model);
  const scaffold = bench.scaffold(planned.scaffold.id);
  if (script === null) return bench.upstream(model.provider, spokenBy(bench, planned));
  return scriptUpstream({
    id: model.id,
    script,
    dialect: scaffold.dialect(planned.scaffold.version),
    classify: (request) => scaffold.classify(request),
    workspace: () => place.workspace,
  });
};

/* From what a scaffold speaks to what a provider speaks: the translations there are (recording/upstreams/translate.ts). */
const TRANSLATED: Readonly<Partial<Record<Protocol, readonly Protocol[]>>> = {
  anthropic: ['openai-chat', 'gemini'],
  'openai-chat': ['anthropic'],
};

/**
 * The protocol a scaffold speaks to a provider: the provider's own where it can, else one that is translated; to a script the one
 * it prefers.
 * @throws BenchError('usage') when there is no way from one to the other
 */
const protocolFor = (scaffold: Pick<Scaffold, 'id' | 'protocols'>, provider: ProviderSpec | undefined): Protocol => {
  if (provider === undefined) return scaffold.protocols[0] ?? 'anthropic';
  const same = scaffold.protocols.find((p) => p === provider.protocol);
  const translated = scaffold.protocols.find((p) => TRANSLATED[p]?.includes(provider.protocol));
  const spoken = same ?? translated;
  if (spoken !== undefined) return spoken;
  const speaks = scaffold.protocols.join(', ');
  throw new BenchError(
    'usage',
    'run',
    `${scaffold.id} speaks ${speaks}; provider ${provider.id} speaks ${provider.protocol}, and there is no translation`,
  );
};

/** What the proxy has to know to record an attempt. */
export const recordingSpec = (
  bench: Workbench,
  planned: PlannedRollout,
  attempt: { n: number; log: string; socket: string | null; place: Place },
): AttemptSpec => {
  const { calls, tokens, cost } = bench.file.experiment.limits;
  const scaffold = bench.scaffold(planned.scaffold.id);
  const upstream = upstreamFor(bench, planned, bench.instance(planned.instance), attempt.place);
  return {
    attempt: `${planned.key}/${attempt.n}`,
    log: attempt.log,
    socket: attempt.socket,
    models: routesOf(bench.model(planned.model), upstream),
    aliases: scaffold.aliasesOfModels,
    stubs: scaffold.stubs,
    limits: { calls, tokens, cost },
    secrets: bench.secrets,
  };
};

/** What the sandbox and the scaffold have to know to run an attempt that is being recorded. */
export const planAttempt = (
  bench: Workbench,
  planned: PlannedRollout,
  recorded: RecordedAttempt,
  socket: string | null,
): AttemptPlan => {
  const instance = asPlanned(bench.instance(planned.instance), planned);
  const model = bench.model(planned.model);
  return {
    id: `${planned.key.slice(0, 40)}-${randomBytes(5).toString('hex')}`,
    instance,
    seed: seedOf(instance, bench.setup(instance)),
    systemPrompt: bench.scaffold(planned.scaffold.id).systemPrompt,
    installed: bench.installed(planned.scaffold.id, planned.scaffold.version),
    variant: bench.variant(planned.variant),
    settings: model.settings,
    models: model.names,
    protocol: spokenBy(bench, planned),
    kind: bench.provider.kind,
    tools: bench.tools(planned.scaffold.id),
    limits: SANDBOX_LIMITS,
    network: bench.file.experiment.network,
    node: process.execPath,
    socket,
    hostUrl: recorded.url,
    token: recorded.token,
    session: randomUUID(),
  };
};
