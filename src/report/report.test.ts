import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sampleReport, sampleTrajectory, withRollouts } from '../../test/fixtures/report/sample.ts';
import { resultJson } from './result.ts';
import { writeReport, writeTables } from './store.ts';
import { terminalSummary } from './terminal.ts';

const made: string[] = [];
const folder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'report-'));
  made.push(dir);
  return dir;
};
afterEach(async () => {
  for (const dir of made.splice(0)) await rm(dir, { recursive: true, force: true });
});

test('the terminal shows figures, broken rules with turn and quote, and what nobody could decide', () => {
  const text = terminalSummary(sampleReport().data, { width: 110, color: false });
  expect(text).toMatch(/script\/careful +100\.0% .* 100\.0%/);
  expect(text).toMatch(/script\/careless +0\.0%/);
  expect(text).toContain('cart-claude-md · ClaudeMd_commit_format · turn 3');
  expect(text).toContain("git commit -am 'stuff'");
  expect(text).toContain('Unscored: 2 verdicts (2 no_judge)');
  expect(Math.max(...text.split('\n').map((l) => l.length))).toBeLessThanOrEqual(110);
});

test('where nothing was decided nobody says that no rule was broken', () => {
  const { data } = sampleReport();
  const open = data.rollouts.map((r) => ({
    ...r,
    outcome: null,
    rows: r.rows.map((row) => ({ ...row, verdict: 'unscored' as const, reason: 'no_judge' })),
  }));
  const text = terminalSummary(withRollouts(data, open), { width: 100, color: false });
  expect(text).toContain('No check was decided');
  expect(text).toContain('Of 8 rollouts: 8 imported.');
  expect(text).toMatch(/script\/careful +n\/a/);
});

test('many models: the terminal is never wider than it is told, and no model is left out', () => {
  const { data } = sampleReport();
  const rollouts = Array.from({ length: 9 }, (_, m) =>
    data.rollouts
      .slice(0, 2)
      .map((r) => ({ ...r, key: `${r.key}${m}`, model: `vendor-${m}/${r.model}-with-a-long-name` })),
  ).flat();
  const text = terminalSummary(withRollouts(data, rollouts), { width: 80, color: false });
  expect(Math.max(...text.split('\n').map((l) => l.length))).toBeLessThanOrEqual(80);
  for (let m = 0; m < 9; m++) expect(text).toContain(`vendor-${m}/script/`);
});

test('each table is written in every format, and what a former run left is gone', async () => {
  const { data } = sampleReport();
  const dir = await folder();
  await writeTables(dir, [{ id: 'old one', title: '', columns: [], rows: [] }]);
  await writeTables(dir, data.tables ?? []);
  expect((await readdir(join(dir, 'tables'))).sort()).toEqual(
    ['table-12', 'table-2', 'table-3'].flatMap((t) => ['csv', 'json', 'md', 'tex'].map((e) => `${t}.${e}`)),
  );
  expect(await readFile(join(dir, 'tables', 'table-2.csv'), 'utf8')).toContain('script/careless,0.00,');
});

test('the page holds everything, and each broken check is pinned to its turn', async () => {
  const { data, trajectories } = sampleReport();
  const dir = await folder();
  const written = await writeReport(dir, data, { trajectory: async (key) => trajectories.get(key) ?? null });
  const page = await readFile(written.index, 'utf8');
  expect(written.trajectories).toBe(0);
  expect(page).toContain('id="r1-t0-3"');
  expect(page).toMatch(/Broken here: <a href="#r1-c2">ClaudeMd_commit_format<\/a>/);
  expect(page).toMatch(/<a href="#r1-t0-3">turn 3<\/a>/);
  expect(page).toContain('Not shown: 1 auxiliary thread (title)');
  expect(page).toContain('compaction');
  expect(page.split('<script>')[0]).not.toMatch(/NaN|undefined|\[object/);
  const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((m) => m[1]));
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map((m) => m[1]);
  expect(links.filter((l) => !ids.has(l))).toEqual([]);
});

test('each chart is a file of its own, whole and drawn the same each time', async () => {
  const { data } = sampleReport();
  const read = async (): Promise<Map<string, string>> => {
    const dir = await folder();
    await writeReport(dir, data);
    const names = (await readdir(join(dir, 'figures'))).sort();
    return new Map(
      await Promise.all(
        names.map(async (n): Promise<[string, string]> => [n, await readFile(join(dir, 'figures', n), 'utf8')]),
      ),
    );
  };
  const figures = await read();
  expect([...figures.keys()]).toContain('0-isr-by-model-with-its-95-interval.svg');
  expect(figures.size).toBe(4);
  for (const svg of figures.values())
    expect(svg).toMatch(/^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"[\s\S]*<\/svg>\n$/);
  expect(await read()).toEqual(figures);
});

test('over the limit rollouts lie beside the page as scripts, and the page names each', async () => {
  const { data, trajectories } = sampleReport();
  const dir = await folder();
  const written = await writeReport(dir, data, {
    inlineUpTo: 50_000,
    trajectory: async (key) => trajectories.get(key) ?? null,
  });
  expect(written.trajectories).toBe(8);
  const page = await readFile(written.index, 'utf8');
  const sources = [...page.matchAll(/data-src="([^"]+)"/g)].map((m) => m[1] ?? '');
  expect(sources).toHaveLength(8);
  const script = await readFile(join(dir, sources[1] ?? ''), 'utf8');
  const seen: string[][] = [];
  new Function('octobenchRollout', script)((id: string, markup: string) => seen.push([id, markup]));
  expect(seen[0]?.[0]).toBe('r1');
  expect(seen[0]?.[1]).toContain('git commit -am');
});

/* One text that tries everything, and two that are names of things every object has. */
const HOSTILE = [
  [
    '</script><script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"\'><b>bold</b>',
    '\u001b[31mred\u001b[0m\u001b]0;title\u0007',
    '\u202eevil\u2066',
    'lone \ud800 surrogate \u2028 line',
  ].join(' '),
  '__proto__',
  'constructor',
];

/** Terminal escapes, bells and direction marks. */
const unseen = (text: string): boolean => ['\u001b', '\u0007', '\u202e', '\u2066'].some((c) => text.includes(c));

test.each(HOSTILE)('hostile text %j is shown as text everywhere', async (text) => {
  const { data, trajectories } = sampleReport();
  const first = data.rollouts[1];
  if (first === undefined) throw new Error('no rollout');
  const rows = first.rows.map((r) => ({
    ...r,
    check: `${r.check}${text}`,
    judge: text,
    category: text,
    reason: text,
    evidence: r.evidence.map((e) => ({ ...e, quote: text, path: text })),
  }));
  const hostile = { ...first, model: text, reason: text, scaffold: text, rows };
  trajectories.set(first.key, sampleTrajectory(text, text, false));
  const changed = withRollouts({ ...data, experiment: { ...data.experiment, name: text, notes: [text] } }, [
    hostile,
    ...data.rollouts.slice(2),
  ]);
  for (const inlineUpTo of [5_000_000, 10]) {
    const dir = await folder();
    const written = await writeReport(dir, changed, {
      inlineUpTo,
      trajectory: async (key) => trajectories.get(key) ?? null,
    });
    const page = await readFile(written.index, 'utf8');
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|<b>bold/);
    expect(unseen(page)).toBe(false);
    expect(page.isWellFormed()).toBe(true);
  }
  const printed = terminalSummary(changed, { width: 100, color: false });
  expect(unseen(printed)).toBe(false);
});

test('a line of a megabyte is cut with a mark, and the page stays small', async () => {
  const { data } = sampleReport();
  const dir = await folder();
  const long = sampleTrajectory('x', 'x'.repeat(1_000_000), true);
  const written = await writeReport(dir, data, { trajectory: async () => long });
  expect(written.bytes).toBeLessThan(1_500_000);
  expect(await readFile(written.index, 'utf8')).toContain('characters not shown');
});

test('result.json has every figure and no NaN', () => {
  const { data } = sampleReport();
  const file = JSON.parse(JSON.stringify(resultJson(data))) as ReturnType<typeof resultJson>;
  expect(file.results.models.map((m) => [m.by.model, m.score.isr])).toEqual([
    ['script/careful', 1],
    ['script/careless', 0],
  ]);
  expect(file.rollouts).toHaveLength(8);
});
