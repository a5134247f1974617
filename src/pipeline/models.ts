import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import type { ModelSpec, ProviderSpec } from './schema.ts';

/** The provider whose models are scripts of the dataset: no key, no network. */
export const SCRIPT = 'script';

/** Providers everybody has, with the environment variables that users of this field already set. */
export const DEFAULT_PROVIDERS = (env: NodeJS.ProcessEnv): ProviderSpec[] => [
  {
    id: 'anthropic',
    protocol: 'anthropic',
    baseUrl: env.ANTHROPIC_BASE_URL ?? 'https://api.anthropic.com',
    keyEnv: 'ANTHROPIC_API_KEY',
    concurrency: null,
    rpm: null,
  },
  {
    id: 'openai',
    protocol: 'openai-responses',
    baseUrl: env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    concurrency: null,
    rpm: null,
  },
  {
    id: 'google',
    protocol: 'gemini',
    baseUrl: env.GEMINI_BASE_URL ?? 'https://generativelanguage.googleapis.com',
    keyEnv: 'GEMINI_API_KEY',
    concurrency: null,
    rpm: null,
  },
];

const split = (id: string): { provider: string; name: string } => {
  const at = id.indexOf('/');
  if (at > 0 && at < id.length - 1) return { provider: id.slice(0, at), name: id.slice(at + 1) };
  throw new BenchError(
    'usage',
    'experiment',
    `"${id}" is no model: write provider/name, e.g. anthropic/<name> or script/careful`,
  );
};

/**
 * Resolves a model: its provider, and the names its main, small and subagent calls carry on the wire.
 * Side models default to the main one, so that no other model is ever called (and paid for) unasked.
 * @throws BenchError('usage') for an id that is none, an unknown provider, or side models of another provider
 */
export const readModel = (
  spec: {
    id: string;
    small?: string | undefined;
    subagent?: string | undefined;
    settings?: Record<string, unknown> | undefined;
  },
  providers: readonly ProviderSpec[],
): ModelSpec => {
  const { provider, name } = split(spec.id);
  const known = [SCRIPT, ...providers.map((p) => p.id)];
  if (!known.includes(provider)) {
    throw new BenchError(
      'usage',
      'experiment',
      `unknown provider "${provider}" of model ${spec.id}${suggestion(provider, known)}`,
    );
  }
  const side = (id: string | undefined, tier: string): string => {
    if (id === undefined) return provider === SCRIPT ? `${name}-${tier}` : name;
    const other = split(id);
    if (other.provider === provider) return other.name;
    throw new BenchError(
      'usage',
      'experiment',
      `${tier} model ${id} of ${spec.id} must be of the same provider, ${provider}`,
    );
  };
  return {
    id: spec.id,
    provider,
    names: { main: name, small: side(spec.small, 'small'), subagent: side(spec.subagent, 'subagent') },
    settings: spec.settings ?? {},
  };
};

/** The key of a provider from the environment; null when it needs none. @throws BenchError('usage') when it is not set */
export const keyOf = (provider: ProviderSpec, env: NodeJS.ProcessEnv): string | null => {
  if (provider.keyEnv === null) return null;
  const key = env[provider.keyEnv];
  if (key !== undefined && key !== '') return key;
  throw new BenchError(
    'usage',
    'experiment',
    `no API key for ${provider.id}: set ${provider.keyEnv} in the environment (or in a file given with --env-file)`,
  );
};
