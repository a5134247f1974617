import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BenchError } from '../core/errors.ts';
import { assertUsable, loadDataset } from './load.ts';
import type { Instance } from './schema.ts';
import { toRow, writeRows } from './write-rows.ts';

const FIXTURES = new URL('../../test/fixtures/dataset/', import.meta.url).pathname;
const fixture = (name: string): string => join(FIXTURES, name);

let scratch = '';
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'octobench-dataset-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const byId = (instances: readonly Instance[], id: string): Instance => {
  const found = instances.find((i) => i.id === id);
  if (found === undefined) throw new Error(`no instance ${id}`);
  return found;
};

describe('published rows', () => {
  test('a byte order mark, CRLF, blank lines and U+2028 are fine', async () => {
    const { instances, problems } = await loadDataset(fixture('published.jsonl'));
    expect(instances.map((i) => i.id)).toEqual(['a', 'b', 'c']);
    expect(byId(instances, 'b').queries).toEqual(['first line\u2028second line']);
    expect(problems.filter((p) => p.severity === 'error')).toEqual([]);
  });

  test('spellings are normalized and the raw value is kept', async () => {
    const { instances } = await loadDataset(fixture('published.jsonl'));
    expect(instances.map((i) => [i.category, i.rawCategory])).toEqual([
      ['Claude.md', 'Claude.md'],
      ['User Query', 'user query'],
      ['Memory', 'memory'],
    ]);
    expect(instances.map((i) => [i.scaffold.id, i.scaffold.raw, i.scaffold.version])).toEqual([
      ['claude-code', 'claudecode', '2.0.69'],
      ['droid', 'droid', null],
      ['kilo', 'kilo-dev', '0.10.2'],
    ]);
    expect(byId(instances, 'c').checklist.categories.map((c) => [c.category, c.raw])).toEqual([
      ['Memory', 'Memory bank (project-specific rules)'],
      ['testing', 'testing'],
    ]);
  });

  test('an environment is the image without its registry host', async () => {
    const { instances } = await loadDataset(fixture('published.jsonl'));
    expect(new Set(instances.map((i) => i.environment))).toEqual(new Set(['team/depot:1']));
  });

  test('a missing version and a category outside the seven are warnings with their line', async () => {
    const { problems } = await loadDataset(fixture('published.jsonl'));
    expect(problems.map((p) => [p.severity, p.kind, p.line, p.field])).toEqual([
      ['warning', 'no_version', 3, 'scaffold.version'],
      ['warning', 'check_category', 5, 'checklist.testing'],
    ]);
  });

  test('strict makes warnings errors', async () => {
    const dataset = await loadDataset(fixture('published.jsonl'), { strict: true });
    expect(dataset.problems.map((p) => p.severity)).toEqual(['error', 'error']);
    expect(() => assertUsable(dataset)).toThrow(BenchError);
  });

  test('a repeated id is an error that names both lines', async () => {
    const { instances, problems } = await loadDataset(fixture('duplicates.jsonl'));
    expect(problems).toEqual([
      expect.objectContaining({ line: 4, severity: 'error', message: 'duplicate id "a", first on line 1' }),
    ]);
    expect(instances.map((i) => [i.id, i.systemPrompt])).toEqual([
      ['a', ''],
      ['b', ''],
    ]);
  });

  test('every problem of every row is told with line and field', async () => {
    const dataset = await loadDataset(fixture('bad.jsonl'));
    expect(dataset.instances.map((i) => i.id)).toEqual(['a']);
    expect(dataset.problems.map((p) => [p.line, p.field, p.message])).toEqual([
      [2, undefined, 'not an object'],
      [3, 'instance_id', 'is not a string'],
      [4, 'instance_id', 'is empty'],
      [5, 'instance_id', 'is missing'],
      [6, undefined, 'not JSON'],
      [7, 'user_query', 'has no query'],
      [8, 'user_query[0]', 'is empty'],
      [9, 'checklist', 'is no checklist: it has no category'],
      [10, 'checklist.SP.checks', 'has no check'],
      [11, 'checklist', 'is not an object'],
      [12, 'workspace_abs_path', 'is not an absolute path'],
      [12, 'scaffold.name', 'is missing'],
      [12, 'scaffold.version', 'is not a string'],
      [13, 'checklist.SP.checks[0].description', 'is empty'],
      [14, 'checklist.SP.checks[1].check_id', 'check id "X" is already in category "SP" of this instance'],
    ]);
  });

  test('all errors stand in one exception', async () => {
    const dataset = await loadDataset(fixture('bad.jsonl'));
    const thrown = (): unknown => {
      try {
        assertUsable(dataset);
      } catch (e) {
        return e;
      }
      return null;
    };
    const error = thrown();
    expect(error).toBeInstanceOf(BenchError);
    expect(error).toMatchObject({ code: 'input', problems: { length: 15 } });
    expect(String(error)).toContain('bad.jsonl:13 checklist.SP.checks[0].description: is empty');
  });

  test('a Skill row without its skill is a warning', async () => {
    const { instances } = await loadDataset(fixture('published.jsonl'));
    const row = { ...toRow(byId(instances, 'a')), category: 'Skill' };
    const file = join(scratch, 'skill.jsonl');
    await writeFile(file, JSON.stringify(row));
    const { instances: read, problems } = await loadDataset(file);
    expect(read).toHaveLength(1);
    expect(problems.map((p) => [p.severity, p.kind])).toEqual([
      ['warning', 'skill_unnamed'],
      ['warning', 'skill_unchecked'],
    ]);
  });

  test('unknown fields are warnings, at any depth', async () => {
    const { instances } = await loadDataset(fixture('published.jsonl'));
    const row = {
      ...toRow(byId(instances, 'a')),
      colour: 1,
      scaffold: { name: 'claudecode', version: '1', mood: 'x' },
    };
    const file = join(scratch, 'unknown.jsonl');
    await writeFile(file, JSON.stringify(row));
    const { problems } = await loadDataset(file);
    expect(problems.map((p) => [p.severity, p.field])).toEqual([
      ['warning', 'scaffold.mood'],
      ['warning', 'colour'],
    ]);
  });

  test('a source that is not there says what can be given', async () => {
    await expect(loadDataset(join(scratch, 'nothing.jsonl'))).rejects.toMatchObject({ code: 'input' });
    await expect(loadDataset(scratch)).rejects.toThrow(/no benchmark folder/);
    await expect(loadDataset('hf:nobody')).rejects.toThrow(/hf:owner\/name/);
  });

  test('include, exclude and limit choose instances', async () => {
    const ids = async (options: object): Promise<string[]> =>
      (await loadDataset(fixture('published.jsonl'), options)).instances.map((i) => i.id);
    expect(await ids({ include: ['[a', 'b', 'c*'] })).toEqual(['b', 'c']);
    expect(await ids({ exclude: ['{a,c}'] })).toEqual(['b']);
    expect(await ids({ limit: 2 })).toEqual(['a', 'b']);
    const { problems } = await loadDataset(fixture('published.jsonl'), { include: ['zz-*'] });
    expect(problems.at(-1)).toMatchObject({ kind: 'nothing_selected', severity: 'error' });
  });
});

describe('a benchmark folder', () => {
  test('ids stay as they are written', async () => {
    const { instances, problems } = await loadDataset(fixture('folder'));
    expect(problems).toEqual([]);
    expect(instances.map((i) => i.id)).toEqual(['007', 'no', 'brief-or-long']);
    const first = byId(instances, '007');
    expect(first.scaffold.version).toBe('2.0');
    expect(first.checklist.categories[0]?.checks.map((c) => c.id)).toEqual(['1e3', 'no']);
  });

  test('rules keep their types and their line', async () => {
    const { instances } = await loadDataset(fixture('folder'));
    const [count, commit] = byId(instances, '007').checklist.categories[0]?.checks ?? [];
    expect(count?.verify).toEqual({
      json: { count: { say: 'any' }, is: 1 },
      at: { file: fixture('folder/instances/007.yaml'), line: 18 },
    });
    expect(commit?.when?.at?.line).toBe(24);
  });

  test('an instance knows its environment, hidden tests and scripts', async () => {
    const { instances, environments } = await loadDataset(fixture('folder'));
    expect(byId(instances, '007')).toMatchObject({
      image: 'octobench/depot',
      environment: 'depot',
      environmentDir: fixture('folder/environments/depot'),
      workspace: '/workspace/depot',
      hiddenDir: fixture('folder/instances/007.hidden'),
      scripts: { follow: fixture('folder/scripts/007/follow.yaml') },
      solved: 'test -e made',
    });
    expect(byId(instances, 'no').hiddenDir).toBeNull();
    expect(environments.map((e) => [e.name, e.licence, e.setup])).toEqual([['depot', 'MIT', []]]);
  });

  test('a conflict differs from its base in the pair only', async () => {
    const { instances } = await loadDataset(fixture('folder'));
    const base = byId(instances, '007');
    const conflict = byId(instances, 'brief-or-long');
    expect(conflict).toMatchObject({
      conflictType: 'UQ-SP',
      conflict: { base: '007' },
      systemPrompt: base.systemPrompt,
    });
    expect(conflict.queries).not.toEqual(base.queries);
    // Positions too: they are the base's.
    expect(conflict.checklist).toEqual(base.checklist);
    expect(conflict.conflict?.b.observed).toEqual({ last: { say: 'any' }, must: { text: { lines: 1 } } });
    expect(conflict.hiddenDir).toBe(base.hiddenDir);
  });

  test('a row exported from the folder and read as JSON lines has the same digest', async () => {
    const folder = await loadDataset(fixture('folder'));
    const file = join(scratch, 'exported.jsonl');
    await writeFile(file, writeRows(folder.instances));
    const rows = await loadDataset(file);
    expect(rows.problems).toEqual([]);
    expect(rows.instances.map((i) => i.digest)).toEqual(folder.instances.map((i) => i.digest));
    expect(rows.digest).toBe(folder.digest);
    expect(rows.instances.map((i) => i.environment)).toEqual(['depot', 'depot', 'depot']);
  });

  test('what is wrong in files of our own is an error, all at once', async () => {
    const text = await readFile(fixture('folder/instances/no.yaml'), 'utf8');
    const broken = text
      .replace('instance_id: no', 'instance_id: yes')
      .replace('environment: depot', 'environment: attic')
      .replace('expected_skill: ship', 'skil: ship')
      .replace(
        / {6}- check_id: Skill_steps[\s\S]*$/,
        '      - { check_id: Skill_b, description: Check this., check_type: odd }\n',
      );
    const { readFolder } = await import('./folder.ts');
    const reading = readFolder({
      environments: [],
      instances: [{ name: 'no', file: 'no.yaml', text: broken }],
      conflicts: [{ name: 'c', file: 'c.yaml', text: 'conflict: 1\ninstance_id: c\nbase: none\n' }],
      scripts: {},
      hidden: {},
    });
    expect(reading.rows.map((r) => r.instance)).toEqual([null, null]);
    const told = reading.rows.flatMap((r) => r.problems.map((p) => [p.severity, p.file, p.line, p.kind]));
    expect(told).toEqual([
      ['error', 'no.yaml', 2, 'file_name'],
      ['error', 'no.yaml', 3, 'no_environment'],
      ['error', 'no.yaml', 7, 'unknown_field'],
      ['error', 'no.yaml', 18, 'check_type'],
      ['error', 'no.yaml', expect.any(Number), 'skill_unnamed'],
      ['error', 'no.yaml', 9, 'skill_workflow'],
      ['error', 'c.yaml', 3, 'no_base'],
    ]);
  });

  test('a syntax error names its line and does not hide the other files', async () => {
    const { readFolder } = await import('./folder.ts');
    const text = await readFile(fixture('folder/instances/007.yaml'), 'utf8');
    const env = await readFile(fixture('folder/environments/depot/environment.yaml'), 'utf8');
    const reading = readFolder({
      environments: [{ name: 'depot', dir: 'd', file: 'e.yaml', text: env }],
      instances: [
        { name: 'x', file: 'x.yaml', text: 'instance: 1\nuser_query: [a\nb: {' },
        { name: '007', file: '007.yaml', text },
      ],
      conflicts: [],
      scripts: {},
      hidden: {},
    });
    expect(reading.rows[0]?.problems[0]).toMatchObject({ kind: 'yaml', file: 'x.yaml', severity: 'error' });
    expect(reading.rows[1]?.instance?.id).toBe('007');
  });
});
