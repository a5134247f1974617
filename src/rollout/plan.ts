import { join, relative } from 'node:path/posix';
import type { Instance } from '../dataset/schema.ts';
import type { Sandbox, SandboxKind, SandboxLimits, SandboxSpec, WorkspaceSeed } from '../environment/schema.ts';
import type { LaunchSetup, ModelTier, NpmPackage } from '../scaffolds/scaffold.ts';
import type { Protocol } from '../wire/schema.ts';

/** Where the runtime, the scaffold and the programs it needs stand inside docker and bubblewrap; read-only, `tools` is on PATH. */
export const INSIDE = {
  tools: '/opt/agent',
  node: '/opt/agent/node',
  scaffold: '/opt/agent/scaffold',
} as const;

/** What one attempt is made of. Paths are on the host. */
export interface AttemptPlan {
  /** Unique on this machine. */
  id: string;
  instance: Pick<Instance, 'queries' | 'systemPrompt' | 'systemPromptMode' | 'workspace'>;
  seed: WorkspaceSeed;
  /** What the scaffold can do with a system prompt. */
  systemPrompt: { append: boolean; replace: boolean };
  installed: { version: string; root: string; entry: string; runtime: NpmPackage['runtime'] };
  variant: { files: Readonly<Record<string, string>>; appendSystemPrompt: string; settings: Record<string, unknown> };
  /** The model's own settings; a variant's win. */
  settings: Record<string, unknown>;
  models: Record<ModelTier, string>;
  protocol: Protocol;
  kind: SandboxKind;
  limits: SandboxLimits;
  network: 'proxy' | 'open';
  /** The Node binary: `process.execPath`. */
  node: string;
  /** Programs that the scaffold looks for on PATH (`Scaffold.needs`), by name. `local` has the machine's own PATH. */
  tools?: Readonly<Record<string, string>>;
  /** The attempt's unix socket, and its TCP address for `local`. */
  socket: string | null;
  hostUrl: string;
  token: string;
  /** A uuid. */
  session: string;
}

/** The sandbox of an attempt. Pure. */
export const sandboxSpec = (plan: AttemptPlan): SandboxSpec => {
  const local = plan.kind === 'local';
  const mounts = [
    { source: plan.installed.root, target: local ? plan.installed.root : INSIDE.scaffold },
    { source: plan.node, target: local ? plan.node : INSIDE.node },
    ...(local ? [] : Object.entries(plan.tools ?? {})).map(([name, source]) => ({
      source,
      target: join(INSIDE.tools, name),
    })),
  ];
  return {
    id: plan.id,
    seed: plan.seed,
    workspace: plan.instance.workspace,
    overlay: Object.entries(plan.variant.files).map(([path, content]) => ({ path, content })),
    mounts,
    socket: local ? null : plan.socket,
    hostUrl: plan.hostUrl,
    node: local ? plan.node : INSIDE.node,
    limits: plan.limits,
    network: plan.network,
  };
};

/** How the system prompt is really given: `replace` falls back to `append` where the scaffold cannot replace; null = not at all. */
export const systemPromptOf = (plan: AttemptPlan): { text: string; mode: 'append' | 'replace' } | null => {
  const text = [plan.instance.systemPrompt, plan.variant.appendSystemPrompt]
    .filter((t) => t.trim() !== '')
    .join('\n\n');
  if (text === '') return null;
  const wanted = plan.instance.systemPromptMode;
  if (plan.systemPrompt[wanted]) return { text, mode: wanted };
  const other = wanted === 'append' ? 'replace' : 'append';
  return plan.systemPrompt[other] ? { text, mode: other } : null;
};

/** The command that starts the scaffold, with paths as the sandbox sees them. */
export const programOf = (plan: AttemptPlan): string[] => {
  const { root, entry, runtime } = plan.installed;
  const inside = plan.kind === 'local' ? entry : join(INSIDE.scaffold, relative(root, entry));
  const node = plan.kind === 'local' ? plan.node : INSIDE.node;
  return runtime === 'node' ? [node, inside] : [inside];
};

/** What the adapter needs to launch, once the sandbox is there and has said where things are. Pure. */
export const launchSetup = (
  plan: AttemptPlan,
  sandbox: Pick<Sandbox, 'home' | 'workspace' | 'baseUrl'>,
): LaunchSetup => ({
  version: plan.installed.version,
  workspace: sandbox.workspace,
  home: sandbox.home,
  baseUrl: sandbox.baseUrl,
  token: plan.token,
  protocol: plan.protocol,
  models: plan.models,
  systemPrompt: systemPromptOf(plan) ?? { text: '', mode: 'append' },
  program: programOf(plan),
  session: plan.session,
  settings: { ...plan.settings, ...plan.variant.settings },
});
