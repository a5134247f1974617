import { isObject } from '../../core/json.ts';
import type { SandboxFile, Step } from '../../environment/schema.ts';
import type { Block, DecodedRequest, Protocol } from '../../wire/schema.ts';
import type { CallRole, Launch, LaunchSetup } from '../scaffold.ts';
import { APPENDED_FILE } from './spans.ts';

/* How opencode and its fork Kilo are configured and started: they differ in names. */

/** What is different between the two. */
export interface Flavour {
  /** Of the configuration folder and file, and of the variables in capitals. */
  name: 'opencode' | 'kilo';
  /** Flags of `run`. */
  flags: readonly string[];
  env: Readonly<Record<string, string>>;
}

// Packages for the protocols; all three are inside the programs, nothing is downloaded.
const PACKAGES: Readonly<Partial<Record<Protocol, string>>> = {
  anthropic: '@ai-sdk/anthropic',
  'openai-chat': '@ai-sdk/openai-compatible',
  'openai-responses': '@ai-sdk/openai',
};
const PROVIDER = 'octobench';
const AGENT = 'octobench';

const modelsOf = (setup: LaunchSetup): Record<string, unknown> => {
  const { context_tokens: context, max_output_tokens: output } = setup.settings;
  const limit = {
    context: typeof context === 'number' ? context : 200_000,
    output: typeof output === 'number' ? output : 32_000,
  };
  const names = new Set(Object.values(setup.models));
  return Object.fromEntries([...names].map((name) => [name, { tool_call: true, reasoning: true, limit }]));
};

const configOf = (setup: LaunchSetup, flavour: Flavour): Record<string, unknown> => {
  const { text, mode } = setup.systemPrompt;
  const subagent = { model: `${PROVIDER}/${setup.models.subagent}` };
  return {
    model: `${PROVIDER}/${setup.models.main}`,
    small_model: `${PROVIDER}/${setup.models.small}`,
    share: 'disabled',
    autoupdate: false,
    enabled_providers: [PROVIDER],
    // Nobody is there to answer: a question would wait for ever.
    permission: { '*': 'allow', question: 'deny' },
    agent: {
      general: subagent,
      explore: subagent,
      ...(text !== '' && mode === 'replace' ? { [AGENT]: { mode: 'primary', prompt: text } } : {}),
    },
    ...(text !== '' && mode === 'append'
      ? { instructions: [`${setup.home}/.config/${flavour.name}/${APPENDED_FILE}`] }
      : {}),
    provider: {
      [PROVIDER]: {
        npm: PACKAGES[setup.protocol] ?? PACKAGES['openai-chat'],
        options: { baseURL: `${setup.baseUrl}/v1`, apiKey: setup.token },
        models: modelsOf(setup),
      },
    },
    ...(isObject(setup.settings.config) ? setup.settings.config : {}),
  };
};

const SESSION = '"sessionID":"(ses_[A-Za-z0-9]+)"';

/** Files and steps of a session. The query goes through standard input: arguments would come in quotes. */
export const launchOpencode = (setup: LaunchSetup, flavour: Flavour): Launch => {
  const { text, mode } = setup.systemPrompt;
  const folder = `~/.config/${flavour.name}`;
  const files: SandboxFile[] = [
    { path: `${folder}/${flavour.name}.json`, content: JSON.stringify(configOf(setup, flavour), null, 1) },
  ];
  if (text !== '' && mode === 'append') files.push({ path: `${folder}/${APPENDED_FILE}`, content: text });
  const capitals = flavour.name.toUpperCase();
  const env = {
    [`${capitals}_DISABLE_AUTOUPDATE`]: '1',
    [`${capitals}_DISABLE_MODELS_FETCH`]: '1',
    [`${capitals}_DISABLE_LSP_DOWNLOAD`]: '1',
    [`${capitals}_DISABLE_DEFAULT_PLUGINS`]: '1',
    ...flavour.env,
  };
  const agent = text !== '' && mode === 'replace' ? ['--agent', AGENT] : [];
  return {
    files,
    steps: (queries) =>
      queries.map(
        (query, i): Step => ({
          argv: [
            ...setup.program,
            ...['run', ...flavour.flags, ...agent, '--format', 'json'],
            ...(i === 0 ? [] : ['--session', '{{session}}']),
          ],
          env,
          stdin: query,
          capture: SESSION,
        }),
      ),
  };
};

const textsOf = (blocks: readonly Block[]): string[] => blocks.flatMap((b) => (b.type === 'text' ? [b.text] : []));

/** What a request is for: main ones offer `task`, subagents other tools, side calls none. */
export const classifyOpencode = (request: DecodedRequest): CallRole => {
  const names = new Set(request.tools.map((t) => t.name));
  if (names.has('task')) return { role: 'main' };
  if (names.size > 0) return { role: 'subagent' };
  const said = [...textsOf(request.system), ...request.messages.flatMap((m) => textsOf(m.blocks))];
  if (said.some((t) => t.includes('Generate a title for this conversation')))
    return { role: 'auxiliary', kind: 'title' };
  if (said.some((t) => /summar/i.test(t))) return { role: 'auxiliary', kind: 'compaction' };
  return { role: 'auxiliary', kind: 'other' };
};
