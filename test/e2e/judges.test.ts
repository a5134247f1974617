import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliResult, cli } from '../cli.ts';
import { installFake } from '../fakes/claude-code/install.ts';
import { type AskedRequest, careful, type JudgeAct, type ScriptedJudge, startJudge } from '../fakes/judge/server.ts';

const BENCHMARK = fileURLToPath(new URL('../fixtures/pipeline/benchmark', import.meta.url));
const WRONG = 'Agents_no_shell_read';

let root = '';
let dir = '';
let ran: CliResult;
const judges: ScriptedJudge[] = [];
const failed = new Set<string>();
const asked = new Set<string>();

const instanceOf = (request: AskedRequest): string =>
  request.record.includes('farewell') ? 'notes-two-steps' : 'notes-greet';
const quoteFrom = (request: AskedRequest): string => (instanceOf(request) === 'notes-greet' ? 'greeting' : 'farewell');
/** Says fail of the checks named, success of all others. */
const saying = (...wrong: string[]) =>
  careful((q, request) =>
    wrong.includes(q.check_id)
      ? { result: 'fail', grounds: 'act', evidence: [{ turn: 0, thread: '', quote: quoteFrom(request) }] }
      : { result: 'success' },
  );
const kind = saying();
const strict = saying(WRONG);

let state = 11;
const random = (): number => {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
};
/** As kind, but fails on some requests, drawn by a seed. */
const moody = (request: AskedRequest): JudgeAct => {
  const what = `${instanceOf(request)}/${request.questions[0]?.category}`;
  asked.add(what);
  if (random() < 0.5) {
    failed.add(what);
    return { status: 402, message: 'no credit' };
  }
  return kind(request);
};

const env = (): Record<string, string> => ({
  OCTOBENCH_CACHE: join(root, 'cache'),
  JUDGE_KEY: 'secret-judge-key-1234',
});
const result = async () => JSON.parse(await readFile(join(dir, 'result.json'), 'utf8'));
const verdictsOf = async (judge: string): Promise<{ check: string; verdict: string; reason: string; by: string }[]> => {
  const keys = await readdir(join(dir, 'rollouts'));
  const files = await Promise.all(
    keys.map((key) => readFile(join(dir, 'rollouts', key, 'verdicts', `${judge}.json`), 'utf8')),
  );
  return files.flatMap((text) => JSON.parse(text).samples[0].verdicts);
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'octobench-judges-'));
  dir = join(root, 'experiment');
  await installFake(join(root, 'cache'));
  judges.push(
    await startJudge('anthropic', strict),
    await startJudge('openai-chat', kind),
    await startJudge('gemini', moody),
  );
  const [a, b, c] = judges.map((j) => j.url);
  const config = join(root, 'experiment.yaml');
  await writeFile(
    config,
    `experiment: 1
name: judged
dataset: { source: ${BENCHMARK} }
models: [script/careful]
panel: paper
providers:
  one: { protocol: anthropic, base_url: "${a}", key_env: JUDGE_KEY }
  two: { protocol: openai-chat, base_url: "${b}/v1" }
  three: { protocol: gemini, base_url: "${c}" }
judges:
  - { id: strict, model: one/judge-1 }
  - { id: kind, model: two/judge-2 }
  - { id: moody, model: three/judge-3 }
sandbox: local
limits: { wall: 60s }
`,
  );
  ran = await cli(['run', '-c', config, '-o', dir, '-q'], { env: env() });
}, 120_000);
afterAll(async () => {
  await Promise.all(judges.map((j) => j.close()));
  await rm(root, { recursive: true, force: true });
});

test('a panel of three, of known error, one failing at random: figures, coverage and agreement by hand', async () => {
  expect(ran.stderr).toBe('');
  expect(ran.code).toBe(0);
  expect(failed.size).toBeGreaterThan(0);
  expect(failed.size).toBeLessThan(asked.size);
  const instances = {
    'notes-greet': { 'Agents.md': [WRONG, 'Agents_checked_last'], 'Tool schema': ['ToolSchema_read_before_edit'] },
    'notes-two-steps': { 'User query': ['UserQuery_file_created', 'UserQuery_no_emoji'], 'Agents.md': [WRONG] },
  };
  // strict: 2 of 3 in both instances, none passes; kind: all; moody: all that it judged.
  const whole = Object.keys(instances).filter((i) => ![...failed].some((f) => f.startsWith(`${i}/`)));
  const some = Object.entries(instances).filter(([i, c]) => Object.keys(c).some((k) => !failed.has(`${i}/${k}`)));
  const moodyIsr = whole.length === 0 ? [] : [1];
  const moodyCsr = some.length === 0 ? [] : [1];
  const mean = (list: number[]): number => list.reduce((s, x) => s + x, 0) / list.length;
  const { score } = (await result()).results.models[0];
  expect(score.isr).toBeCloseTo(mean([0, 1, ...moodyIsr]), 10);
  expect(score.csr).toBeCloseTo(mean([2 / 3, 1, ...moodyCsr]), 10);
  expect(score.coverage).toBeCloseTo(mean([1, 1, whole.length / 2]), 10);
  expect(score.byJudge.strict.isr).toBe(0);
  // Three agree but on the wrong one, where moody, if it spoke, sides with kind: 1 pair of 3.
  const pairs = Object.entries(instances).flatMap(([i, categories]) =>
    Object.entries(categories).flatMap(([category, checks]) =>
      checks.map((check) => (check !== WRONG ? 1 : failed.has(`${i}/${category}`) ? 0 : 1 / 3)),
    ),
  );
  expect((await result()).results.agreement[0].raw).toBeCloseTo(mean(pairs), 10);
});

test('a failure is unscored with its reason, and nobody else is disturbed', async () => {
  const open = (await verdictsOf('moody')).filter((v) => v.verdict === 'unscored');
  expect(open.length).toBeGreaterThan(0);
  for (const v of open) expect(v.reason).toMatch(/^judge_failed: HTTP 402/);
  expect((await verdictsOf('kind')).every((v) => v.verdict === 'success' && v.by === 'llm')).toBe(true);
});

test('calls go through the recording proxy, without the key; replies are kept verbatim', async () => {
  const files = await readdir(join(dir, 'judges', 'strict'));
  expect(files).toContain('calls.jsonl.zst');
  const replies = await readdir(join(dir, 'judges', 'strict', 'replies'));
  expect(replies).toHaveLength(4);
  const { reply } = JSON.parse(await readFile(join(dir, 'judges', 'strict', 'replies', replies[0] ?? ''), 'utf8'));
  expect(JSON.parse(reply.text).checks.length).toBeGreaterThan(2);
  const all = await readdir(dir, { recursive: true, withFileTypes: true });
  for (const file of all.filter((f) => f.isFile()))
    expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toContain('secret-judge-key');
});

test('judging again asks only what has no reply, and lists what differs', async () => {
  const [one, two, three] = judges;
  if (one === undefined || two === undefined || three === undefined) throw new Error('three judges');
  for (const j of judges) j.asked.length = 0;
  three.decide = kind;
  const again = await cli(['judge', dir], { env: env() });
  expect(again.code).toBe(0);
  expect([one.asked.length, two.asked.length, three.asked.length]).toEqual([0, 0, failed.size]);
  expect(again.stdout).toContain('unscored -> success');
  expect((await result()).results.models[0].score.coverage).toBe(1);

  one.decide = kind;
  const newer = await cli(['judge', dir, '--judge', 'strict=one/judge-9', '--json'], { env: env() });
  const { changes } = JSON.parse(newer.stdout).judging;
  expect(changes).toHaveLength(2);
  expect(changes[0]).toMatchObject({ judge: 'strict', check: WRONG, from: 'fail', to: 'success' });
  expect((await result()).results.models[0].score.isr).toBe(1);
});

test('a forecast and the prompts, asking nobody', async () => {
  for (const j of judges) j.asked.length = 0;
  const forecast = await cli(['judge', dir, '--dry-run'], { env: env() });
  expect(forecast.stdout).toMatch(/judge kind: about 4 requests, \d+ tokens in/);
  const prompts = await cli(['judge', dir, '--print-prompt'], { env: env() });
  expect(prompts.stdout).toContain('You judge whether a coding agent kept to instructions');
  expect(prompts.stdout.match(/=== record \w+ begins ===/g)).toHaveLength(2);
  expect(judges.flatMap((j) => j.asked)).toEqual([]);
});

test("a person's verdict is a column of its own, with history, and calibrates the judges", async () => {
  const [key = ''] = (await readdir(join(dir, 'rollouts'))).filter((k) => k.startsWith('notes-greet'));
  const before = (await result()).results.models[0].score;
  const set = (verdict: string) =>
    cli(['verdict', 'set', key, WRONG, verdict, '--why', 'I read it', '--who', 'ann', '-e', dir], { env: env() });
  expect((await set('success')).code).toBe(0);
  expect((await set('fail')).stdout).toContain(`Agents.md/${WRONG}: fail (ann)`);
  expect(
    (await cli(['verdict', 'set', key, 'Agents_nothing', 'fail', '--why', 'x', '-e', dir], { env: env() })).code,
  ).toBe(2);
  const file = JSON.parse(await readFile(join(dir, 'rollouts', key, 'verdicts', 'human.json'), 'utf8'));
  expect(file.history.map((h: { verdict: string }) => h.verdict)).toEqual(['success', 'fail']);
  expect((await cli(['report', dir, '--tables-only'], { env: env() })).code).toBe(0);
  const after = await result();
  expect(after.results.models[0].score.isr).toBe(before.isr);
  expect(after.results.judges).toEqual(['strict', 'kind', 'moody']);
  const calibration = JSON.parse((await cli(['calibrate', dir, '--json'], { env: env() })).stdout);
  const of = (against: string) =>
    calibration.find(
      (c: Record<string, unknown>) => c.judge === 'kind' && c.against === against && c.category === null,
    );
  expect(of('human').sensitivity).toMatchObject({ hits: 0, of: 1, value: 0 });
  // Programs decided all six checks of the careful agent as kept.
  expect(of('program').specificity).toMatchObject({ hits: 6, of: 6, value: 1 });
  expect(of('program').sensitivity).toMatchObject({ of: 0, value: null, interval: null });
});

test('under hybrid programs come first, the judge has the rest, and what is asked for calibration stays out of the figures', async () => {
  const benchmark = join(root, 'benchmark');
  await cp(BENCHMARK, benchmark, { recursive: true });
  const path = join(benchmark, 'instances', 'notes-greet.yaml');
  const text = await readFile(path, 'utf8');
  await writeFile(
    path,
    text
      .replace(/ +verify: \{ some: .*\n/, '')
      .replace('verify: { use: read_before_edit }', 'verify: { use: read_before_edit }\n        judge: also'),
  );
  const experiment = join(dir, 'experiment.json');
  const file = JSON.parse(await readFile(experiment, 'utf8'));
  file.experiment.panel = 'hybrid';
  await writeFile(experiment, JSON.stringify(file));
  for (const j of judges) j.asked.length = 0;
  const [, two] = judges;
  if (two === undefined) throw new Error('three judges');
  two.decide = saying('Agents_checked_last');
  const judged = await cli(['judge', dir, '-d', benchmark], { env: env() });
  expect(judged.code).toBe(0);
  // Of one instance two categories, one of which was asked in the same words before; programs decide all of the other.
  expect(two.asked.map((a) => a.questions[0]?.check_id)).toEqual(['Agents_checked_last']);
  const keys = await readdir(join(dir, 'rollouts'));
  const greet = keys.find((k) => k.startsWith('notes-greet')) ?? '';
  const { samples } = JSON.parse(await readFile(join(dir, 'rollouts', greet, 'verdicts', 'kind.json'), 'utf8'));
  const short = (list: { check: string; verdict: string; by: string }[]) => list.map((v) => [v.check, v.verdict, v.by]);
  expect(short(samples[0].verdicts)).toEqual([
    [WRONG, 'success', 'program'],
    ['Agents_checked_last', 'fail', 'llm'],
    ['ToolSchema_read_before_edit', 'success', 'program'],
  ]);
  expect(short(samples[0].also)).toEqual([['ToolSchema_read_before_edit', 'success', 'llm']]);
  const calibration = JSON.parse((await cli(['calibrate', dir, '--json'], { env: env() })).stdout);
  const program = calibration.find(
    (c: Record<string, unknown>) => c.judge === 'kind' && c.against === 'program' && c.category === null,
  );
  expect(program.specificity).toMatchObject({ hits: 1, of: 1 });
});
