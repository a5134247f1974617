// A report of 500 rollouts with long trajectories. Limits, checked here: 30 s of CPU to write (on an idle machine that is the time
// it takes); where Chromium is installed, the page is interactive within 1 s of opening (the end of its own script), best of five.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import type { ReportRollout } from '../src/report/schema.ts';
import { writeReport } from '../src/report/store.ts';
import { seeded } from '../src/stats/random.ts';
import type { Message, Trajectory } from '../src/trajectory/schema.ts';
import { sampleReport, sampleTrajectory, withRollouts } from '../test/fixtures/report/sample.ts';

const LIMIT = { seconds: 30, interactive: 1 };
const CHROMIUM = '/usr/bin/chromium';
const INSTANCES = 125;
const MODELS = ['alpha', 'beta', 'gamma', 'delta'];
const CATEGORIES = ['SP', 'System reminder', 'User query', 'Agents.md', 'Skill.md', 'Memory', 'Tool schema'];

const data = () => {
  const random = seeded(1);
  const sample = sampleReport().data;
  const base = sample.rollouts[0] as ReportRollout;
  const checks = Array.from({ length: 33 }, (_, c) => ({
    id: `check_${c}`,
    category: CATEGORIES[c % 7] ?? '',
    type: 'compliance',
    description: 'Something that must hold wherever it applies.',
  }));
  const instances = Array.from({ length: INSTANCES }, (_, i) => ({
    id: `task-${i}`,
    primaryCategory: 'SP',
    environment: `env-${i % 34}`,
    queries: ['Do it.'],
    checks,
  }));
  const rollouts = instances.flatMap((instance) =>
    MODELS.map(
      (model): ReportRollout => ({
        ...base,
        key: `${instance.id}~${model}`,
        instance: instance.id,
        environment: instance.environment,
        model,
        rows: checks.flatMap((check) =>
          ['a', 'b', 'c'].map((judge) => ({
            instance: instance.id,
            judge,
            repeat: 0,
            check: check.id,
            category: check.category,
            checkType: check.type,
            by: 'llm' as const,
            verdict: random() < 0.03 ? ('fail' as const) : ('success' as const),
            reason: 'What was seen says so.',
            evidence: [{ thread: 'main', turn: 1, quote: 'total' }],
          })),
        ),
      }),
    ),
  );
  return withRollouts({ ...sample, instances }, rollouts);
};

/** A session of 60 turns with results of two kilobytes. */
const trajectory = (key: string): Trajectory => {
  const short = sampleTrajectory(key, 'Done.', true);
  const messages = Array.from({ length: 60 }, (_, turn): Message[] => [
    {
      role: 'assistant',
      turn,
      query: 0,
      call: turn,
      blocks: [
        { type: 'text', text: `Step ${turn}.` },
        { type: 'tool_call', id: `x${turn}`, name: 'Bash', input: { command: 'npm test' } },
      ],
    },
    {
      role: 'tool',
      turn: null,
      query: 0,
      call: null,
      blocks: [
        { type: 'tool_result', id: `x${turn}`, blocks: [{ type: 'text', text: 'line of output\n'.repeat(130) }] },
      ],
    },
  ]).flat();
  const [main] = short.threads;
  const [first] = main?.segments ?? [];
  return main === undefined || first === undefined
    ? short
    : { ...short, threads: [{ ...main, segments: [{ ...first, messages }] }] };
};

const interactive = async (index: string): Promise<number | null> => {
  if (!existsSync(CHROMIUM)) return null;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
  });
  try {
    let best = Number.POSITIVE_INFINITY;
    for (let time = 0; time < 5; time++) {
      const page = await browser.newPage();
      await page.goto(pathToFileURL(index).href);
      const ms = await page.evaluate('performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd');
      best = Math.min(best, Number(ms) / 1000);
      await page.close();
    }
    return best;
  } finally {
    await browser.close();
  }
};

const dir = await mkdtemp(join(tmpdir(), 'report-bench-'));
try {
  const report = data();
  const start = process.cpuUsage();
  const written = await writeReport(dir, report, { trajectory: async (key) => trajectory(key) });
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  const opened = await interactive(written.index);
  console.log(
    `${seconds <= LIMIT.seconds ? 'ok  ' : 'OVER'} ${report.rollouts.length} rollouts written: ${seconds.toFixed(1)} s of at most ${LIMIT.seconds} s (index.html ${(written.bytes / 1e6).toFixed(1)} MB, ${written.trajectories} files beside it)`,
  );
  if (opened === null) console.log('skipped: no Chromium to open the page with');
  else
    console.log(
      `${opened <= LIMIT.interactive ? 'ok  ' : 'OVER'} interactive after ${opened.toFixed(2)} s of at most ${LIMIT.interactive} s`,
    );
  process.exitCode = seconds <= LIMIT.seconds && (opened ?? 0) <= LIMIT.interactive ? 0 : 1;
} finally {
  await rm(dir, { recursive: true, force: true });
}
