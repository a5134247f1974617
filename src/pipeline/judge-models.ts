import PQueue from 'p-queue';
import { parseJson } from '../core/json.ts';
import type { Dataset } from '../dataset/schema.ts';
import { readText } from '../host/files.ts';
import type { VerdictChange } from '../judge/changes.ts';
import type { JudgePrompt } from '../judge/prompt.ts';
import type { VerdictFile } from '../judge/schema.ts';
import { COUNTED, type Rollout } from '../rollout/schema.ts';
import { readRollout } from '../rollout/store.ts';
import { type JudgeUse, openJudges } from './judge-calls.ts';
import { judgeColumn, readSubject, type Subject, subjectPrompts } from './judge-column.ts';
import { type ModelJudge, modelJudges } from './judge-specs.ts';
import { asPlanned } from './schedule.ts';
import type { ExperimentFile, Progress } from './schema.ts';
import { rolloutDir, verdictPath } from './store.ts';

export interface ModelJudging {
  env: NodeJS.ProcessEnv;
  onProgress: (event: Progress) => void;
  /** No new rollout is judged once it aborts. */
  drain: AbortSignal;
  /** Running requests are given up once it aborts. */
  stop: AbortSignal;
  /** `all` judges again; `missing` leaves columns alone that are whole. */
  which: 'all' | 'missing';
}

/** What LLM judges did. */
export interface ModelJudged {
  use: JudgeUse[];
  changes: ({ rollout: string } & VerdictChange)[];
}

const CHARACTERS_A_TOKEN = 4;
const TOKENS_AN_ANSWER = 120;

/** Counted rollouts of an experiment with their instances, one after the other. */
async function* countedRollouts(dir: string, file: ExperimentFile, dataset: Dataset) {
  const instances = new Map(dataset.instances.map((i) => [i.id, i]));
  const setups = new Map(dataset.environments.map((e) => [e.name, e.setup]));
  for (const planned of file.planned) {
    const instance = instances.get(planned.instance);
    const rollout: Rollout | null = await readRollout(rolloutDir(dir, planned.key));
    if (instance === undefined || rollout === null) continue;
    if (rollout.outcome === null || COUNTED.has(rollout.outcome)) {
      yield { rollout, instance: asPlanned(instance, planned), setup: setups.get(instance.environment) ?? [] };
    }
  }
}

/** A column that is there and has no check that a judge's failure left open. */
const isWhole = async (dir: string, judge: string): Promise<boolean> => {
  const file = parseJson((await readText(verdictPath(dir, judge))) ?? '') as VerdictFile | undefined;
  if (file === undefined) return false;
  return file.samples.every((s) => s.verdicts.every((v) => v.by !== 'llm' || v.verdict !== 'unscored'));
};

const openColumns = async (dir: string, judges: readonly ModelJudge[], which: ModelJudging['which']) => {
  const whole = await Promise.all(judges.map((j) => which === 'missing' && isWhole(dir, j.spec.id)));
  return new Set(judges.filter((_, i) => !whole[i]).map((j) => j.spec.id));
};

const anyOpen = async (
  dir: string,
  file: ExperimentFile,
  judges: readonly ModelJudge[],
  which: ModelJudging['which'],
): Promise<boolean> => {
  for (const { key } of file.planned)
    if ((await openColumns(rolloutDir(dir, key), judges, which)).size > 0) return true;
  return false;
};

/** What judging would take, from the requests that would be sent: one round each, nothing cached. */
export const forecastJudging = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
): Promise<{ judge: string; requests: number; input: number; output: number; cost: number | null }[]> => {
  const judges = modelJudges(file.experiment);
  const sums = judges.map(({ spec }) => ({ judge: spec.id, requests: 0, input: 0, output: 0 }));
  if (judges.length > 0 && file.experiment.panel !== 'programs')
    for await (const { rollout, instance, setup } of countedRollouts(dir, file, dataset)) {
      const subject = await readSubject(file.experiment, rolloutDir(dir, rollout.key), rollout, instance, setup);
      for (const [i, { spec }] of judges.entries()) {
        const sum = sums[i];
        const prompts = subjectPrompts(subject, spec);
        if (sum === undefined) continue;
        const characters = prompts.reduce((n, p) => n + p.system.length + p.record.length + p.ask.length, 0);
        sum.requests += prompts.length * spec.samples;
        sum.input += Math.ceil((characters * spec.samples) / CHARACTERS_A_TOKEN);
        sum.output += subject.questions.length * spec.samples * TOKENS_AN_ANSWER;
      }
    }
  return sums.map((sum, i) => {
    const price = file.experiment.prices[judges[i]?.name ?? ''];
    return { ...sum, cost: price === undefined ? null : (sum.input * price.input + sum.output * price.output) / 1e6 };
  });
};

/** A forecast for people. */
export const forecastLines = (forecast: Awaited<ReturnType<typeof forecastJudging>>): string =>
  forecast.length === 0
    ? 'No LLM judges: nothing would be asked.'
    : forecast
        .map((f) => {
          const cost = f.cost === null ? 'unknown: no price' : f.cost.toFixed(2);
          return `judge ${f.judge}: about ${f.requests} requests, ${f.input} tokens in, ${f.output} out, cost ${cost}`;
        })
        .join('\n');

/** The first requests to the first judge, for the first counted rollout that has any. */
export const firstPrompts = async (dir: string, file: ExperimentFile, dataset: Dataset): Promise<JudgePrompt[]> => {
  const spec = modelJudges(file.experiment)[0]?.spec ?? {
    ...{ id: 'none', model: '', granularity: 'category' as const, samples: 1, settings: {} },
  };
  for await (const { rollout, instance, setup } of countedRollouts(dir, file, dataset)) {
    const subject = await readSubject(file.experiment, rolloutDir(dir, rollout.key), rollout, instance, setup);
    const prompts = subjectPrompts(subject, spec);
    if (prompts.length > 0) return prompts;
  }
  return [];
};

const useText = (use: JudgeUse): string =>
  [
    `judge ${use.judge}: ${use.requests} requests (${use.cached} answered before, ${use.failed} failed)`,
    `${use.tokens.input} tokens in, ${use.tokens.output} out`,
    `cost ${use.cost === null ? 'unknown: no price' : use.cost.toFixed(2)}`,
  ].join(', ');

/**
 * Has the experiment's LLM judges judge every counted rollout, each reading it once for all of them. Nothing to do without
 * judges, or under `panel: programs`. A judge that fails leaves `unscored`.
 * @throws BenchError('usage') for judges that are none or whose key is not set
 */
export const judgeByModels = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  options: ModelJudging,
): Promise<ModelJudged> => {
  const { experiment } = file;
  const judges = experiment.panel === 'programs' ? [] : modelJudges(experiment);
  if (judges.length === 0 || !(await anyOpen(dir, file, judges, options.which))) return { use: [], changes: [] };
  const forecast = forecastLines(await forecastJudging(dir, file, dataset));
  options.onProgress({ type: 'note', text: `${forecast} (caching and earlier replies not counted)` });
  const { lines, close } = await openJudges(dir, experiment, judges, { env: options.env, signal: options.stop });
  const changes: ModelJudged['changes'] = [];
  const judge = async (subject: Subject, open: ReadonlySet<string>): Promise<void> => {
    const done = await Promise.all(
      lines.filter((l) => open.has(l.judge.spec.id)).map((line) => judgeColumn(experiment, subject, line)),
    );
    for (const { changes: own } of done) changes.push(...own.map((c) => ({ rollout: subject.rollout.key, ...c })));
  };
  try {
    // Two at a time: a trajectory is read while another waits for its judges; the requests have queues of their own.
    const queue = new PQueue({ concurrency: 2 });
    const failures: unknown[] = [];
    for await (const { rollout, instance, setup } of countedRollouts(dir, file, dataset)) {
      await queue.onSizeLessThan(2);
      if (options.drain.aborted || failures.length > 0) break;
      const path = rolloutDir(dir, rollout.key);
      const open = await openColumns(path, judges, options.which);
      if (open.size === 0) continue;
      const work = async () => judge(await readSubject(experiment, path, rollout, instance, setup), open);
      void queue.add(() => work().catch((e: unknown) => failures.push(e)));
    }
    await queue.onIdle();
    if (failures.length > 0) throw failures[0];
  } finally {
    await close();
  }
  const use = lines.map((l) => l.use);
  for (const u of use) if (u.requests > 0) options.onProgress({ type: 'note', text: useText(u) });
  return { use, changes };
};
