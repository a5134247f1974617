import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadDataset } from '../../src/dataset/load.ts';
import { reportConflicts } from '../../src/pipeline/conflict.ts';
import type { ConflictCase } from '../../src/pipeline/conflict-cases.ts';
import { type ExportFormat, exportSource } from '../../src/pipeline/export.ts';
import { refineExperiment } from '../../src/pipeline/refine.ts';
import type { Refinement } from '../../src/pipeline/refine-report.ts';
import { runExperiment } from '../../src/pipeline/run.ts';
import { checkAtif } from '../../src/trajectory/check-atif.ts';
import { installFake } from '../fakes/claude-code/install.ts';
import { careful, startJudge } from '../fakes/judge/server.ts';

const CONFIG = fileURLToPath(new URL('../fixtures/analysis/experiment.yaml', import.meta.url));
const BENCHMARK = fileURLToPath(new URL('../fixtures/analysis/benchmark', import.meta.url));

let root = '';
let dir = '';
let env: NodeJS.ProcessEnv = {};
const never = new AbortController().signal;
const hooks = { onProgress: () => undefined, drain: never, stop: never, view: { width: 100, color: false } };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'octobench-analyses-'));
  dir = join(root, 'experiment');
  env = { ...process.env, OCTOBENCH_CACHE: join(root, 'cache') };
  await installFake(join(root, 'cache'));
  await runExperiment({
    ...hooks,
    config: CONFIG,
    overrides: {},
    env,
    cwd: root,
    output: dir,
    dryRun: false,
    failUnder: null,
  });
}, 120_000);
afterAll(() => rm(root, { recursive: true, force: true }));

describe('conflict', () => {
  test('tells whom each model followed, by what, and how', async () => {
    const { text, json, unscored } = await reportConflicts(dir, { dataset: null, env, signal: never });
    const { cases } = json as { cases: ConflictCase[] };
    const [a, b] = ['script/a', 'script/b'].map((model) => cases.find((c) => c.model === model));
    expect(unscored).toBe(0);
    expect(a).toMatchObject({ type: 'UQ vs SP', scenario: 'safety', followed: 'a' });
    expect(a?.a?.excerpt).toContain('git reset --hard');
    expect(a?.pattern?.pattern).toBe('surface_compliance');
    expect(a?.pattern?.at.map((c) => c.turn)).toEqual([0, 1, 1]);
    expect(b).toMatchObject({ followed: 'b', pattern: { pattern: 'refusal_with_alternative' } });
    expect(b?.decided).toMatchObject({ at: { turn: 1 }, excerpt: expect.stringContaining('it is forbidden here') });
    expect(text).toMatch(/script\/a \| UQ vs SP \| 100\.00 \| 2\.5–100\.0 \| 1 \| 0/);
    expect(text).toMatch(/script\/b: followed SP \(refusal with a safe alternative\)/);
  });
});

describe('conflict by LLM judges', () => {
  const judged = async (name: string, decide: Parameters<typeof startJudge>[1]) => {
    const copy = join(root, name);
    await cp(dir, copy, { recursive: true });
    const file = JSON.parse(await readFile(join(copy, 'experiment.json'), 'utf8'));
    const judge = await startJudge('anthropic', decide);
    const provider = { id: 'fake', protocol: 'anthropic', baseUrl: judge.url, keyEnv: null, concurrency: 1, rpm: null };
    file.experiment.panel = 'paper';
    file.experiment.providers.push(provider);
    file.experiment.judges = [{ id: 'j', model: 'fake/j', granularity: 'category', samples: 1, settings: {} }];
    await writeFile(join(copy, 'experiment.json'), JSON.stringify(file));
    try {
      const { json } = await reportConflicts(copy, { dataset: null, env, signal: never });
      return { cases: (json as { cases: ConflictCase[] }).cases, asked: judge.asked };
    } finally {
      await judge.close();
    }
  };

  test('each pair is asked in both orders, and the quote that decided is shown', async () => {
    const { cases, asked } = await judged(
      'paper',
      careful(({ question }, { record }) => {
        const [undone, refused] = ['The last commit is undone.', 'it is forbidden here'];
        const user = question.includes('Run git reset');
        const quote = record.includes(undone) ? undone : refused;
        const followed = user === record.includes(undone);
        const evidence = [{ turn: quote === undone ? 2 : 1, thread: 'main', quote }];
        return { result: followed ? 'success' : 'fail', evidence, grounds: 'act' };
      }),
    );
    const orders = asked.map((a) => a.questions.findIndex((q) => q.question.includes('Run git reset')));
    expect(asked).toHaveLength(4);
    expect(new Set(orders).size).toBe(2);
    expect(cases.map((c) => [c.model, c.followed, c.by, c.a?.excerpt]).sort()).toEqual([
      ['script/a', 'a', 'llm', 'The last commit is undone.'],
      ['script/b', 'b', 'llm', 'it is forbidden here'],
    ]);
  }, 60_000);

  test('a judge that goes by the order of the two is not believed', async () => {
    const { cases } = await judged(
      'biased',
      careful(({ check_id }, { record }) => {
        const quote = record.includes('is undone.') ? 'is undone.' : 'it is forbidden here';
        const evidence = [{ turn: 1, thread: 'main', quote }];
        return { result: check_id === 'order-0' ? 'success' : 'fail', evidence, grounds: 'act' };
      }),
    );
    expect(cases.map((c) => c.followed)).toEqual(['unscored', 'unscored']);
    expect(cases[0]?.a?.reason).toContain('change places');
  }, 60_000);
});

describe('refine', () => {
  test('runs the partial failure again in three arms, and goes on where it was', async () => {
    const refine = () => refineExperiment(dir, { ...hooks, env, holdBack: null, dryRun: false });
    const first = (await refine()).result as Refinement & { selected: { key: string; feedback: string }[] };
    expect(first.selected.map((s) => s.key)).toEqual([expect.stringContaining('script-a')]);
    const [key] = await readdir(join(dir, 'refine', 'feedback', 'rollouts'));
    const asked = async (arm: string): Promise<string> => {
      const { planned } = JSON.parse(await readFile(join(dir, 'refine', arm, 'experiment.json'), 'utf8'));
      return String(planned[0].queries ?? '');
    };
    expect(await asked('feedback')).toContain('Wanted: The assistant ran check.sh before it answered');
    expect(await asked('generic')).toContain('follow every instruction');
    expect(await asked('none')).toBe('');
    const sent = await readFile(join(dir, 'refine', 'feedback', 'rollouts', String(key), 'trajectory.json'), 'utf8');
    expect(sent).toContain('Wanted: The assistant ran check.sh');
    // A script plays the same again: nothing is gained, in no arm.
    expect(first.changes.map((c) => [c.arm, c.told, c.repairedTold, c.newlyBroken])).toEqual([
      ['feedback', 1, 0, 0],
      ['none', 1, 0, 0],
      ['generic', 1, 0, 0],
    ]);
    expect(first.arms.find((a) => a.model === 'script/a')?.selected.csr).toMatchObject({ before: 0.5, after: 0.5 });
    expect(first.differences.every((d) => d.value === 0)).toBe(true);
    const again = (await refine()).result as Refinement;
    expect(again.arms).toEqual(first.arms);
    expect(await readdir(join(dir, 'refine', 'feedback', 'rollouts', String(key)))).not.toContain('attempt-1');
    await expect(refineExperiment(dir, { ...hooks, env, holdBack: 0.5, dryRun: false })).rejects.toThrow(/begun with/);
  }, 120_000);
});

describe('export', () => {
  const to = async (format: ExportFormat, more: { withTraces?: boolean; source?: string } = {}): Promise<string> => {
    const output = join(root, 'out', `${format}${more.withTraces === true ? '-traces' : ''}`);
    const options = { format, output, dataset: null, withTraces: more.withTraces === true, env };
    await exportSource(more.source ?? dir, options);
    return output;
  };
  const everything = async (folder: string): Promise<string> => {
    const names = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = names.filter((n) => n.isFile());
    return (await Promise.all(files.map((f) => readFile(join(f.parentPath, f.name), 'utf8')))).join('\n');
  };

  test('csv: a row a verdict', async () => {
    const lines = (await readFile(join(await to('csv'), 'verdicts.csv'), 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^rollout,instance,environment,/);
    expect(lines).toHaveLength(1 + 4);
    expect(lines.filter((l) => l.includes(',Agents_checked,compliance,fail,'))).toHaveLength(1);
  });

  test('parquet: the same table', async () => {
    const bytes = await readFile(join(await to('parquet'), 'verdicts.parquet'));
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(4);
    const failed = rows.filter((r) => r.verdict === 'fail');
    expect(failed).toEqual([
      expect.objectContaining({ model: 'script/a', check: 'Agents_checked', repeat: 0, solved: null }),
    ]);
  });

  test('trajectories, and raw calls only when asked for', async () => {
    const [atif] = await readdir(await to('atif'));
    expect(checkAtif(JSON.parse(await readFile(join(root, 'out', 'atif', String(atif)), 'utf8')))).toEqual([]);
    expect(await everything(await to('markdown'))).toContain('git revert HEAD');
    const [paper] = (await everything(await to('paper'))).split('\n');
    expect(Object.keys(JSON.parse(String(paper)))).toEqual(['meta', 'tools', 'messages']);
    expect(await readdir(join(root, 'out', 'paper'))).not.toContain('traces');
    const traces = await readdir(join(await to('paper', { withTraces: true }), 'traces'), { recursive: true });
    expect(traces.filter((t) => t.endsWith('calls.jsonl.zst'))).toHaveLength(2);
  });

  test('hf: a dataset that has the same digest when it is read again', async () => {
    const before = await loadDataset(BENCHMARK);
    const folder = await to('hf', { source: BENCHMARK });
    expect((await readdir(folder)).sort()).toEqual(['README.md', 'conflicts.jsonl', 'instances.jsonl']);
    const read = [...(await readdir(folder))]
      .filter((f) => f.endsWith('.jsonl'))
      .map((f) => loadDataset(join(folder, f)));
    const after = (await Promise.all(read)).flatMap((d) => d.instances.map((i) => [i.id, i.digest]));
    expect(after.sort()).toEqual(before.instances.map((i) => [i.id, i.digest]).sort());
    const card = await readFile(join(folder, 'README.md'), 'utf8');
    expect(card).toMatch(/^---\npretty_name: benchmark\nlicense: mit\n/);
    expect(card).toContain(before.digest);
  });
});
