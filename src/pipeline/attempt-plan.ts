import { randomBytes, randomUUID } from 'node:crypto';
import { BenchError } from '../core/errors.ts';
import type { Instance } from '../dataset/schema.ts';
import type { SandboxLimits, WorkspaceSeed } from '../environment/schema.ts';
import type { AttemptSpec, ModelRoute, RecordedAttempt, Upstream } from '../recording/schema.ts';
import { scriptUpstream } from '../recording/upstreams/script.ts';
import type { AttemptPlan } from '../rollout/plan.ts';
import type { ModelTier } from '../scaffolds/scaffold.ts';
import type { Protocol } from '../wire/schema.ts';
import type { ModelSpec, PlannedRollout } from './schema.ts';
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

const upstreamFor = (bench: Workbench, planned: PlannedRollout, instance: Instance, place: Place): Upstream => {
  const model = bench.model(planned.model);
  const script = bench.script(instance, model);
  if (script === null) return bench.upstream(model.provider);
  const scaffold = bench.scaffold(planned.scaffold.id);
  return scriptUpstream({
    id: model.id,
    script,
    dialect: scaffold.dialect(planned.scaffold.version),
    classify: (request) => scaffold.classify(request),
    workspace: () => place.workspace,
  });
};

/** The protocol the scaffold will speak: the provider's own; of several a script can play, the one it prefers. */
const protocolFor = (bench: Workbench, planned: PlannedRollout): Protocol => {
  const scaffold = bench.scaffold(planned.scaffold.id);
  const model = bench.model(planned.model);
  const wanted = bench.file.experiment.providers.find((p) => p.id === model.provider)?.protocol;
  const spoken = wanted === undefined ? scaffold.protocols[0] : scaffold.protocols.find((p) => p === wanted);
  if (spoken !== undefined) return spoken;
  const speaks = scaffold.protocols.join(', ');
  throw new BenchError('usage', 'run', `${scaffold.id} speaks ${speaks}; provider ${model.provider} speaks ${wanted}`);
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
  const instance = bench.instance(planned.instance);
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
    protocol: protocolFor(bench, planned),
    kind: bench.provider.kind,
    limits: SANDBOX_LIMITS,
    network: bench.file.experiment.network,
    node: process.execPath,
    socket,
    hostUrl: recorded.url,
    token: recorded.token,
    session: randomUUID(),
  };
};
