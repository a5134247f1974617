import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { protocols } from '../wire/all.ts';
import type { Block, DecodedRequest, ToolCall, ToolResult, ToolSchema } from '../wire/schema.ts';
import { findScaffold } from './all.ts';
import type { ActionDraft, Dialect, DialectState, ScriptAction } from './dialect.ts';
import type { Scaffold } from './scaffold.ts';

/* Kilo, Droid, opencode and pi: fixtures are what the real programs sent, trimmed. */
interface Captured {
  scaffold: string;
  version: string;
  requests: object[];
  tools: { name: string; input_schema: { required?: string[]; properties?: object } }[];
  exchanges: { call: { name: string; input: unknown }; result: { content: unknown; is_error?: boolean } }[];
}
const captured = (name: string): Captured =>
  JSON.parse(readFileSync(new URL(`../../test/fixtures/scaffolds/${name}.json`, import.meta.url), 'utf8'));
const ALL = ['kilo-7.0.33', 'kilo-7.7.7', 'opencode-1.18.33', 'droid-0.99.0', 'droid-0.215.0', 'pi-0.73.1'];
const NAMED: [string, Captured, Scaffold][] = ALL.map((name) => {
  const fixture = captured(name);
  const scaffold = findScaffold(fixture.scaffold);
  if (scaffold === null) throw new Error(fixture.scaffold);
  return [name, fixture, scaffold];
});
const dialectOf = (name: string): [Captured, Dialect] => {
  const found = NAMED.find(([n]) => n === name);
  if (found === undefined) throw new Error(name);
  return [found[1], found[2].dialect(found[1].version)];
};

const read = (body: unknown): DecodedRequest => protocols.anthropic.readRequest(body, '/v1/messages');
const toolsOf = (fixture: Captured): ToolSchema[] =>
  fixture.tools.map((t) => ({ name: t.name, description: '', schema: t.input_schema }));
const resultOf = (raw: { content: unknown; is_error?: boolean }): ToolResult => ({
  type: 'tool_result',
  id: 'x',
  blocks:
    typeof raw.content === 'string'
      ? [{ type: 'text', text: raw.content }]
      : (raw.content as { text: string }[]).map((b) => ({ type: 'text', text: b.text })),
  ...(raw.is_error === true ? { isError: true as const } : {}),
});
const decodeAll = (name: string): (ActionDraft & { tool: string })[] => {
  const [fixture, dialect] = dialectOf(name);
  const state: DialectState = { workspace: '/workspace', todos: [] };
  return fixture.exchanges.flatMap(({ call, result }) =>
    dialect
      .decode({ type: 'tool_call', id: 'x', name: call.name, input: call.input }, resultOf(result), state)
      .map((draft) => ({ tool: call.name, ...draft })),
  );
};
const short = (a: ActionDraft & { tool: string }): string =>
  [
    a.tool,
    a.kind,
    a.ok,
    ...(a.refused ? ['refused'] : []),
    ...(a.existed === undefined ? [] : [`existed ${a.existed}`]),
  ].join(' ');

describe('classify', () => {
  it.each(NAMED)('%s tells main, subagents and side calls apart', (_, fixture, scaffold) => {
    const roles = fixture.requests.map((body) => scaffold.classify(read(body)));
    expect(roles).toContainEqual({ role: 'main' });
    if (['kilo', 'opencode'].includes(fixture.scaffold)) expect(roles).toContainEqual({ role: 'subagent' });
    if (['kilo-7.0.33', 'opencode-1.18.33'].includes(`${fixture.scaffold}-${fixture.version}`)) {
      expect(roles).toContainEqual({ role: 'auxiliary', kind: 'title' });
    }
    const bare = { model: 'm', messages: [{ role: 'user', content: 'Summarize the conversation' }] };
    expect(scaffold.classify(read(bare))).toMatchObject({ role: 'auxiliary', kind: 'compaction' });
  });
});

describe('decode', () => {
  it('reads every recorded result of Kilo 7.0.33', () => {
    expect(decodeAll('kilo-7.0.33').map(short)).toEqual(
      [
        'read read true existed true',
        'edit edit true existed true',
        'edit edit false refused existed true',
        'write write false refused existed true',
        'write write true existed ',
        'write write true existed ',
        'bash run ', // exit codes are not told
        'bash run ',
        'grep search true',
        'glob search true',
        'todowrite todo true',
        'skill skill true',
        'task subagent true',
        'read read false existed false',
        'invalid other false refused',
        'edit edit false existed true',
        'bash run false refused',
        'webfetch fetch false',
        'write write true existed ',
        'read search true', // a folder
        'bash run ',
      ].map((line) => line.replace(/existed $/, 'existed null')),
    );
  });

  it('reads every recorded result of Droid 0.99.0', () => {
    expect(decodeAll('droid-0.99.0').map(short)).toEqual([
      'Read read true existed true',
      'Edit edit true existed true',
      'Edit edit true existed true',
      'Create write true existed null',
      'Create write true existed null',
      'Execute run false',
      'Execute run true',
      'Grep search true',
      'Glob search true',
      'LS search true',
      'TodoWrite todo true',
      'Skill skill true',
      'Task subagent true',
      'Read read false existed false',
      'NoSuch other false refused',
      'Edit edit false existed true',
      'Execute run false refused',
      'FetchUrl fetch false',
      'ToolSearch other false refused',
      'Execute run true',
    ]);
    expect(decodeAll('droid-0.99.0').find((a) => a.kind === 'todo')?.todos).toEqual([
      { text: 'A', status: 'in_progress' },
      { text: 'B', status: 'pending' },
    ]);
  });

  it('reads every recorded result of pi 0.73.1', () => {
    expect(decodeAll('pi-0.73.1').map(short)).toEqual([
      'read read true existed true',
      'edit edit true existed true',
      'edit edit true existed true',
      'write write true existed null',
      'write write true existed null',
      'bash run false',
      'bash run true',
      'grep search false refused',
      'find search false refused',
      'ls search false refused',
      'read read false existed false',
      'nosuch other false refused',
      'edit edit false existed true',
      'bash run false refused',
      'bash run true',
    ]);
  });

  it('a skill of pi is a file that is read', () => {
    const [, { decode }] = dialectOf('pi-0.73.1');
    const call: ToolCall = {
      type: 'tool_call',
      id: 'x',
      name: 'read',
      input: { path: '.agents/skills/greet/SKILL.md' },
    };
    expect(decode(call, null, { workspace: null, todos: [] })).toMatchObject([
      { kind: 'read' },
      { kind: 'skill', name: 'greet' },
    ]);
  });

  it('a patch is one action a file', () => {
    const [, { decode }] = dialectOf('droid-0.99.0');
    const patch = [
      '*** Begin Patch',
      '*** Update File: a.ts',
      '@@',
      ' keep',
      '-old',
      '+new',
      '*** Move to: b.ts',
      '*** Add File: c.ts',
      '+one',
      '+two',
      '*** Delete File: d.ts',
      '*** End Patch',
    ].join('\n');
    const call: ToolCall = { type: 'tool_call', id: 'x', name: 'ApplyPatch', input: { input: patch } };
    const done = resultOf({ content: 'ok' });
    expect(decode(call, done, { workspace: null, todos: [] })).toEqual([
      { kind: 'edit', ok: true, path: 'a.ts', existed: true, added: ['new'], removed: ['old'] },
      { kind: 'move', ok: true, path: 'b.ts', existed: null },
      { kind: 'write', ok: true, path: 'c.ts', content: 'one\ntwo\n', existed: false },
      { kind: 'delete', ok: true, path: 'd.ts', existed: true },
    ]);
  });

  it.each(NAMED)('%s survives arguments of any shape', (name) => {
    const [, { decode, tools }] = dialectOf(name);
    const state: DialectState = { workspace: null, todos: [] };
    for (const tool of [...tools, 'constructor', '__proto__']) {
      for (const input of [
        null,
        'text',
        7,
        [],
        { todos: [null], edits: [null], questions: [{ options: [1] }], patchText: '' },
      ]) {
        expect(decode({ type: 'tool_call', id: 'x', name: tool, input }, null, state).length).toBeGreaterThan(0);
      }
    }
  });
});

const EVERY: ScriptAction[] = [
  { read: { path: 'a.txt', offset: 2, limit: 3 } },
  { write: { path: 'b/c.txt', content: 'x' } },
  { edit: { path: 'a.txt', replace: 'x', with: 'y', all: true } },
  { run: { command: 'npm test' } },
  { run: { command: 'npm start', background: true } },
  { search: { pattern: "it's", path: 'src', glob: '*.ts' } },
  { list: { path: '.' } },
  { glob: { pattern: '**/*.md' } },
  { todo: { items: [{ text: 'A', status: 'in_progress' }] } },
  { skill: { name: 'greet' } },
  { subagent: { type: 'general', prompt: 'Find uses of the cart in here' } },
  { fetch: { url: 'https://example.org' } },
];

describe('encode', () => {
  it.each(NAMED)('%s sends the arguments that the real schemas require, and none they do not know', (name) => {
    const [fixture, { encode }] = dialectOf(name);
    for (const action of EVERY) {
      const calls = encode(action, toolsOf(fixture), '/workspace');
      if (calls === 'unsupported') continue;
      for (const call of Array.isArray(calls) ? calls : calls.first) {
        const tool = fixture.tools.find((t) => t.name === call.name);
        const known = Object.keys(tool?.input_schema.properties ?? {});
        const sent = Object.keys(call.input as object);
        for (const key of tool?.input_schema.required ?? []) expect(sent, call.name).toContain(key);
        for (const key of sent) expect(known, call.name).toContain(key);
      }
    }
  });

  it.each(NAMED)('%s does every ordinary act', (name) => {
    const [fixture, { encode, decode }] = dialectOf(name);
    for (const action of EVERY.slice(0, 8)) {
      const calls = encode(action, toolsOf(fixture), '/workspace');
      expect(calls, JSON.stringify(action)).not.toBe('unsupported');
      const [first] = Array.isArray(calls) ? calls : [];
      const kind = first && decode(first, null, { workspace: '/workspace', todos: [] })[0]?.kind;
      expect(['read', 'write', 'edit', 'run', 'search']).toContain(kind);
    }
  });

  it('knows what a session does not offer', () => {
    const unsupported = (name: string): string[] => {
      const [fixture, { encode }] = dialectOf(name);
      return EVERY.filter((a) => encode(a, toolsOf(fixture), '/w') === 'unsupported').map(
        (a) => Object.keys(a)[0] ?? '',
      );
    };
    expect(unsupported('pi-0.73.1')).toEqual(['todo', 'subagent', 'fetch']);
    expect(unsupported('droid-0.215.0')).toEqual(['todo']);
    expect(unsupported('kilo-7.7.7')).toEqual([]);
  });
});

describe('spans', () => {
  const systemOf = (fixture: Captured): string => {
    const main = fixture.requests.map(read).find((r) => r.tools.some((t) => ['task', 'Task', 'bash'].includes(t.name)));
    const block = main?.system.findLast((b: Block) => b.type === 'text');
    return block?.type === 'text' ? block.text : '';
  };
  const parts = (name: string): string[] => {
    const [fixture, dialect] = dialectOf(name);
    const text = systemOf(fixture);
    return dialect
      .spans(text, 'system')
      .map(
        (s) =>
          `${s.label}${s.part === undefined ? '' : `/${s.part}`}: ${text.slice(s.start, s.end).trim().slice(0, 30)}`,
      );
  };

  it.each(['kilo-7.0.33', 'kilo-7.7.7', 'opencode-1.18.33', 'pi-0.73.1'])(
    '%s: instruction files stand in the system prompt',
    (name) => {
      expect(parts(name)).toContainEqual('agents_md: # Agents rules\nUse tabs.');
      // Of 7.7.7 the fixture has the end of a long prompt, without the environment.
      expect(parts(name).some((p) => p.startsWith('environment: '))).toBe(name !== 'kilo-7.7.7');
    },
  );

  it.each(['droid-0.99.0', 'droid-0.215.0', 'pi-0.73.1'])('%s: the appended prompt is found', (name) => {
    expect(parts(name)).toContain('system_prompt/appended: Appended prompt.');
  });

  it.each(['droid-0.99.0', 'droid-0.215.0'])('%s: instruction files stand in a reminder before the query', (name) => {
    const [fixture, dialect] = dialectOf(name);
    const texts = fixture.requests.flatMap((r) =>
      read(r).messages.flatMap((m) => m.blocks.flatMap((b) => (b.type === 'text' ? [b.text] : []))),
    );
    const files = texts.flatMap((t) =>
      dialect
        .spans(t, 'first_user')
        .filter((s) => s.label === 'agents_md')
        .map((s) => [s.path, t.slice(s.start, s.end)]),
    );
    expect(files).toContainEqual(['/workspace/CLAUDE.md', '# Rules\nNever use emoji.\n@docs/extra.md']);
    expect(files).toContainEqual(['/workspace/AGENTS.md', '# Agents rules\nUse tabs.']);
    expect(dialect.spans('First "query".', 'first_user')).toEqual([]);
  });

  it.each(NAMED.filter(([name]) => name !== 'pi-0.73.1'))('%s: the body of a skill is labelled', (name) => {
    const [fixture, dialect] = dialectOf(name);
    const skill = fixture.exchanges.find((e) => e.call.name.toLowerCase() === 'skill');
    expect(dialect.spans(String(skill?.result.content), 'tool_result')).toContainEqual(
      expect.objectContaining({ label: 'skill' }),
    );
  });

  it('what Kilo 7.7 adds to a query is no query', () => {
    const [, dialect] = dialectOf('kilo-7.7.7');
    const text = '\n\n<environment_details>\nMessage time: x\n</environment_details>';
    expect(dialect.spans(text, 'user')).toEqual([{ start: 0, end: text.length, label: 'environment' }]);
  });

  it('an appended prompt of opencode is an instruction file of the run', () => {
    const [, dialect] = dialectOf('opencode-1.18.33');
    const text =
      'Own.\n<env>\n</env>\nInstructions from: /h/.config/opencode/run-system-prompt.md\nBe brief.\nInstructions from: /w/AGENTS.md\nTabs.\n';
    expect(
      dialect
        .spans(text, 'system')
        .filter((s) => s.part !== 'preamble')
        .map((s) => [s.label, text.slice(s.start, s.end)]),
    ).toEqual([
      ['system_prompt', 'Be brief.'],
      ['agents_md', 'Tabs.'],
    ]);
  });
});
