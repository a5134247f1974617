import { resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { printPrompt } from '../judge/prompt.ts';
import { COUNTED } from '../rollout/schema.ts';
import { readRollout } from '../rollout/store.ts';
import { datasetOf } from './datasets.ts';
import { firstPrompts, forecastJudging, forecastLines, judgeByModels, type ModelJudged } from './judge-models.ts';
import { judgeRollout } from './judge-rollout.ts';
import { modelJudges, readJudge } from './judge-specs.ts';
import { checkGate, collectResults, writeResult } from './results.ts';
import { asPlanned } from './schedule.ts';
import type { ExperimentFile, Finished, Progress, View } from './schema.ts';
import { loadExperiment, lockExperiment, readVerdicts, rolloutDir, writeExperiment } from './store.ts';
import { summaryText } from './summary.ts';

export interface JudgeOptions {
  /** Checklists to judge by; null = those of the experiment. */
  dataset: string | null;
  env: NodeJS.ProcessEnv;
  failUnder: string | null;
  view: View;
  onProgress: (event: Progress) => void;
  /** LLM judges to add to the experiment: `id=provider/model`; an id that is there gets the new model. */
  judges?: string[];
  /** Nothing is asked: what it would take. */
  dryRun?: boolean;
  /** Nothing is asked: the first requests, as text. */
  printPrompt?: boolean;
  /** Gives running requests up once it aborts. */
  stop?: AbortSignal;
}

const allScored = async (rolloutPath: string): Promise<boolean> => {
  const files = await readVerdicts(rolloutPath);
  return (
    files.length > 0 && files.every((f) => f.samples.every((s) => s.verdicts.every((v) => v.verdict !== 'unscored')))
  );
};

/** Judges the counted rollouts of an experiment: all, or those with unscored checks or no verdicts. */
export const judgeAll = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  onProgress: (event: Progress) => void,
  which: 'all' | 'unscored' = 'all',
): Promise<void> => {
  const instances = new Map<string, Instance>(dataset.instances.map((i) => [i.id, i]));
  const environments = new Map(dataset.environments.map((e) => [e.name, e.setup]));
  const setupOf = (instance: Instance): string[] => environments.get(instance.environment) ?? [];
  let found = 0;
  for (const planned of file.planned) {
    const instance = instances.get(planned.instance);
    if (instance === undefined) continue;
    found++;
    const rollout = await readRollout(rolloutDir(dir, planned.key));
    const counts = rollout !== null && (rollout.outcome === null || COUNTED.has(rollout.outcome));
    if (which === 'unscored' && (await allScored(rolloutDir(dir, planned.key)))) continue;
    if (counts) {
      const asked = asPlanned(instance, planned);
      await judgeRollout(rolloutDir(dir, planned.key), rollout, asked, setupOf(instance), onProgress);
    }
  }
  if (found === 0) {
    const first = file.planned[0]?.instance ?? '';
    throw new BenchError(
      'input',
      'judge',
      `${dataset.source} has none of the instances of this experiment (the first is ${first}); name its dataset with -d`,
    );
  }
};

const NEVER = new AbortController().signal;

const addJudges = (file: ExperimentFile, given: readonly string[]): boolean => {
  const { experiment } = file;
  const judges = given.map(readJudge);
  for (const judge of judges) {
    const at = experiment.judges.findIndex((j) => j.id === judge.id);
    const before = experiment.judges[at];
    if (before === undefined) experiment.judges.push(judge);
    else experiment.judges[at] = { ...before, model: judge.model };
  }
  modelJudges(experiment);
  if (judges.length > 0 && experiment.panel === 'programs') experiment.panel = 'hybrid';
  return judges.length > 0;
};

/** An import has no dataset of its own: from now on it has this one, so that `report` needs no -d. */
const adopt = (file: ExperimentFile, dataset: Dataset, source: string | null): boolean => {
  if (source === null || file.experiment.dataset.source !== '') return false;
  file.experiment.dataset.source = /^hf:/.test(source) ? source : resolve(source);
  file.dataset = { digest: dataset.digest, revision: dataset.revision, instances: dataset.instances.length };
  return true;
};

const only = (dir: string, text: string, result: unknown): Finished => ({
  ...{ dir, text, result, gaps: false, gate: null, interrupted: false },
});

const changesText = (changes: ModelJudged['changes']): string => {
  if (changes.length === 0) return '';
  const lines = changes
    .slice(0, 20)
    .map((c) => `  ${c.rollout} ${c.check} (${c.category}) by ${c.judge}: ${c.from ?? 'none'} -> ${c.to}`);
  const more = changes.length > lines.length ? `\n  and ${changes.length - lines.length} more (--json lists all)` : '';
  return `\n${changes.length} verdicts differ from the judges' earlier versions:\n${lines.join('\n')}${more}`;
};

/**
 * Judges every counted rollout of an experiment again; nothing is run again. Judges that are given are added to the experiment.
 * Verdicts that change are kept under `verdicts/old`, and listed.
 * @throws BenchError('usage' | 'input') when the directory is no experiment or no checklist can be found
 */
export const judgeExperiment = async (dir: string, options: JudgeOptions): Promise<Finished> => {
  const file = await loadExperiment(dir);
  const release = await lockExperiment(dir);
  try {
    const dataset = await datasetOf(file, options.dataset, options.env);
    const adopted = adopt(file, dataset, options.dataset);
    const added = addJudges(file, options.judges ?? []);
    if (options.printPrompt === true) {
      const prompts = await firstPrompts(dir, file, dataset);
      return only(dir, prompts.map(printPrompt).join('\n\n'), prompts);
    }
    if (options.dryRun === true) {
      const forecast = await forecastJudging(dir, file, dataset);
      return only(dir, forecastLines(forecast), forecast);
    }
    if (adopted || added) await writeExperiment(dir, file);
    await judgeAll(dir, file, dataset, options.onProgress);
    const stop = options.stop ?? NEVER;
    const { env, onProgress } = options;
    const judged = await judgeByModels(dir, file, dataset, { env, onProgress, drain: stop, stop, which: 'all' });
    const { data } = await collectResults(dir, file, dataset);
    await writeResult(dir, data);
    const summary = summaryText(dir, data, options.view);
    return {
      ...summary,
      text: summary.text + changesText(judged.changes),
      result: judged.use.length === 0 ? summary.result : { ...Object(summary.result), judging: judged },
      gate: checkGate(options.failUnder, data),
      interrupted: stop.aborted,
    };
  } finally {
    await release();
  }
};
