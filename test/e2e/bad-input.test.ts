import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from '../cli.ts';

let dir = '';
const file = async (name: string, text: string): Promise<string> => {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
};
const row = (more: object = {}): string =>
  JSON.stringify({
    instance_id: 'one',
    user_query: ['Do it.'],
    system_prompt: '',
    category: 'SP',
    image: 'registry.example/team/image:1',
    workspace_abs_path: '/app',
    scaffold: { name: 'claudecode', version: '2.0.69' },
    checklist: {
      SP: {
        description: 'd',
        checks: [{ check_id: 'SP_x', description: 'Check whether x', check_type: 'compliance' }],
      },
    },
    ...more,
  });

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'octobench-bad-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Exit code 2, what is wrong and what to do, no stack trace, nothing on stdout. */
const refuses = async (args: string[], said: RegExp, env: Record<string, string> = {}): Promise<void> => {
  const { code, stdout, stderr } = await cli(args, { env, cwd: dir });
  expect(stderr).toMatch(said);
  expect(stderr).not.toMatch(/^\s+at .*\(|node:internal|fault of octobench/m);
  expect(stdout).toBe('');
  expect(code).toBe(2);
};

test('an unknown flag names the nearest one', () =>
  refuses(['run', '--modle', 'x'], /unknown option '--modle'.*--model/));
test('an unknown command names the nearest one', () => refuses(['rnu'], /unknown command 'rnu'.*run/));
test('a missing experiment file', () =>
  refuses(['run', '-c', 'none.yaml'], /no experiment file none\.yaml.*octobench init/));
test('broken YAML is named with its line', async () => {
  const path = await file('broken.yaml', 'experiment: 1\nmodels: [a\n');
  await refuses(['run', '-c', path], /broken\.yaml:\d+/);
});
test('every wrong field is named with line and field', async () => {
  const path = await file(
    'fields.yaml',
    'experiment: 1\ndataset: { source: x.jsonl }\nmodels: [script/careful]\nrepeets: 2\nconcurrency: none\n',
  );
  await refuses(['run', '-c', path], /fields\.yaml:4 repeets: unknown field[\s\S]*fields\.yaml:5 concurrency/);
});
test('an unknown scaffold names what there is', async () => {
  const rows = await file('rows.jsonl', row());
  await refuses(
    ['run', '-d', rows, '-m', 'anthropic/x', '-s', 'claud-code'],
    /unknown scaffold "claud-code".*claude-code/,
    {
      ANTHROPIC_API_KEY: 'sk-test',
    },
  );
});
test('a model without a provider, and an unknown provider', async () => {
  const rows = await file('rows.jsonl', row());
  await refuses(['run', '-d', rows, '-m', 'careful'], /"careful" is no model.*provider\/name/);
  await refuses(['run', '-d', rows, '-m', 'antropic/x'], /unknown provider "antropic".*anthropic/);
});
test('a scripted model without a script for the row', async () => {
  const rows = await file('rows.jsonl', row());
  await refuses(['run', '-d', rows, '-m', 'script/careful'], /one has no script "follow"/);
});
test('no API key says which variable to set', async () => {
  const rows = await file('rows.jsonl', row());
  await refuses(['run', '-d', rows, '-m', 'anthropic/x', '--sandbox', 'local', '-o', 'out'], /set ANTHROPIC_API_KEY/);
});
test('a secret in a file is refused', async () => {
  const path = await file(
    'secret.yaml',
    `experiment: 1\ndataset: { source: "\${MY_API_KEY}" }\nmodels: [script/careful]\n`,
  );
  await refuses(['run', '-c', path], /secret\.yaml:2.*looks like a secret/, { MY_API_KEY: 'x' });
});
test('a port that is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await refuses(
    ['proxy', '--upstream', 'anthropic', '--listen', `127.0.0.1:${port}`, '--out', 'rec'],
    new RegExp(`${port}`),
    { ANTHROPIC_API_KEY: 'sk-test' },
  );
  server.close();
});
test('a rule that is none is named with its field', async () => {
  const check = {
    check_id: 'SP_x',
    description: 'Check whether x',
    check_type: 'compliance',
    verify: { use: 'read_befor_edit' },
  };
  const rows = await file('rule.jsonl', row({ checklist: { SP: { description: 'd', checks: [check] } } }));
  await refuses(['run', '-d', rows, '-m', 'anthropic/x'], /rule\.jsonl:1 .*SP_x\.verify.*read_before_edit/, {
    ANTHROPIC_API_KEY: 'x',
  });
});
test('a dataset with several faults names them all', async () => {
  const rows = await file('bad.jsonl', [row(), row(), '{', row({ instance_id: 'two', checklist: {} })].join('\n'));
  const { code, stdout } = await cli(['validate', rows], { cwd: dir });
  expect(stdout).toMatch(/bad\.jsonl:2[\s\S]*bad\.jsonl:3[\s\S]*bad\.jsonl:4/);
  expect(code).toBe(2);
});
test('a number that is none, and a directory that is no experiment', async () => {
  await refuses(['run', '-n', 'many'], /whole number above 0/);
  await refuses(['resume', dir], /is no experiment/);
  await refuses(['report', join(dir, 'nothing')], /is no experiment/);
});
