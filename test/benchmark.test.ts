import { readdir, readFile, stat } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lintBenchmark } from '../src/checklist/lint.ts';
import { loadDataset } from '../src/dataset/load.ts';
import type { Dataset } from '../src/dataset/schema.ts';
import { readHistory } from '../src/environment/history.ts';
import { parseRule } from '../src/judge/parse.ts';
import { parseScript, type Script } from '../src/recording/script.ts';

/* What can be said of the benchmark without running it: its files fit together, and every check has a script that breaks it. */

const ROOT = new URL('../benchmark', import.meta.url).pathname;
const dataset: Dataset = await loadDataset(ROOT);
const plain = dataset.instances.filter((i) => i.conflict === undefined);

const filesIn = async (dir: string): Promise<string[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name).slice(dir.length + 1));
};

const scriptsOf = async (scripts: Record<string, string>): Promise<[name: string, script: Script][]> =>
  Promise.all(
    Object.entries(scripts).map(
      async ([name, file]) => [name, parseScript(await readFile(file, 'utf8'), file)] as [string, Script],
    ),
  );

test('it loads without a problem and the linter has nothing to say', () => {
  expect(dataset.problems).toEqual([]);
  expect(lintBenchmark(dataset)).toEqual([]);
});

test('every rule is one, those of conflicts too', () => {
  const checks = dataset.instances.flatMap((i) => i.checklist.categories.flatMap((c) => c.checks));
  const rules = checks.flatMap((c) => [c.verify, c.when].flatMap((r) => (r === undefined ? [] : [r.json])));
  const observed = dataset.instances.flatMap((i) => (i.conflict ? [i.conflict.a.observed, i.conflict.b.observed] : []));
  for (const json of [...rules, ...observed]) {
    const parsed = parseRule(json);
    expect('rule' in parsed ? [] : parsed.problems, JSON.stringify(json)).toEqual([]);
  }
});

test('the six primary categories all occur', () => {
  expect(new Set(plain.map((i) => i.category)).size).toBe(6);
});

describe.each(plain.map((i) => [i.id, i] as const))('%s', (_, instance) => {
  const checks = instance.checklist.categories.flatMap((c) => c.checks);

  test('has hidden tests and a command for them', async () => {
    expect(instance.solved).toContain('$HIDDEN');
    expect((await filesIn(instance.hiddenDir ?? '')).length).toBeGreaterThan(0);
  });

  test('scripts that follow do at least eight actions for as many queries as there are, and break nothing', async () => {
    const follows = (await scriptsOf(instance.scripts)).filter(([name]) => name.startsWith('follow'));
    expect(follows.length).toBeGreaterThan(0);
    for (const [name, script] of follows) {
      expect(script.breaks, name).toEqual([]);
      expect(script.queries.length, name).toBe(instance.queries.length);
      expect(script.queries.flat().flatMap((turn) => turn.do ?? []).length, name).toBeGreaterThanOrEqual(8);
    }
  });

  test('every check with a rule is broken by a script, and scripts break checks that exist', async () => {
    const breaking = (await scriptsOf(instance.scripts)).filter(([name]) => name.startsWith('break'));
    const broken = new Set(breaking.flatMap(([, script]) => script.breaks));
    expect(checks.filter((c) => c.verify !== undefined && !broken.has(c.id)).map((c) => c.id)).toEqual([]);
    expect([...broken].filter((id) => !checks.some((c) => c.id === id))).toEqual([]);
    for (const [name, script] of breaking) expect(script.queries.length, name).toBe(instance.queries.length);
  });

  test('a source that names a line of a file names one that is there', async () => {
    const workspace = join(instance.environmentDir ?? '', 'workspace');
    for (const { id, source } of checks) {
      const [, file, line] = /^(\S+\.md):(\d+)$/.exec(source ?? '') ?? [];
      if (file === undefined) continue;
      const lines = (await readFile(join(workspace, file), 'utf8')).split('\n');
      expect(lines[Number(line) - 1]?.trim(), `${id}: ${source}`).toBeTruthy();
    }
  });
});

describe.each(dataset.environments.map((e) => [e.name, e] as const))('environment %s', (_, environment) => {
  const workspace = join(environment.dir, 'workspace');

  test('its history takes files that are there', async () => {
    const file = join(environment.dir, 'history.yaml');
    const { entries, problems } = readHistory(await readFile(file, 'utf8'), file);
    expect(problems).toEqual([]);
    const files = await filesIn(workspace);
    const unmatched = entries.flatMap((e) => e.paths ?? []).filter((glob) => !files.some((f) => matchesGlob(f, glob)));
    expect(unmatched).toEqual([]);
    expect(entries.map((e) => Date.parse(e.date))).toEqual(
      entries.map((e) => Date.parse(e.date)).sort((a, b) => a - b),
    );
  });

  test('nothing of a checklist stands in the workspace', async () => {
    const ids = dataset.instances.flatMap((i) =>
      i.checklist.categories.flatMap((c) => c.checks.map((check) => check.id)),
    );
    for (const file of await filesIn(workspace)) {
      const path = join(workspace, file);
      if ((await stat(path)).size > 1_000_000) continue;
      const text = await readFile(path, 'utf8');
      expect(
        ids.filter((id) => text.includes(id)),
        file,
      ).toEqual([]);
    }
  });
});
