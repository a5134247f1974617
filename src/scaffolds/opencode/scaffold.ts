import type { Dialect } from '../dialect.ts';
import type { Scaffold } from '../scaffold.ts';
import { decodeOpencode, SHARED_TOOLS } from './decode.ts';
import { encodeOpencode } from './encode.ts';
import { classifyOpencode, launchOpencode } from './launch.ts';
import { opencodeSpans } from './spans.ts';

export const opencodeDialect: Dialect = {
  id: 'opencode',
  tools: SHARED_TOOLS,
  decode: decodeOpencode,
  encode: encodeOpencode,
  spans: opencodeSpans,
};

/** opencode, open source; a native program in a package of its own for each platform. */
export const opencode: Scaffold = {
  id: 'opencode',
  title: 'opencode',
  aliases: ['opencode-ai', 'open-code'],
  versions: ['1.18.33'],
  npm: (version, { os, arch }) => ({
    name: 'opencode-ai',
    version,
    entry: `node_modules/opencode-${os}-${arch}/bin/opencode`,
    runtime: 'native',
    scripts: false,
  }),
  protocols: ['anthropic', 'openai-chat', 'openai-responses'],
  dialect: () => opencodeDialect,
  launch: (setup) => launchOpencode(setup, { name: 'opencode', flags: [], env: {} }),
  systemPrompt: { append: true, replace: true },
  needs: ['rg'],
  reads: {
    policy: ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md', '~/.config/opencode/AGENTS.md'],
    skills: [
      '.opencode/skills/**',
      '.claude/skills/**',
      '.agents/skills/**',
      '.opencode/agents/**',
      '.opencode/commands/**',
    ],
    memory: [],
    firstOf: ['AGENTS.md', 'CLAUDE.md'],
  },
  hosts: [
    { host: 'models.dev', stoppedBy: 'OPENCODE_DISABLE_MODELS_FETCH' },
    { host: 'the npm registry', stoppedBy: 'OPENCODE_DISABLE_DEFAULT_PLUGINS' },
    { host: 'github.com', stoppedBy: 'rg on PATH, OPENCODE_DISABLE_LSP_DOWNLOAD' },
  ],
  aliasesOfModels: {},
  stubs: [],
  classify: classifyOpencode,
};
