import type { Dialect } from './dialect.ts';
import { decodeOpencode, SHARED_TOOLS } from './opencode/decode.ts';
import { encodeOpencode } from './opencode/encode.ts';
import { classifyOpencode, launchOpencode } from './opencode/launch.ts';
import { opencodeSpans } from './opencode/spans.ts';
import type { Scaffold } from './scaffold.ts';

const dialect = (id: string, tools: readonly string[]): Dialect => ({
  id,
  tools,
  decode: decodeOpencode,
  encode: encodeOpencode,
  spans: opencodeSpans,
});
/** Dialects of Kilo: 7.0, and 7.7 with its board and its wake-ups. */
export const kiloDialects: { v70: Dialect; v77: Dialect } = {
  v70: dialect('kilo-7.0', SHARED_TOOLS),
  v77: dialect('kilo-7.7', [
    ...SHARED_TOOLS,
    ...['background_process', 'board_post', 'board_read', 'schedule_wakeup', 'cancel_wakeup', 'kilo_local_recall'],
  ]),
};

const isBoarded = (version: string): boolean => !/^7\.[0-4]\./.test(version);

/** Kilo CLI 7, a fork of opencode. (0.x was another program and is not in the registry any more.) */
export const kilo: Scaffold = {
  id: 'kilo',
  title: 'Kilo CLI',
  aliases: ['kilo-dev', 'kilocode', 'kilo-code', 'kilo-cli'],
  versions: ['7.0.33', '7.7.7'],
  npm: (version, { os, arch }) => ({
    name: '@kilocode/cli',
    version,
    entry: `node_modules/@kilocode/cli-${os}-${arch}/bin/kilo`,
    runtime: 'native',
    scripts: false,
  }),
  protocols: ['anthropic', 'openai-chat', 'openai-responses'],
  dialect: (version) => (isBoarded(version) ? kiloDialects.v77 : kiloDialects.v70),
  launch: (setup) => launchOpencode(setup, { name: 'kilo', flags: ['--auto'], env: { KILO_TELEMETRY_LEVEL: 'off' } }),
  systemPrompt: { append: true, replace: true },
  needs: ['rg'],
  reads: {
    // CLAUDE.md only where there is no AGENTS.md; the memory bank by nobody unless the configuration names it.
    policy: ['AGENTS.md', 'CLAUDE.md', '.kilocode/rules/*.md', '~/.config/kilo/AGENTS.md'],
    skills: ['.kilocode/skills/**', '.claude/skills/**', '.agents/skills/**'],
    memory: [],
    firstOf: ['AGENTS.md', 'CLAUDE.md'],
  },
  hosts: [
    { host: 'api.kilo.ai', stoppedBy: null },
    { host: 'the npm registry', stoppedBy: null },
    { host: 'github.com', stoppedBy: 'rg on PATH, KILO_DISABLE_LSP_DOWNLOAD' },
  ],
  aliasesOfModels: {},
  stubs: [],
  classify: classifyOpencode,
};
