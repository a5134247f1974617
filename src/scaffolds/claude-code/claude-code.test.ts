import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { protocols } from '../../wire/all.ts';
import type { DecodedRequest, ToolCall, ToolResult, ToolSchema } from '../../wire/schema.ts';
import type { ActionDraft, Dialect, DialectState, ScriptAction } from '../dialect.ts';
import { claudeCode } from './scaffold.ts';

/* Fixtures are what the real programs sent, trimmed. */
interface Captured {
  requests: { model: string; tools?: { name: string; description: string }[] }[];
  tools: { name: string; input_schema: { required?: string[]; properties?: object; additionalProperties?: boolean } }[];
  exchanges: { call: { name: string; input: unknown }; result: { content: unknown; is_error?: boolean } }[];
}
const captured = (version: string): Captured =>
  JSON.parse(
    readFileSync(new URL(`../../../test/fixtures/scaffolds/claude-code-${version}.json`, import.meta.url), 'utf8'),
  );
const v20 = captured('2.0.69');
const v21 = captured('2.1.332');
const read = (body: unknown): DecodedRequest => protocols.anthropic.readRequest(body, '/v1/messages');

const toolsOf = (fixture: Captured): ToolSchema[] =>
  fixture.tools.map((t) => ({ name: t.name, description: '', schema: t.input_schema }));

const resultOf = (raw: { content: unknown; is_error?: boolean }): ToolResult => ({
  type: 'tool_result',
  id: 'x',
  blocks:
    typeof raw.content === 'string'
      ? [{ type: 'text', text: raw.content }]
      : (raw.content as { text?: string }[]).flatMap((b) =>
          b.text === undefined ? [] : [{ type: 'text', text: b.text }],
        ),
  ...(raw.is_error === true ? { isError: true as const } : {}),
});

const decodeAll = (fixture: Captured, dialect: Dialect): (ActionDraft & { tool: string })[] => {
  const state: DialectState = { workspace: '/workspace', todos: [] };
  return fixture.exchanges.flatMap(({ call, result }) =>
    dialect
      .decode({ type: 'tool_call', id: 'x', name: call.name, input: call.input }, resultOf(result), state)
      .map((draft) => ({ tool: call.name, ...draft })),
  );
};

describe('classify', () => {
  const roles = (fixture: Captured): string[] =>
    fixture.requests.map((body) => {
      const { role, kind } = claudeCode.classify(read(body));
      return `${body.model} ${role}${kind === undefined ? '' : ` ${kind}`}`;
    });

  it('tells main, subagent and side calls of 2.0.69 apart', () => {
    expect(roles(v20)).toEqual([
      'careful main',
      'careful-small auxiliary git_history',
      'careful-sub auxiliary warmup',
      'careful-sub auxiliary warmup',
      'careful main',
      'careful-small auxiliary command_prefix',
      'careful-small auxiliary paths',
      'careful main',
      'careful-sub subagent',
    ]);
  });

  it('knows subagents of 2.1.332, which may start agents themselves', () => {
    const found = v21.requests.map((body) => ({
      agent: body.tools?.some((t) => t.name === 'Agent'),
      role: claudeCode.classify(read(body)).role,
    }));
    expect(found).toContainEqual({ agent: true, role: 'main' });
    expect(found).toContainEqual({ agent: true, role: 'subagent' });
    expect(found).toContainEqual({ agent: false, role: 'subagent' });
  });

  it('puts a compaction with tools and a quota probe aside', () => {
    const tools = [{ name: 'Task', input_schema: {} }];
    const ask = (text: string, more: object): string | undefined =>
      claudeCode.classify(read({ model: 'm', messages: [{ role: 'user', content: text }], ...more })).kind;
    expect(ask('Your task is to create a detailed summary of the conversation', { tools })).toBe('compaction');
    expect(ask('quota', { max_tokens: 1 })).toBe('quota');
    expect(ask('Warmup', { tools })).toBe('warmup');
    expect(ask('A word on warming up: Warmup', { tools })).toBeUndefined();
  });
});

describe('decode', () => {
  it('reads every recorded result of 2.0.69', () => {
    const actions = decodeAll(v20, claudeCode.dialect('2.0.69'));
    const short = actions.map(({ tool, kind, ok, refused, existed }) =>
      [tool, kind, ok, ...(refused ? ['refused'] : []), ...(existed === undefined ? [] : [`existed ${existed}`])].join(
        ' ',
      ),
    );
    expect(short).toEqual([
      'Read read true existed true',
      'Edit edit true existed true',
      'Edit edit false refused existed true',
      'Write write false refused existed true',
      'Write write true existed false',
      'Write write true existed true',
      'Bash run false',
      'Bash run ', // in the background: how it ended is not told
      'Bash run true',
      'Grep search true',
      'Glob search true',
      'TodoWrite todo true',
      'Skill skill true',
      'Task subagent true',
      'EnterPlanMode plan true',
      'ExitPlanMode plan false refused',
      'AskUserQuestion ask false refused',
      'Read read false existed false',
      'NoSuch other false refused',
      'Edit edit false existed true',
      'Bash run false refused',
      'WebFetch fetch false',
      'Write write true existed false',
      'Read read true existed true',
      'Bash run true',
    ]);
  });

  it('keeps what rules ask for', () => {
    const actions = decodeAll(v20, claudeCode.dialect('2.0.69'));
    expect(actions.find((a) => a.kind === 'edit')).toMatchObject({
      path: '/workspace/a.txt',
      added: ['world'],
      removed: ['hello'],
    });
    expect(actions.find((a) => a.kind === 'run')).toMatchObject({ command: 'cat a.txt; exit 3' });
    expect(actions.find((a) => a.kind === 'todo')?.todos).toEqual([
      { text: 'A', status: 'in_progress' },
      { text: 'B', status: 'pending' },
    ]);
    expect(actions.find((a) => a.kind === 'skill')).toMatchObject({ name: 'greet' });
    expect(actions.find((a) => a.kind === 'subagent')).toMatchObject({ name: 'Explore', prompt: 'Find uses of a.' });
    expect(actions.find((a) => a.kind === 'ask')).toMatchObject({ text: 'Which?', options: ['a', 'b'] });
  });

  it('reads every recorded result of 2.1.332', () => {
    const actions = decodeAll(v21, claudeCode.dialect('2.1.332'));
    const of = (tool: string): ActionDraft[] => actions.filter((a) => a.tool === tool);
    expect(of('Agent')[0]).toMatchObject({ kind: 'subagent', ok: true, name: 'Explore' });
    expect(of('Write').map((a) => [a.ok, a.existed])).toEqual([
      [true, true],
      [true, false],
      [true, true],
      [true, false],
    ]);
    expect(of('Read').map((a) => [a.ok, a.existed])).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
    for (const tool of ['Grep', 'TaskCreate', 'EnterPlanMode']) expect(of(tool)[0]).toMatchObject({ refused: true });
  });

  it('follows a list of tasks that is changed one by one', () => {
    const { decode } = claudeCode.dialect('2.1.332');
    const state: DialectState = { workspace: null, todos: [] };
    const step = (name: string, input: unknown, text: string): unknown =>
      decode({ type: 'tool_call', id: 'x', name, input }, resultOf({ content: text }), state)[0]?.todos;
    step('TaskCreate', { subject: 'A', description: 'do A' }, 'Task #7 created successfully: A');
    step('TaskCreate', { subject: 'B', description: 'do B' }, 'Task #8 created successfully: B');
    expect(step('TaskUpdate', { taskId: '7', status: 'in_progress' }, 'Updated task #7 status')).toEqual([
      { id: '7', text: 'A', status: 'in_progress' },
      { id: '8', text: 'B', status: 'pending' },
    ]);
    expect(step('TaskUpdate', { taskId: '8', status: 'deleted' }, 'Updated task #8')).toHaveLength(1);
  });

  it('a todo list that was refused changes nothing, an unanswered one is what was sent', () => {
    const { decode } = claudeCode.dialect('2.0.69');
    const state: DialectState = { workspace: null, todos: [{ text: 'old', status: 'pending' }] };
    const call: ToolCall = { type: 'tool_call', id: 'x', name: 'TodoWrite', input: { todos: [{ content: 'new' }] } };
    const bad = resultOf({ content: '<tool_use_error>InputValidationError: x</tool_use_error>', is_error: true });
    expect(decode(call, bad, state)[0]).toMatchObject({ ok: false, refused: true, todos: [{ text: 'old' }] });
    expect(decode(call, null, state)[0]).toMatchObject({ ok: null, todos: [{ text: 'new', status: 'pending' }] });
  });

  it('survives arguments of any shape', () => {
    const { decode, tools } = claudeCode.dialect('2.0.69');
    const state: DialectState = { workspace: null, todos: [] };
    for (const name of [...tools, 'constructor', '__proto__', 'mcp__x__y']) {
      for (const input of [null, 'text', 7, [], { todos: 'x', edits: [null], questions: [{ options: [1] }] }]) {
        expect(decode({ type: 'tool_call', id: 'x', name, input }, null, state)).toHaveLength(1);
      }
    }
  });
});

describe('encode', () => {
  const EVERY: ScriptAction[] = [
    { read: { path: 'a.txt', offset: 2, limit: 3 } },
    { write: { path: 'b/c.txt', content: 'x' } },
    { edit: { path: 'a.txt', replace: 'x', with: 'y', all: true } },
    { run: { command: 'npm test', background: true } },
    { search: { pattern: "it's", path: 'src', glob: '*.ts' } },
    { list: { path: '.' } },
    { glob: { pattern: '**/*.md' } },
    {
      todo: {
        items: [
          { text: 'A', status: 'in_progress' },
          { text: 'B', status: 'cancelled' },
        ],
      },
    },
    { skill: { name: 'greet', args: 'x' } },
    { subagent: { type: 'explore', prompt: 'Find uses of the cart in here' } },
    { plan: { phase: 'enter' } },
    { plan: { phase: 'exit', text: 'p' } },
    { fetch: { url: 'https://example.org' } },
  ];
  const check = (fixture: Captured, call: ToolCall): void => {
    const tool = fixture.tools.find((t) => t.name === call.name);
    expect(tool, call.name).toBeDefined();
    const known = Object.keys(tool?.input_schema.properties ?? {});
    const sent = Object.keys(call.input as object);
    for (const name of tool?.input_schema.required ?? []) expect(sent, call.name).toContain(name);
    // 2.0.69 takes a plan's text although its schema does not name it.
    for (const name of sent.filter((n) => n !== 'plan')) expect(known, call.name).toContain(name);
  };

  it('sends the arguments that the real schemas require, and none they do not know', () => {
    for (const fixture of [v20, v21]) {
      const { encode } = claudeCode.dialect('2.0.69');
      for (const action of EVERY) {
        const calls = encode(action, toolsOf(fixture), '/workspace');
        if (calls === 'unsupported') continue;
        for (const call of Array.isArray(calls) ? calls : calls.first) check(fixture, call);
      }
    }
  });

  it('speaks of files by absolute path', () => {
    const { encode } = claudeCode.dialect('2.0.69');
    const path = (p: string): unknown => encode({ read: { path: p } }, toolsOf(v20), '/workspace');
    expect(path('src/a.ts')).toMatchObject([{ name: 'Read', input: { file_path: '/workspace/src/a.ts' } }]);
    expect(path('/etc/hosts')).toMatchObject([{ input: { file_path: '/etc/hosts' } }]);
  });

  it('knows what a session does not offer', () => {
    const { encode } = claudeCode.dialect('2.1.332');
    const ask: ScriptAction = { ask: { text: 'Which?' } };
    expect(encode(ask, toolsOf(v20), '/w')).toBe('unsupported');
    expect(encode({ todo: { items: [] } }, toolsOf(v21), '/w')).toBe('unsupported');
    expect(encode({ finish: { text: 'x' } }, toolsOf(v20), '/w')).toBe('unsupported');
  });

  it('looks for a deferred tool first, and uses the shell where there is no search', () => {
    const { encode } = claudeCode.dialect('2.1.332');
    const tools = toolsOf(v21);
    const fetch: ScriptAction = { fetch: { url: 'https://example.org' } };
    expect(encode(fetch, tools, '/w')).toMatchObject({ first: [{ input: { query: 'select:WebFetch' } }] });
    const found = [...tools, { name: 'WebFetch', description: '', schema: {} }];
    expect(encode(fetch, found, '/w')).toMatchObject([{ name: 'WebFetch' }]);
    expect(encode({ search: { pattern: "it's" } }, tools, '/w')).toMatchObject([
      { name: 'Bash', input: { command: `grep -rn -e 'it'\\''s' .` } },
    ]);
  });

  it('is read back by decode as the same action', () => {
    const { encode, decode } = claudeCode.dialect('2.0.69');
    const kinds = EVERY.map((action) => {
      const calls = encode(action, toolsOf(v20), '/workspace');
      const state: DialectState = { workspace: '/workspace', todos: [] };
      return Array.isArray(calls) && calls[0] !== undefined ? decode(calls[0], null, state)[0]?.kind : calls;
    });
    expect(kinds).toEqual([
      ...['read', 'write', 'edit', 'run', 'search', 'search', 'search'],
      ...['todo', 'skill', 'subagent', 'plan', 'plan', 'fetch'],
    ]);
  });
});

describe('spans', () => {
  const { spans } = claudeCode.dialect('2.0.69');
  const show = (text: string, ...rest: [Parameters<Dialect['spans']>[1], Parameters<Dialect['spans']>[2]?]): string[] =>
    spans(text, ...rest).map(
      (s) => `${s.label}${s.part === undefined ? '' : `/${s.part}`}: ${text.slice(s.start, s.end).trim().slice(0, 40)}`,
    );
  const texts = (fixture: Captured, request: number): string[] =>
    read(fixture.requests[request]).messages.flatMap((m) =>
      m.blocks.flatMap((b) => (b.type === 'text' ? [b.text] : [])),
    );
  const system = (fixture: Captured, block: number): string => {
    const found = read(fixture.requests[0]).system[block];
    return found?.type === 'text' ? found.text : '';
  };

  it('takes the instruction files out of the reminder around them (both versions)', () => {
    for (const fixture of [v20, v21]) {
      const [text = ''] = texts(fixture, 0);
      const files = spans(text, 'first_user').filter((s) => s.label === 'agents_md');
      expect(files.map((s) => [s.path, text.slice(s.start, s.end)])).toEqual([
        ['/workspace/CLAUDE.md', '# Rules\nNever use emoji.\n@docs/extra.md'],
        ['/workspace/docs/extra.md', 'Extra rule text.'],
      ]);
      expect(show(text, 'first_user')[0]).toMatch(/^system_reminder/);
      expect(show(text, 'first_user').at(-1)).toMatch(/^system_reminder/);
    }
  });

  it('finds the appended prompt and the environment in the system prompt of 2.0.69', () => {
    expect(show(system(v20, 0), 'system')).toHaveLength(1);
    const parts = show(system(v20, 1), 'system');
    expect(parts.filter((p) => p.startsWith('system_prompt/appended'))).toEqual([
      'system_prompt/appended: Appended prompt.',
    ]);
    expect(parts.filter((p) => p.startsWith('environment'))).toEqual([
      'environment: Here is useful information about the env',
      'environment: gitStatus: This is the git status at the',
    ]);
  });

  it('finds the appended prompt of 2.1.332, and by its own text wherever it stands', () => {
    expect(show(system(v21, 2), 'system')).toContain('system_prompt/appended: Appended prompt.');
    const moved = system(v20, 1)
      .replace('Appended prompt.\n', '')
      .replace('Here is useful', 'Be brief.\n\nHere is useful');
    expect(show(moved, 'system', { appended: 'Be brief.' })).toContain('system_prompt/appended: Be brief.');
  });

  it('calls a system prompt that replaces the own one what it is', () => {
    expect(show('Answer in French.', 'system')).toEqual(['system_prompt/replaced: Answer in French.']);
  });

  it('labels skills in the tool description (2.0) and in the environment message (2.1)', () => {
    const description = v20.requests[0]?.tools?.find((t) => t.name === 'Skill')?.description ?? '';
    expect(show(description, 'tool_description')).toEqual([expect.stringMatching(/^skill: <available_skills>/)]);
    const message = texts(v21, 0).at(-1) ?? '';
    expect(show(message, 'system').map((s) => s.split(':')[0])).toContain('skill');
  });

  it('labels the body of a skill that was launched', () => {
    const text = 'Base directory for this skill: /workspace/.claude/skills/greet\n\nSay hello.\n';
    expect(spans(text, 'user')).toMatchObject([{ label: 'skill', path: '/workspace/.claude/skills/greet/SKILL.md' }]);
  });

  it('takes only the reminder at the end of a result for the scaffold’s own', () => {
    const text = 'a <system-reminder>of a file</system-reminder> b\n\n<system-reminder>\nReal.\n</system-reminder>\n';
    expect(show(text, 'tool_result')).toEqual([expect.stringContaining('Real.')]);
  });

  it('leaves the user’s words alone', () => {
    expect(spans('Fix <system-reminder>x</system-reminder> please', 'first_user')).toEqual([]);
  });

  it('is linear: many reminders, or an endless one, cost little', () => {
    const many = '<system-reminder>x</system-reminder>\n'.repeat(20_000);
    expect(spans(many, 'user')).toHaveLength(20_000);
    expect(spans(many, 'tool_result')).toHaveLength(20_000);
    expect(spans('<system-reminder>'.repeat(50_000), 'user')).toEqual([]);
  });
});
