import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BenchError } from '../core/errors.ts';
import { readExperiment } from './experiment.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octobench-experiment-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const read = async (text: string, over = {}, env: NodeJS.ProcessEnv = {}) => {
  const file = join(dir, 'e.yaml');
  await writeFile(file, text);
  return (await readExperiment(file, over, env)).experiment;
};
const problemsOf = (text: string, env: NodeJS.ProcessEnv = {}): Promise<[number | undefined, string | undefined][]> =>
  read(text, {}, env).then(
    () => [],
    (e: unknown) =>
      e instanceof BenchError
        ? e.problems.map((p): [number | undefined, string | undefined] => [p.line, p.field])
        : Promise.reject(e),
  );

const variable = (name: string): string => ['$', '{', name, '}'].join('');

const LEAST = 'experiment: 1\ndataset: { source: ./data.jsonl }\nmodels: [script/careful]\n';

test('what is left out has its default', async () => {
  expect(await read(LEAST)).toMatchObject({
    name: 'e',
    repeats: 1,
    concurrency: 2,
    panel: 'hybrid',
    sandbox: null,
    variants: [{ id: 'base', files: {} }],
    limits: { wallMs: 1_800_000, firstCallMs: 60_000, silenceMs: 600_000, calls: 300, tokens: null },
  });
});

test('side models default to the main one; those of a script are told apart', async () => {
  const { models } = await read(
    `${LEAST.replace('script/careful', 'script/careful, anthropic/m, { id: anthropic/m, small: anthropic/s }')}`,
  );
  expect(models.map((m) => m.names)).toEqual([
    { main: 'careful', small: 'careful-small', subagent: 'careful-subagent' },
    { main: 'm', small: 'm', subagent: 'm' },
    { main: 'm', small: 's', subagent: 'm' },
  ]);
});

test('flags win over the file, and a dataset named by flag brings no selection of the file', async () => {
  const text = LEAST.replace('source: ./data.jsonl', 'source: ./data.jsonl, include: [a*]');
  expect((await read(text, { repeats: 4, dataset: 'other.jsonl' })).dataset).toEqual({
    source: 'other.jsonl',
    include: [],
    exclude: [],
    limit: null,
  });
  expect((await read(text, { repeats: 4 })).repeats).toBe(4);
});

test('variables are expanded; one that is not set or looks like a secret is a problem with its line', async () => {
  const text = LEAST.replace('./data.jsonl', `"${variable('WHERE')}/data.jsonl"`);
  expect((await read(text, {}, { WHERE: '/x' })).dataset.source).toBe('/x/data.jsonl');
  expect(await problemsOf(text)).toEqual([[2, 'dataset.source']]);
  expect(await problemsOf(LEAST.replace('./data.jsonl', `"${variable('HF_TOKEN')}"`), { HF_TOKEN: 'x' })).toEqual([
    [2, 'dataset.source'],
  ]);
});

test('every problem is told at once', async () => {
  const text = `${LEAST}repeats: 0\nlimits: { wall: soon }\nproviders: { mine: { protocol: telnet, base_url: x } }\nextra: 1\n`;
  expect((await problemsOf(text)).map(([line]) => line)).toEqual(expect.arrayContaining([4, 5, 6, 7]));
});

test('variant files are read; one that is not there is a problem', async () => {
  await writeFile(join(dir, 'short.md'), '# Short');
  const text = `${LEAST}variants:\n  - { id: base }\n  - id: short\n    files:\n      CLAUDE.md: ./short.md\n`;
  expect((await read(text)).variants[1]?.files).toEqual({ 'CLAUDE.md': '# Short' });
  expect(await problemsOf(text.replace('short.md', 'none.md'))).toEqual([[8, 'variants[1].files.CLAUDE.md']]);
});
