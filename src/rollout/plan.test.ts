import { describe, expect, it } from 'vitest';
import { type AttemptPlan, launchSetup, programOf, sandboxSpec, systemPromptOf } from './plan.ts';

const plan = (over: Partial<AttemptPlan> = {}): AttemptPlan => ({
  id: 'id',
  instance: { queries: ['q'], systemPrompt: 'Be brief.', systemPromptMode: 'append', workspace: '/work/cart' },
  seed: { kind: 'folder', dir: '/env', history: null, setup: [] },
  systemPrompt: { append: true, replace: true },
  installed: { version: '1', root: '/cache/s@1', entry: '/cache/s@1/node_modules/s/cli.js', runtime: 'node' },
  variant: { files: { 'CLAUDE.md': 'short' }, appendSystemPrompt: '', settings: { a: 2 } },
  settings: { a: 1, b: 1 },
  models: { main: 'm', small: 's', subagent: 'a' },
  protocol: 'anthropic',
  kind: 'bubblewrap',
  limits: { memoryBytes: null, processes: null, diskBytes: null, outputBytes: 1 },
  network: 'proxy',
  node: '/host/node',
  tools: { rg: '/usr/bin/rg' },
  socket: '/run/a.sock',
  hostUrl: 'http://127.0.0.1:1',
  token: 't',
  session: 'uuid',
  ...over,
});

describe('a plan', () => {
  it('shows the sandbox the scaffold, Node and the tools read-only at fixed places', () => {
    const spec = sandboxSpec(plan());
    expect(spec.mounts).toEqual([
      { source: '/cache/s@1', target: '/opt/agent/scaffold' },
      { source: '/host/node', target: '/opt/agent/node' },
      { source: '/usr/bin/rg', target: '/opt/agent/rg' },
    ]);
    expect(spec).toMatchObject({ node: '/opt/agent/node', socket: '/run/a.sock', workspace: '/work/cart' });
    expect(spec.overlay).toEqual([{ path: 'CLAUDE.md', content: 'short' }]);
    expect(programOf(plan())).toEqual(['/opt/agent/node', '/opt/agent/scaffold/node_modules/s/cli.js']);
  });

  it('leaves everything where it is for local', () => {
    const spec = sandboxSpec(plan({ kind: 'local' }));
    expect(spec.mounts.every((m) => m.source === m.target)).toBe(true);
    expect(spec.socket).toBeNull();
    expect(programOf(plan({ kind: 'local' }))).toEqual(['/host/node', '/cache/s@1/node_modules/s/cli.js']);
  });

  it('starts a native program without Node', () => {
    const installed = { ...plan().installed, runtime: 'native' as const };
    expect(programOf(plan({ installed }))).toEqual(['/opt/agent/scaffold/node_modules/s/cli.js']);
  });

  it('says how the system prompt is really given', () => {
    const mode = (over: Partial<AttemptPlan>) => systemPromptOf(plan(over));
    const replace = { ...plan().instance, systemPromptMode: 'replace' as const };
    expect(mode({})).toEqual({ text: 'Be brief.', mode: 'append' });
    expect(mode({ instance: replace })?.mode).toBe('replace');
    expect(mode({ instance: replace, systemPrompt: { append: true, replace: false } })?.mode).toBe('append');
    expect(mode({ systemPrompt: { append: false, replace: false } })).toBeNull();
    expect(mode({ instance: { ...plan().instance, systemPrompt: '' } })).toBeNull();
    const variant = { ...plan().variant, appendSystemPrompt: 'In French.' };
    expect(mode({ variant })?.text).toBe('Be brief.\n\nIn French.');
  });

  it('hands the adapter what the sandbox said, a variant’s settings over the model’s', () => {
    const setup = launchSetup(plan(), { home: '/h', workspace: '/tmp/w', baseUrl: 'http://127.0.0.1:8080' });
    expect(setup).toMatchObject({ home: '/h', workspace: '/tmp/w', baseUrl: 'http://127.0.0.1:8080' });
    expect(setup.settings).toEqual({ a: 2, b: 1 });
  });
});
