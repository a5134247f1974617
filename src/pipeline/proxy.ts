import { resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { VERSION } from '../core/version.ts';
import type { CallEvent, RecordedAttempt, Upstream } from '../recording/schema.ts';
import { openProxy } from '../recording/server.ts';
import { providerUpstream } from '../recording/upstreams/provider.ts';
import type { Rollout } from '../rollout/schema.ts';
import { beginAttempt, rolloutKey, writeRollout } from '../rollout/store.ts';
import { emptyExperiment } from './experiment.ts';
import { DEFAULT_PROVIDERS, keyOf } from './models.ts';
import type { PlannedRollout, ProviderSpec } from './schema.ts';
import { exists, experimentPath, lockExperiment, rolloutDir, writeExperiment } from './store.ts';
import { trajectoryOf } from './trajectories.ts';

export interface ProxyOptions {
  /** A provider by name (`anthropic`), or the base URL of one. */
  upstream: string;
  /** Protocol of a base URL. */
  protocol: ProviderSpec['protocol'];
  /** Environment variable with the key of a base URL; null = it needs none. */
  keyEnv: string | null;
  /** `host:port` or `port`. */
  listen: string;
  out: string;
  env: NodeJS.ProcessEnv;
  onCall: (event: CallEvent) => void;
}

/** A recording that waits for an agent. */
export interface RecordingSession {
  baseUrl: string;
  /** The agent's API key. */
  token: string;
  /** Ends the recording, writes the trajectory. @returns where it is, and how many calls it has */
  close(): Promise<{ dir: string; key: string; calls: number; unknownTokens: number }>;
}

const providerOf = (options: ProxyOptions): ProviderSpec => {
  const known = DEFAULT_PROVIDERS(options.env);
  const named = known.find((p) => p.id === options.upstream);
  if (named !== undefined) return named;
  if (!/^https?:\/\//.test(options.upstream)) {
    const ids = known.map((p) => p.id);
    throw new BenchError(
      'usage',
      'proxy',
      `--upstream takes a provider or a base URL; "${options.upstream}" is neither${suggestion(options.upstream, ids)}`,
    );
  }
  const { protocol, keyEnv } = options;
  return { id: 'upstream', protocol, baseUrl: options.upstream, keyEnv, concurrency: null, rpm: null };
};

const addressOf = (listen: string): { host: string; port: number } => {
  const at = listen.lastIndexOf(':');
  const host = at < 0 ? '127.0.0.1' : listen.slice(0, at);
  const port = Number(listen.slice(at + 1));
  if (host !== '' && Number.isInteger(port) && port >= 0 && port < 65_536) return { host, port };
  throw new BenchError('usage', 'proxy', `--listen takes PORT or HOST:PORT, got "${listen}"`);
};

const rolloutOf = (planned: PlannedRollout): Rollout => ({
  version: 1,
  key: planned.key,
  instance: planned.instance,
  instanceDigest: '',
  environment: '',
  scaffold: { ...planned.scaffold, reportedVersion: null, userAgent: null, binaryDigest: null },
  model: planned.model,
  variant: planned.variant,
  repeat: planned.repeat,
  workspace: '',
  systemPromptMode: null,
  counted: null,
  outcome: null,
  reason: null,
  attempts: [],
  differences: [],
  sampling: {},
  files: { before: {}, after: {} },
  solved: null,
  origin: 'proxy',
});

const open = async (options: ProxyOptions, upstream: Upstream, secrets: string[], log: string) => {
  const proxy = await openProxy({ ...addressOf(options.listen), onCall: options.onCall });
  const recorded: RecordedAttempt = await proxy.open({
    attempt: 'recording',
    log,
    socket: null,
    models: {},
    aliases: {},
    anyModel: { tier: 'main', upstream },
    stubs: [],
    limits: { calls: null, tokens: null, cost: null },
    secrets,
  });
  return { proxy, recorded };
};

/**
 * Records any agent: opens the proxy alone, in front of one provider. The agent uses `baseUrl` and `token`.
 * @throws BenchError('usage') for an upstream that is none, a missing key, a directory in use; BenchError('unavailable') for a taken port
 */
export const recordAgent = async (options: ProxyOptions): Promise<RecordingSession> => {
  const dir = resolve(options.out);
  if (await exists(experimentPath(dir))) {
    throw new BenchError('usage', 'proxy', `${dir} holds an experiment already; choose another directory with --out`);
  }
  const provider = providerOf(options);
  const key = keyOf(provider, options.env);
  addressOf(options.listen);
  const upstream = providerUpstream({ id: provider.id, protocol: provider.protocol, baseUrl: provider.baseUrl, key });
  const planned: PlannedRollout = {
    key: rolloutKey(['recording', new Date().toISOString()]),
    instance: 'recording',
    scaffold: { id: 'unknown', version: 'unknown', substitutedFor: null },
    model: 'unknown',
    variant: 'recording',
    repeat: 0,
  };
  const release = await lockExperiment(dir);
  try {
    const { paths } = await beginAttempt(rolloutDir(dir, planned.key));
    const { proxy, recorded } = await open(options, upstream, key === null ? [] : [key], paths.calls);
    const close = async () => {
      const stats = await recorded.close();
      const unknownTokens = proxy.unknownTokens();
      await proxy.close();
      await upstream.close?.();
      await finish(dir, planned, stats.calls > 0);
      await release();
      return { dir, key: planned.key, calls: stats.calls, unknownTokens };
    };
    return { baseUrl: recorded.url, token: recorded.token, close };
  } catch (e) {
    await release();
    throw e;
  }
};

const finish = async (dir: string, planned: PlannedRollout, called: boolean): Promise<void> => {
  await writeExperiment(dir, {
    version: 1,
    octobench: VERSION,
    created: new Date().toISOString(),
    base: resolve('.'),
    experiment: emptyExperiment('recording'),
    dataset: { digest: '', revision: null, instances: 0 },
    sandbox: null,
    planned: [planned],
    notes: ['Calls were recorded by octobench proxy: how the run ended is not known.'],
  });
  await writeRollout(rolloutDir(dir, planned.key), rolloutOf(planned));
  if (called) {
    await trajectoryOf(rolloutDir(dir, planned.key), rolloutOf(planned), { systemPrompt: '', environmentDir: null });
  }
};
