import { describe, expect, it } from 'vitest';
import { dialects, findScaffold, parseScaffoldRef, resolveVersion, scaffolds } from './all.ts';
import { claudeCode } from './claude-code/scaffold.ts';
import type { LaunchSetup } from './scaffold.ts';
import { nearestVersion } from './version.ts';

describe('the list', () => {
  it('finds scaffolds by id and published name', () => {
    expect(findScaffold('claude-code')).toBe(claudeCode);
    expect(findScaffold('claudecode')).toBe(claudeCode);
    expect(findScaffold('ClaudeCode')).toBe(claudeCode);
    expect(findScaffold('emacs')).toBeNull();
  });

  it('has names that nobody else has', () => {
    const names = scaffolds.flatMap((s) => [s.id, ...s.aliases]);
    expect(new Set(names).size).toBe(names.length);
    const ids = dialects.map((d) => d.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const s of scaffolds) for (const v of s.versions) expect(dialects).toContain(s.dialect(v));
  });

  it('reads references and says what is meant', () => {
    expect(parseScaffoldRef('claude-code@2.0.69')).toEqual({ scaffold: claudeCode, version: '2.0.69' });
    expect(parseScaffoldRef('claude-code')).toEqual({ scaffold: claudeCode, version: null });
    expect(() => parseScaffoldRef('claude-cod@1')).toThrow(/did you mean "claude-code"/);
  });
});

describe('versions', () => {
  it('keeps what was tested, takes the nearest else, and refuses when strict', () => {
    expect(resolveVersion(claudeCode, null, false)).toEqual({ version: '2.0.69', substitutedFor: null });
    expect(resolveVersion(claudeCode, 'v2.1.332', true)).toEqual({ version: '2.1.332', substitutedFor: null });
    expect(resolveVersion(claudeCode, '2.0.71', false)).toEqual({ version: '2.0.69', substitutedFor: '2.0.71' });
    expect(resolveVersion(claudeCode, '2.1.5', false)).toEqual({ version: '2.1.332', substitutedFor: '2.1.5' });
    expect(resolveVersion(claudeCode, 'latest', false)).toEqual({ version: '2.0.69', substitutedFor: 'latest' });
    expect(() => resolveVersion(claudeCode, '2.0.71', true)).toThrow(/--strict-version/);
  });

  it('takes the neighbour in the order of versions', () => {
    expect(nearestVersion('0.10.2', ['7.0.33', '7.7.7'])).toBe('7.0.33');
    expect(nearestVersion('0.42.2', ['0.99.0', '0.215.0'])).toBe('0.99.0');
    expect(nearestVersion('3', ['2.9.9', '4.0.0'])).toBe('2.9.9');
    expect(nearestVersion('1.5.0', ['1.4.0', '1.6.0'])).toBe('1.4.0');
    expect(nearestVersion('x', ['1.0.0'])).toBeNull();
  });
});

describe('every scaffold', () => {
  const setup = (version: string, over: Partial<LaunchSetup> = {}): LaunchSetup => ({
    version,
    workspace: '/w',
    home: '/h',
    baseUrl: 'http://127.0.0.1:1',
    token: 'tok-123',
    protocol: 'anthropic',
    models: { main: 'careful', small: 'careful-small', subagent: 'careful-subagent' },
    systemPrompt: { text: 'Be brief.', mode: 'append' },
    program: ['/opt/node', '/opt/cli.js'],
    session: '7d1c3f1e-0000-4000-8000-000000000000',
    settings: {},
    ...over,
  });
  const each = scaffolds.flatMap((s) => s.versions.map((v) => [`${s.id}@${v}`, s, v] as const));

  it.each(each)('%s starts one step a query, standard input closed or given, the queries word for word', (_, s, v) => {
    for (const protocol of s.protocols) {
      const queries = ['Fix "it" now', '--help', 'a\nb'];
      const launch = s.launch(setup(v, { protocol }));
      const steps = launch.steps(queries);
      expect(steps).toHaveLength(3);
      for (const [i, step] of steps.entries()) {
        expect([...step.argv, step.stdin]).toContain(queries[i]);
        expect(step.argv[0]).toBe('/opt/node');
      }
      const told = JSON.stringify([launch.files, steps]);
      for (const word of ['tok-123', 'careful', '127.0.0.1:1', 'Be brief.']) expect(told).toContain(word);
    }
  });

  it.each(each)('%s gives no system prompt where there is none', (_, s, v) => {
    const launch = s.launch(setup(v, { systemPrompt: { text: '', mode: 'append' } }));
    expect(JSON.stringify(launch.steps(['q']))).not.toContain('system-prompt');
  });

  it.each(each)('%s names an entry inside the install', (_, s, v) => {
    const pack = s.npm(v, { os: 'linux', arch: 'x64' });
    expect(pack).toMatchObject({ version: v, entry: expect.stringMatching(/^node_modules\/(?!.*\.\.)/) });
  });
});

describe('Claude Code', () => {
  it('keeps one session over all queries and replaces the system prompt when asked', () => {
    const steps = claudeCode
      .launch({
        version: '2.0.69',
        workspace: '/w',
        home: '/h',
        baseUrl: 'http://x',
        token: 't',
        protocol: 'anthropic',
        models: { main: 'm', small: 's', subagent: 'a' },
        systemPrompt: { text: 'P', mode: 'replace' },
        program: ['cc'],
        session: 'uuid',
        settings: { thinking_tokens: 1024, env: { X: 1 } },
      })
      .steps(['one', 'two']);
    expect(steps.map((s) => s.argv.filter((a) => a === '--session-id' || a === '--resume'))).toEqual([
      ['--session-id'],
      ['--resume'],
    ]);
    for (const step of steps) {
      expect(step.argv.join(' ')).toContain('--system-prompt P');
      expect(step.env).toMatchObject({ MAX_THINKING_TOKENS: '1024', X: '1', CLAUDE_CODE_SUBAGENT_MODEL: 'a' });
    }
  });
});
