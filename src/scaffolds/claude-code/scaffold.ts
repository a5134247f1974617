import { isObject } from '../../core/json.ts';
import type { Step } from '../../environment/schema.ts';
import type { Dialect } from '../dialect.ts';
import type { Launch, LaunchSetup, NpmPackage, Platform, Scaffold } from '../scaffold.ts';
import { classifyClaudeCode } from './classify.ts';
import { CLAUDE_CODE_TOOLS, decodeClaudeCode } from './decode.ts';
import { encodeClaudeCode } from './encode.ts';
import { claudeCodeSpans } from './spans.ts';

/* Tools a headless session of each line offers first, for telling the two apart; both are read by the same decoder. */
const TOOLS_2_0 = CLAUDE_CODE_TOOLS.filter(
  (name) => !['Agent', 'TaskCreate', 'TaskUpdate', 'ToolSearch'].includes(name),
);
const TOOLS_2_1 = [
  ...CLAUDE_CODE_TOOLS.filter((name) => name !== 'Task' && name !== 'SlashCommand'),
  ...['ListAgents', 'ReportFindings', 'ScheduleWakeup', 'Workflow', 'DeferredToolPlaceholder'],
  // Offered once they were searched for.
  ...['CronCreate', 'CronDelete', 'CronList', 'EnterWorktree', 'ExitWorktree', 'Monitor', 'SendMessage'],
];

const dialect = (id: string, tools: readonly string[]): Dialect => ({
  id,
  tools,
  decode: decodeClaudeCode,
  encode: encodeClaudeCode,
  spans: claudeCodeSpans,
});
/** Dialects of Claude Code: up to 2.0, and from 2.1 on. */
export const claudeCodeDialects: { v20: Dialect; v21: Dialect } = {
  v20: dialect('claude-code-2.0', TOOLS_2_0),
  v21: dialect('claude-code-2.1', TOOLS_2_1),
};

const isNative = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 2 || (major === 2 && minor >= 1);
};

/** 2.0 is a script for Node; 2.1 is a program in a package of its own for each platform. */
const npm = (version: string, platform: Platform): NpmPackage => ({
  name: '@anthropic-ai/claude-code',
  version,
  entry: isNative(version)
    ? `node_modules/@anthropic-ai/claude-code-${platform.os}-${platform.arch}/claude`
    : 'node_modules/@anthropic-ai/claude-code/cli.js',
  runtime: isNative(version) ? 'native' : 'node',
  scripts: false,
});

/** Settings an experiment may give, as environment variables of the program. */
const settingsEnv = (settings: Record<string, unknown>): Record<string, string> => {
  const env: Record<string, string> = {};
  const number = (name: string, variable: string): void => {
    if (typeof settings[name] === 'number') env[variable] = String(settings[name]);
  };
  number('thinking_tokens', 'MAX_THINKING_TOKENS');
  number('max_output_tokens', 'CLAUDE_CODE_MAX_OUTPUT_TOKENS');
  number('max_retries', 'CLAUDE_CODE_MAX_RETRIES');
  number('request_timeout_ms', 'API_TIMEOUT_MS');
  if (isObject(settings.env)) {
    for (const [name, value] of Object.entries(settings.env)) env[name] = String(value);
  }
  return env;
};

const environmentOf = (setup: LaunchSetup): Record<string, string> => ({
  ANTHROPIC_BASE_URL: setup.baseUrl,
  ANTHROPIC_API_KEY: setup.token,
  // Every model name it would choose by itself, so that no other one leaves the process.
  ANTHROPIC_MODEL: setup.models.main,
  ANTHROPIC_SMALL_FAST_MODEL: setup.models.small,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: setup.models.small,
  ANTHROPIC_DEFAULT_SONNET_MODEL: setup.models.main,
  ANTHROPIC_DEFAULT_OPUS_MODEL: setup.models.main,
  CLAUDE_CODE_SUBAGENT_MODEL: setup.models.subagent,
  // Root in a container is nobody's root; without it the program refuses to skip permissions.
  IS_SANDBOX: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_TMPDIR: `${setup.home}/.tmp`,
  ...settingsEnv(setup.settings),
});

const promptFlags = ({ text, mode }: LaunchSetup['systemPrompt']): string[] => {
  if (text === '') return [];
  return [mode === 'replace' ? '--system-prompt' : '--append-system-prompt', text];
};

const stepOf = (setup: LaunchSetup, env: Record<string, string>, query: string, index: number): Step => ({
  argv: [
    ...setup.program,
    '-p',
    ...['--model', setup.models.main],
    // Neither the prompt flag nor the model is remembered by a resumed session.
    ...(index === 0 ? ['--session-id', setup.session] : ['--resume', setup.session]),
    ...promptFlags(setup.systemPrompt),
    ...['--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
    '--', // a query may begin with a dash
    query,
  ],
  env,
  stdin: null,
});

const launch = (setup: LaunchSetup): Launch => {
  const env = environmentOf(setup);
  return {
    files: [
      {
        path: '~/.claude.json',
        content: JSON.stringify({
          officialMarketplaceAutoInstallAttempted: true,
          officialMarketplaceAutoInstalled: false,
          hasCompletedOnboarding: true,
        }),
      },
      { path: '~/.tmp/.keep', content: '' },
    ],
    steps: (queries) => queries.map((query, index) => stepOf(setup, env, query, index)),
  };
};

/** Claude Code, 2.0 (a Node script) and 2.1 (a native program). */
export const claudeCode: Scaffold = {
  id: 'claude-code',
  title: 'Claude Code',
  aliases: ['claudecode', 'claude_code', 'claude'],
  versions: ['2.0.69', '2.1.332'],
  npm,
  protocols: ['anthropic'],
  dialect: (version) => (isNative(version) ? claudeCodeDialects.v21 : claudeCodeDialects.v20),
  launch,
  systemPrompt: { append: true, replace: true },
  needs: [],
  reads: {
    policy: ['CLAUDE.md', 'CLAUDE.local.md', '.claude/CLAUDE.md', '.claude/rules/**/*.md', '~/.claude/CLAUDE.md'],
    skills: ['.claude/skills/**', '.claude/commands/**', '.claude/agents/**'],
    memory: [],
  },
  hosts: [
    { host: 'statsig.anthropic.com', stoppedBy: 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC' },
    { host: 'github.com', stoppedBy: '~/.claude.json: officialMarketplaceAutoInstallAttempted' },
    { host: 'api.anthropic.com', stoppedBy: null },
  ],
  // Warm-ups of 2.0.69 name these whatever they are told; the variable for subagents catches them, this is the net below it.
  aliasesOfModels: {
    'claude-haiku-4-5-20251001': 'small',
    'claude-sonnet-4-5-20250929': 'subagent',
  },
  stubs: [],
  classify: classifyClaudeCode,
};
