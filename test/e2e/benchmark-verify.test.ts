import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from '../cli.ts';
import { installFake } from '../fakes/claude-code/install.ts';

/* `benchmark verify` and its record on the stand-in scaffold; the tests go on from each other's state. */

const BENCHMARK = fileURLToPath(new URL('../fixtures/pipeline/benchmark', import.meta.url));

let root = '';
let folder = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'octobench-benchmark-'));
  folder = join(root, 'benchmark');
  await installFake(join(root, 'cache'));
  await cp(BENCHMARK, folder, { recursive: true, filter: (from) => !from.includes('notes-two-steps') });
});
afterAll(() => rm(root, { recursive: true, force: true }));

interface Seen {
  code: number | null;
  findings: string[];
  run: string[];
  onRecord: number;
}

let runs = 0;
const verify = async (...more: string[]): Promise<Seen> => {
  const args = ['benchmark', 'verify', folder, '--json', '-q', '--sandbox', 'local', '-o', join(root, `run-${runs++}`)];
  const done = await cli([...args, ...more], { env: { OCTOBENCH_CACHE: join(root, 'cache') } });
  expect(done.stderr).toBe('');
  const { instances } = JSON.parse(done.stdout) as {
    instances: {
      instance: string;
      scripts: { script: string; state: string }[];
      findings: { kind: string; script?: string; check?: string }[];
    }[];
  };
  const scripts = instances.flatMap((i) => i.scripts.map((s) => ({ ...s, name: `${i.instance}/${s.script}` })));
  return {
    code: done.code,
    findings: instances.flatMap((i) => i.findings.map((f) => [f.kind, f.script, f.check].filter(Boolean).join(' '))),
    run: scripts.filter((s) => s.state === 'run').map((s) => s.name),
    onRecord: scripts.filter((s) => s.state === 'on_record').length,
  };
};

const put = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
};
const change = async (path: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(folder, path), 'utf8');
  expect(text).toContain(from);
  await put(path, text.replace(from, to));
};
const saying = (words: string): string => `script: 1\nbreaks: []\nqueries: [[{ say: ${words} }]]\n`;
const recorded = async (): Promise<string[]> =>
  JSON.parse(await readFile(join(folder, 'verified.json'), 'utf8')).runs.map(
    (r: { instance: string; script: string }) => `${r.instance}/${r.script}`,
  );

const LISTED = 'breaks: [Agents_no_shell_read, Agents_checked_last]';

test('what no script breaks and scripts that are not what they say are found; runs that are right go on record', async () => {
  await change('scripts/notes-greet/break-careless.yaml', LISTED, 'breaks: [Agents_checked_last]');
  await put(
    'conflicts/notes-greet-tone.yaml',
    `conflict: 1
instance_id: notes-greet-tone
base: notes-greet
type: UQ-SP
system_prompt: Say goodbye.
user_query: [Say hello.]
a: { source: UQ, text: Say hello., observed: { some: { say: { has: hello } } } }
b: { source: SP, text: Say goodbye., observed: { last: { say: any }, must: { text: { has: goodbye } } } }
`,
  );
  await put('scripts/notes-greet-tone/b.yaml', saying('hello'));
  expect(await verify()).toEqual({
    code: 100,
    findings: [
      'broken_unlisted break-careless Agents_no_shell_read',
      'no_fail ToolSchema_read_before_edit',
      'missing_script',
      'wrong_side b',
      'missing_script',
      'missing_script',
    ],
    run: ['notes-greet/break-careless', 'notes-greet/follow', 'notes-greet-tone/b'],
    onRecord: 0,
  });
  expect(await recorded()).toEqual(['notes-greet/follow']);
}, 120_000);

test('what was mended or is new is run, and nothing else', async () => {
  await change('scripts/notes-greet/break-careless.yaml', 'breaks: [Agents_checked_last]', LISTED);
  await put(
    'scripts/notes-greet/break-hasty.yaml',
    `script: 1
breaks: [ToolSchema_read_before_edit]
queries:
  - - do: [{ edit: { path: greeting.txt, replace: Good morning, with: Good evening } }]
    - do: [{ run: { command: sh check.sh } }]
    - say: Done.
`,
  );
  await put('scripts/notes-greet-tone/b.yaml', saying('goodbye'));
  await put('scripts/notes-greet-tone/both.yaml', saying('hello and goodbye'));
  expect(await verify()).toEqual({
    code: 100,
    findings: ['missing_script', 'missing_script'],
    run: ['notes-greet/break-careless', 'notes-greet/break-hasty', 'notes-greet-tone/b', 'notes-greet-tone/both'],
    onRecord: 1,
  });
  expect(await recorded()).toHaveLength(5);
}, 120_000);

test('what is on record is proof enough', async () => {
  expect(await verify('-i', 'notes-greet')).toEqual({ code: 0, findings: [], run: [], onRecord: 3 });
  expect(await readdir(root)).not.toContain(`run-${runs - 1}`);
  // Of what was not asked for, the record stays.
  expect(await recorded()).toHaveLength(5);
}, 120_000);
