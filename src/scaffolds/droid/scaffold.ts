import type { Step } from '../../environment/schema.ts';
import type { DecodedRequest, Protocol } from '../../wire/schema.ts';
import type { Dialect } from '../dialect.ts';
import type { CallRole, Launch, LaunchSetup, Scaffold, Stub } from '../scaffold.ts';
import { DROID_TOOLS, decodeDroid } from './decode.ts';
import { encodeDroid } from './encode.ts';
import { droidSpans } from './spans.ts';

export const droidDialect: Dialect = {
  id: 'droid',
  tools: DROID_TOOLS,
  decode: decodeDroid,
  encode: encodeDroid,
  spans: droidSpans,
};

/** How a custom model's provider is called, and whether its base URL has `/v1`. */
const PROVIDERS: Readonly<Partial<Record<Protocol, { provider: string; suffix: string }>>> = {
  anthropic: { provider: 'anthropic', suffix: '' },
  'openai-responses': { provider: 'openai', suffix: '/v1' },
  'openai-chat': { provider: 'generic-chat-completion-api', suffix: '/v1' },
};

const settingsOf = (setup: LaunchSetup): Record<string, unknown> => {
  const { provider, suffix } = PROVIDERS[setup.protocol] ?? { provider: 'generic-chat-completion-api', suffix: '/v1' };
  const output = setup.settings.max_output_tokens;
  const names = new Set([setup.models.main, setup.models.subagent, setup.models.small]);
  return {
    customModels: [...names].map((model) => ({
      model,
      displayName: model,
      baseUrl: `${setup.baseUrl}${suffix}`,
      apiKey: setup.token,
      provider,
      maxOutputTokens: typeof output === 'number' ? output : 16_000,
    })),
    cloudSessionSync: false,
    enableDroidShield: false,
  };
};

const environmentOf = (setup: LaunchSetup): Record<string, string> => ({
  FACTORY_API_KEY: setup.token,
  // Its own cloud is the proxy, which answers 404: without that answer no session can be continued.
  FACTORY_API_BASE_URL: setup.baseUrl,
  FACTORY_APP_BASE_URL_OVERRIDE: setup.baseUrl,
  FACTORY_TELEMETRY_INGEST_URL: setup.baseUrl,
  FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
  FACTORY_OTEL_ENABLED: 'false',
});

const launch = (setup: LaunchSetup): Launch => {
  const env = environmentOf(setup);
  const { text } = setup.systemPrompt;
  const effort = setup.settings.effort;
  const flags = [
    ...['-m', `custom:${setup.models.main}`, '--skip-permissions-unsafe', '-o', 'json'],
    ...(text === '' ? [] : ['--append-system-prompt', text]),
    // Not kept by a session: without it the reasoning parameters vanish when it is continued.
    ...(typeof effort === 'string' ? ['-r', effort] : []),
  ];
  return {
    files: [{ path: '~/.factory/settings.json', content: JSON.stringify(settingsOf(setup), null, 1) }],
    steps: (queries) =>
      queries.map(
        (query, i): Step => ({
          argv: [...setup.program, 'exec', ...flags, ...(i === 0 ? [] : ['-s', '{{session}}']), '--', query],
          env,
          stdin: null,
          capture: '"session_id":"([^"]+)"',
        }),
      ),
  };
};

const classify = (request: DecodedRequest): CallRole => {
  const names = new Set(request.tools.map((t) => t.name));
  if (names.has('Task')) return { role: 'main' };
  if (names.size > 0) return { role: 'subagent' };
  const said = request.system.concat(request.messages.flatMap((m) => m.blocks));
  const compaction = said.some((b) => b.type === 'text' && /summar/i.test(b.text));
  return { role: 'auxiliary', kind: compaction ? 'compaction' : 'other' };
};

const none = (method: string, path: string): Stub => ({ method, path, status: 404, body: '{}' });

/** Droid of Factory: a native program that works with a model of one's own and no account. */
export const droid: Scaffold = {
  id: 'droid',
  title: 'Droid',
  aliases: ['factory', 'factory-droid', 'droid-cli'],
  versions: ['0.99.0', '0.215.0'],
  npm: (version, { os, arch }) => ({
    name: 'droid',
    version,
    entry: `node_modules/@factory/cli-${os}-${arch}/bin/droid`,
    runtime: 'native',
    scripts: false,
  }),
  protocols: ['anthropic', 'openai-chat', 'openai-responses'],
  dialect: () => droidDialect,
  launch,
  systemPrompt: { append: true, replace: false },
  needs: ['rg'],
  reads: {
    policy: ['CLAUDE.md', 'AGENTS.md', '~/.factory/AGENTS.md'],
    skills: ['.factory/skills/**', '.agents/skills/**', '.factory/droids/**'],
    memory: [],
  },
  hosts: [
    { host: 'api.factory.ai', stoppedBy: 'FACTORY_API_BASE_URL' },
    { host: 'telemetry.factory.ai', stoppedBy: 'FACTORY_TELEMETRY_INGEST_URL' },
    { host: 'run.app', stoppedBy: 'FACTORY_OTEL_ENABLED=false' },
  ],
  // Compaction asks its own cloud for this model, whatever the session's model is.
  aliasesOfModels: { 'claude-sonnet-4-5-20250929': 'small' },
  stubs: [
    ...['/api/sessions', '/api/cli/', '/api/feature-flags', '/api/organization/', '/api/billing/'].map((p) =>
      none('GET', p),
    ),
    ...['/api/llm/custom/usage', '/api/telemetry/', '/api/sessions'].map((p) => none('POST', p)),
  ],
  classify,
};
