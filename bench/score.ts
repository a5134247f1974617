// The paper's size: 217 instances × 8 models × 3 repeats × 3 judges × 33 checks = 515,592 verdicts, scored, cut every way and
// resampled 1,000 times. Limits, checked here: 20 s of CPU (on an idle machine that is the time it takes), 1 GB, and time linear in
// rows (twice the rows, at most 2.6 times the time).
import { analyse } from '../src/analysis/analyses.ts';
import type { VerdictRow } from '../src/judge/schema.ts';
import { experimentResults } from '../src/metrics/results.ts';
import type { ScoredRollout } from '../src/metrics/schema.ts';
import { pick, seeded } from '../src/stats/random.ts';

const LIMIT = { seconds: 20, bytes: 1e9, growth: 2.6 };
const JUDGES = ['judge-a', 'judge-b', 'judge-c'];
const CATEGORIES = ['SP', 'System reminder', 'User query', 'Agents.md', 'Skill.md', 'Memory', 'Tool schema'];
const TYPES = ['compliance', 'implementation', 'understanding', 'testing', 'modification', 'configuration'];

const table = (instances: number): ScoredRollout[] => {
  const random = seeded(1);
  const rollouts: ScoredRollout[] = [];
  for (let i = 0; i < instances; i++) {
    for (let m = 0; m < 8; m++) {
      for (let repeat = 0; repeat < 3; repeat++) {
        const instance = `instance-${i}`;
        const rows: VerdictRow[] = [];
        for (let c = 0; c < 33; c++) {
          for (const judge of JUDGES) {
            const x = random();
            const verdict = x < 0.02 ? 'fail' : x < 0.2 ? 'not_applicable' : x < 0.201 ? 'unscored' : 'success';
            rows.push({
              instance,
              judge,
              repeat,
              check: `check-${c}`,
              category: CATEGORIES[c % 7] ?? '',
              checkType: TYPES[pick(random, 6)] ?? '',
              verdict,
              by: 'llm',
            });
          }
        }
        rollouts.push({
          key: `${instance}~${m}~${repeat}`,
          instance,
          environment: `env-${i % 34}`,
          primaryCategory: CATEGORIES[i % 6] ?? '',
          scaffold: ['claude-code', 'kilo', 'droid'][i % 3] ?? '',
          model: `model-${m}`,
          variant: 'base',
          repeat,
          outcome: 'finished',
          counted: true,
          solved: null,
          rows,
        });
      }
    }
  }
  return rollouts;
};

const timed = (instances: number): { rows: number; seconds: number } => {
  const rollouts = table(instances);
  const start = process.cpuUsage();
  const results = experimentResults(rollouts, { judges: JUDGES });
  analyse(rollouts, { judges: JUDGES, seed: 1, draws: 1000 });
  const { user, system } = process.cpuUsage(start);
  const seconds = (user + system) / 1e6;
  if (results.models.length !== 8) throw new Error('the table was not scored');
  return { rows: instances * 8 * 3 * 3 * 33, seconds };
};

timed(10); // compiles the code
const half = timed(109);
const whole = timed(217);
const growth = whole.seconds / half.seconds / (whole.rows / half.rows / 2);
const peak = process.resourceUsage().maxRSS * 1024;
const lines: [string, number, number, string][] = [
  [`${whole.rows} rows scored, cut and resampled`, whole.seconds, LIMIT.seconds, 's'],
  ['peak memory of the process', peak / 1e6, LIMIT.bytes / 1e6, 'MB'],
  ['time for twice the rows', growth, LIMIT.growth, 'times'],
];
for (const [what, value, limit, unit] of lines) {
  console.log(`${value <= limit ? 'ok  ' : 'OVER'} ${what}: ${value.toFixed(2)} ${unit} of at most ${limit} ${unit}`);
}
process.exitCode = lines.every(([, value, limit]) => value <= limit) ? 0 : 1;
