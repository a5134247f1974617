import { isObject } from '../core/json.ts';
import type { Step } from '../environment/schema.ts';
import type { DecodedRequest, Protocol, ToolCall, ToolResult, ToolSchema } from '../wire/schema.ts';
import type { ActionDraft, Dialect, ScriptAction, SourceSpan, TextPlace } from './dialect.ts';
import { draftOf, type Ending, endingOf } from './ending.ts';
import { type Encoded, type Offer, offerOf, toolCall, whenOffered } from './offer.ts';
import { editedLines, given, textArg } from './reading.ts';
import { fillGaps } from './reminders.ts';
import type { CallRole, Launch, LaunchSetup, Scaffold } from './scaffold.ts';
import { quoteShell } from './shell-quote.ts';

/* pi, open source: four tools, no skill tool, no subagents. Texts are those of 0.73.1 as recorded. */

const REFUSED = /^(Tool \S+ not found|Validation failed for tool)/;
const SKILL_FILE = /(?:^|\/)skills\/(?:.*\/)?([^/]+)\/SKILL\.md$/;

const existedBefore = (end: Ending): boolean | null => {
  if (end.ok === false && /ENOENT|[Nn]o such file/.test(end.text)) return false;
  return /Could not find the exact text|Successfully replaced/.test(end.text) ? true : null;
};

/** Skills are files: reading one is using it. */
const read = (input: unknown, end: Ending): ActionDraft[] => {
  const path = textArg(input, 'path', 'file_path');
  const existed = end.ok === true ? true : existedBefore(end);
  const skill = SKILL_FILE.exec(path ?? '')?.[1];
  return [
    { ...draftOf('read', end), ...given({ path }), existed },
    ...(skill === undefined ? [] : [{ ...draftOf('skill', end), name: skill, ...given({ path }) }]),
  ];
};

const edit = (input: unknown, end: Ending): ActionDraft => {
  const edits = isObject(input) && Array.isArray(input.edits) ? input.edits : [input];
  const lines = edits.map((e) => editedLines(textArg(e, 'oldText') ?? '', textArg(e, 'newText') ?? ''));
  return {
    ...draftOf('edit', end),
    ...given({ path: textArg(input, 'path') }),
    existed: existedBefore(end),
    added: lines.flatMap((l) => l.added),
    removed: lines.flatMap((l) => l.removed),
  };
};

const decode = (call: ToolCall, result: ToolResult | null): ActionDraft[] => {
  const { name, input } = call;
  const end = endingOf(result, REFUSED);
  if (name === 'read') return read(input, end);
  if (name === 'edit') return [edit(input, end)];
  if (name === 'write') {
    const fields = given({ path: textArg(input, 'path'), content: textArg(input, 'content') });
    return [{ ...draftOf('write', end), ...fields, existed: null }];
  }
  if (name === 'bash') return [{ ...draftOf('run', end), ...given({ command: textArg(input, 'command') }) }];
  if (['grep', 'find', 'ls'].includes(name)) {
    return [{ ...draftOf('search', end), ...given({ path: textArg(input, 'path') }) }];
  }
  return [draftOf('other', end)];
};

/** The search tools where they are switched on, else the shell, which is what pi's models use. */
const encodeSearch = (action: ScriptAction, offer: Offer): Encoded => {
  const shell = (command: string): Encoded => whenOffered(offer, 'bash', { command });
  if ('search' in action) {
    const { pattern, path, glob } = action.search;
    if (offer.has('grep')) return [toolCall('grep', { pattern, ...given({ path, glob }) })];
    const include = glob === undefined ? '' : ` --include=${quoteShell(glob)}`;
    return shell(`grep -rn${include} -e ${quoteShell(pattern)} ${quoteShell(path ?? '.')}`);
  }
  if ('list' in action) {
    if (offer.has('ls')) return [toolCall('ls', { path: action.list.path })];
    return shell(`ls -a ${quoteShell(action.list.path)}`);
  }
  if (!('glob' in action)) return 'unsupported';
  if (offer.has('find')) return [toolCall('find', { pattern: action.glob.pattern })];
  return shell(`find . -path ${quoteShell(`./${action.glob.pattern.replace(/\*\*\/?/g, '*')}`)}`);
};

const encode = (action: ScriptAction, tools: readonly ToolSchema[], workspace: string): Encoded => {
  const offer = offerOf(tools, workspace);
  if ('read' in action) return whenOffered(offer, 'read', { ...given(action.read), path: action.read.path });
  if ('write' in action) return whenOffered(offer, 'write', { path: action.write.path, content: action.write.content });
  if ('edit' in action) {
    const { path, replace, with: by } = action.edit;
    return whenOffered(offer, 'edit', { path, edits: [{ oldText: replace, newText: by }] });
  }
  if ('run' in action) {
    const { command, background } = action.run;
    return whenOffered(offer, 'bash', { command: background === true ? `(${command}) >/dev/null 2>&1 &` : command });
  }
  if ('skill' in action) return whenOffered(offer, 'read', { path: `.agents/skills/${action.skill.name}/SKILL.md` });
  if ('tool' in action) return [toolCall(action.tool.name, action.tool.input)];
  return encodeSearch(action, offer);
};

const CONTEXT = '\n\n# Project Context\n\nProject-specific instructions and guidelines:\n\n';
const CONTEXT_END = '\n\nThe following skills provide specialized instructions for specific tasks.';
const OWN_END = '(e.g., tui.md for TUI API details)\n\n';

const systemSpans = (text: string, hint: string | undefined): SourceSpan[] => {
  const inner: SourceSpan[] = [];
  const context = text.indexOf(CONTEXT);
  const tail = text.lastIndexOf('\nCurrent date: ');
  const skills = text.indexOf('<available_skills>');
  const rest =
    [text.indexOf(CONTEXT_END, Math.max(context, 0)), tail, text.length].find((at) => at >= 0) ?? text.length;
  const own = text.indexOf(OWN_END);
  const start = own >= 0 ? own + OWN_END.length : -1;
  const end = context >= 0 ? context : rest;
  const known = hint === undefined || hint.trim() === '' ? -1 : text.indexOf(hint.trim());
  if (known >= 0)
    inner.push({ start: known, end: known + (hint?.trim().length ?? 0), label: 'system_prompt', part: 'appended' });
  else if (start >= 0 && start < end) inner.push({ start, end, label: 'system_prompt', part: 'appended' });
  if (context >= 0) inner.push(...filesIn(text, context + CONTEXT.length, rest));
  if (skills >= 0) inner.push({ start: skills, end: tail > skills ? tail : text.length, label: 'skill' });
  if (tail >= 0) inner.push({ start: tail, end: text.length, label: 'environment' });
  return fillGaps({ start: 0, end: text.length, label: 'system_prompt', part: 'preamble' }, inner);
};

const FILE = /^## (\/.+)\n\n/gm;
const filesIn = (text: string, start: number, end: number): SourceSpan[] => {
  const heads = [...text.slice(start, end).matchAll(FILE)];
  return heads.flatMap((head, i): SourceSpan[] => {
    const from = start + head.index + head[0].length;
    const next = heads[i + 1];
    const length = text.slice(from, next === undefined ? end : start + next.index).trimEnd().length;
    return length === 0 ? [] : [{ start: from, end: from + length, label: 'agents_md', path: head[1] ?? '' }];
  });
};

const spans = (text: string, place: TextPlace, hints: { appended?: string } = {}): SourceSpan[] =>
  place === 'system' ? systemSpans(text, hints.appended) : [];

export const piDialect: Dialect = {
  id: 'pi',
  tools: ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'],
  decode,
  encode,
  spans,
};

const APIS: Readonly<Record<Protocol, { api: string; suffix: string }>> = {
  anthropic: { api: 'anthropic-messages', suffix: '' },
  'openai-chat': { api: 'openai-completions', suffix: '/v1' },
  'openai-responses': { api: 'openai-responses', suffix: '/v1' },
  gemini: { api: 'google-generative-ai', suffix: '/v1beta' },
};
const PROVIDER = 'octobench';

const modelsFile = (setup: LaunchSetup): unknown => {
  const { api, suffix } = APIS[setup.protocol];
  const { max_output_tokens: output, context_tokens: context } = setup.settings;
  const model = (id: string): unknown => ({
    id,
    name: id,
    reasoning: typeof setup.settings.thinking === 'string',
    input: ['text'],
    contextWindow: typeof context === 'number' ? context : 200_000,
    maxTokens: typeof output === 'number' ? output : 16_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  });
  const models = [...new Set(Object.values(setup.models))].map(model);
  return { providers: { [PROVIDER]: { baseUrl: `${setup.baseUrl}${suffix}`, api, apiKey: setup.token, models } } };
};

const launch = (setup: LaunchSetup): Launch => {
  const { text, mode } = setup.systemPrompt;
  const { thinking } = setup.settings;
  const flags = [
    ...['-p', '--mode', 'json', '--provider', PROVIDER, '--model', setup.models.main],
    ...(text === '' ? [] : [mode === 'replace' ? '--system-prompt' : '--append-system-prompt', text]),
    ...(typeof thinking === 'string' ? ['--thinking', thinking] : []),
  ];
  return {
    files: [{ path: '~/.pi/agent/models.json', content: JSON.stringify(modelsFile(setup), null, 1) }],
    steps: (queries) =>
      queries.map(
        (query, i): Step => ({
          argv: [...setup.program, ...flags, ...(i === 0 ? [] : ['--session', '{{session}}'])],
          env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
          // As an argument, `@name` would be a file and `-x` a flag.
          stdin: query,
          capture: '"type":"session","version":\\d+,"id":"([^"]+)"',
        }),
      ),
  };
};

const classify = (request: DecodedRequest): CallRole =>
  request.tools.length > 0 ? { role: 'main' } : { role: 'auxiliary', kind: 'compaction' };

/** pi, a small open-source agent; a script for Node. */
export const pi: Scaffold = {
  id: 'pi',
  title: 'pi',
  aliases: ['pi-coding-agent', 'pi-mono'],
  versions: ['0.73.1'],
  npm: (version) => ({
    name: '@mariozechner/pi-coding-agent',
    version,
    entry: 'node_modules/@mariozechner/pi-coding-agent/dist/cli.js',
    runtime: 'node',
    scripts: false,
  }),
  protocols: ['anthropic', 'openai-chat', 'openai-responses'],
  dialect: () => piDialect,
  launch,
  systemPrompt: { append: true, replace: true },
  needs: [],
  reads: {
    policy: ['AGENTS.md', 'CLAUDE.md', '~/.pi/agent/AGENTS.md'],
    skills: ['.agents/skills/**', '.pi/skills/**', '~/.pi/agent/skills/**'],
    memory: [],
    firstOf: ['AGENTS.md', 'CLAUDE.md'],
  },
  hosts: [{ host: 'the npm registry', stoppedBy: 'PI_OFFLINE, PI_SKIP_VERSION_CHECK' }],
  aliasesOfModels: {},
  stubs: [],
  classify,
};
