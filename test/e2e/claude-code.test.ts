import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { sandboxProviders } from '../../src/environment/providers.ts';
import type { SandboxKind } from '../../src/environment/schema.ts';
import { claudeCode } from '../../src/scaffolds/claude-code/scaffold.ts';
import { defaultCacheDir, type Installed, installScaffold } from '../../src/scaffolds/install.ts';
import { runScaffold, type ScaffoldResult } from './scaffold-run.ts';

/* The real Claude Code 2.0.69, from the npm registry (kept in the cache), played by a script. */

const VERSION = '2.0.69';
const SCRIPT = `
script: 1
breaks: []
queries:
  - - { say: I will look at the cart., do: [ { todo: { items: [ { text: Fix the sum, status: in_progress } ] } } ] }
    - do: [ { read: { path: src/cart.mjs } } ]
    - do: [ { subagent: { type: explore, prompt: Who uses total? } } ]
    - do: [ { edit: { path: src/cart.mjs, replace: "a - b", with: "a + b" } } ]
    - do: [ { run: { command: node test/cart.mjs, expect: { ok: true, output: { regex: "1 passed" } } } } ]
    - say: The sum is right now.
  - - do: [ { skill: { name: release-notes } } ]
    - do: [ { write: { path: NOTES.md, content: "Fix the sum of the cart\\n" } } ]
    - say: The notes are written.
subagents: { explore: [ { say: Only the test does. } ] }
`;
const QUERIES = ['Fix the "total" of the cart.', '- Write the release notes.\nOne line.'];

describe.each<SandboxKind>(['local', 'bubblewrap'])('Claude Code 2.0.69 in %s', (kind) => {
  const provider = sandboxProviders[kind];
  let installed: Installed;
  let result: ScaffoldResult;
  let missing: string | null = null;

  beforeAll(async () => {
    missing = await provider.check();
    if (missing !== null && process.env.CI_REQUIRE_SANDBOX === '1') throw new Error(`${kind}: ${missing}`);
    if (missing !== null) return;
    installed = await installScaffold(claudeCode, VERSION, { cacheDir: defaultCacheDir(process.env) });
    result = await runScaffold({
      scaffold: claudeCode,
      installed,
      provider,
      script: SCRIPT,
      queries: QUERIES,
      systemPrompt: 'Answer in one sentence.',
    });
  }, 150_000);

  it('finishes both queries in one main thread', ({ skip }) => {
    if (missing !== null) skip(missing);
    expect(result.decision).toEqual({ outcome: 'finished', reason: null, message: null });
    const threads = result.trajectory.threads.filter((t) => t.role === 'main');
    expect(threads).toHaveLength(1);
    const messages = threads[0]?.segments.flatMap((s) => s.messages) ?? [];
    const said = messages.flatMap((m) =>
      m.blocks.flatMap((b) => (b.type === 'text' && m.role === 'assistant' ? [b.text] : [])),
    );
    expect(said).toEqual(expect.arrayContaining(['The sum is right now.', 'The notes are written.']));
    expect(Math.max(...messages.map((m) => m.query ?? 0))).toBe(1);
  });

  it('does what the script says, as actions', ({ skip }) => {
    if (missing !== null) skip(missing);
    const actions = result.trajectory.threads.find((t) => t.role === 'main')?.actions ?? [];
    expect(actions.map((a) => [a.kind, a.ok])).toEqual([
      ['todo', true],
      ['read', true],
      ['subagent', true],
      ['edit', true],
      ['run', true],
      ['skill', true],
      ['write', true],
    ]);
    expect(actions.find((a) => a.kind === 'edit')).toMatchObject({ rel: 'src/cart.mjs', existed: true });
    expect(actions.find((a) => a.kind === 'write')).toMatchObject({ rel: 'NOTES.md', existed: false });
  });

  it('keeps the change and nothing else', ({ skip }) => {
    if (missing !== null) skip(missing);
    const files = [...result.patch.matchAll(/^diff --git a\/(\S+)/gm)].map((m) => m[1]);
    expect(files.sort()).toEqual(['NOTES.md', 'src/cart.mjs']);
    expect(result.patch).toContain('+export const total = (prices) => prices.reduce((a, b) => a + b, 0);');
    expect(result.findings.files.after).toEqual(result.findings.files.before);
    expect(Object.keys(result.findings.files.before).length).toBeGreaterThan(1);
  });

  it('knows which program ran, and that the model was given what was asked for', async ({ skip }) => {
    if (missing !== null) skip(missing);
    expect(result.findings).toMatchObject({
      reportedVersion: `${VERSION} (Claude Code)`,
      userAgent: expect.stringContaining(`claude-cli/${VERSION}`),
      systemPromptMode: 'append',
      differences: [],
    });
    expect(installed.digest).toBe(
      createHash('sha256')
        .update(await readFile(installed.entry))
        .digest('hex'),
    );
  });

  it('pins every model and tells every call apart', ({ skip }) => {
    if (missing !== null) skip(missing);
    const kinds = new Set(result.asked);
    expect(kinds).toContain('main careful');
    expect(kinds).toContain('subagent careful-subagent');
    for (const kind of kinds)
      expect(kind).toMatch(/^(main careful|subagent careful-subagent|auxiliary careful(-small|-subagent))$/);
  });
});
