import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { printable } from '../core/text.ts';
import type { Dataset } from '../dataset/schema.ts';
import { readText, writeJson } from '../host/files.ts';
import { plural } from '../report/format.ts';
import type { ReportData, ReportRollout } from '../report/schema.ts';
import { writeTable } from '../report/tables.ts';
import { datasetOf } from './datasets.ts';
import { GENERIC_REMINDER, withFeedback } from './feedback.ts';
import { ARMS, type ArmName, refinementOf } from './refine-report.ts';
import { type Selection, selectPartialFailures } from './refine-select.ts';
import { collectResults } from './results.ts';
import { execute } from './run.ts';
import type { ExperimentFile, Finished, Hooks, PlannedRollout, View } from './schema.ts';
import { exists, experimentPath, loadExperiment, lockExperiment, writeExperiment } from './store.ts';

export interface RefineOptions extends Hooks {
  env: NodeJS.ProcessEnv;
  /** Share of the failed checks that the feedback does not name; null = as before, else none. */
  holdBack: number | null;
  /** Shows what would be run and said. */
  dryRun: boolean;
  view: View;
}

/** `refine/selection.json`: what is run again and what it is told, drawn once. */
interface SelectionFile extends Selection {
  version: 1;
  holdBack: number;
}

const refineDir = (dir: string): string => join(dir, 'refine');
const selectionPath = (dir: string): string => join(refineDir(dir), 'selection.json');

const readSelection = async (dir: string, holdBack: number | null): Promise<SelectionFile | null> => {
  const text = await readText(selectionPath(dir));
  if (text === null) return null;
  const value = parseJson(text);
  if (!isObject(value) || value.version !== 1) {
    throw new BenchError('input', 'refine', `${selectionPath(dir)} was written by another version of octobench`);
  }
  const file = value as unknown as SelectionFile;
  if (holdBack !== null && holdBack !== file.holdBack) {
    throw new BenchError(
      'usage',
      'refine',
      `${refineDir(dir)} was begun with --hold-back ${file.holdBack}; go on with that, or remove the folder first`,
    );
  }
  return file;
};

const select = async (
  dir: string,
  data: ReportData,
  dataset: Dataset,
  options: RefineOptions,
): Promise<SelectionFile> => {
  const known = await readSelection(dir, options.holdBack);
  if (known !== null) return known;
  const holdBack = options.holdBack ?? 0;
  const selection: SelectionFile = {
    version: 1,
    holdBack,
    ...(await selectPartialFailures(dir, data, dataset, holdBack)),
  };
  if (selection.selected.length === 0) {
    throw new BenchError(
      'usage',
      'refine',
      `${dir} has no partial failure to refine: rollouts that kept some checks and broke others`,
    );
  }
  if (!options.dryRun) await writeJson(selectionPath(dir), selection);
  return selection;
};

const NOTES: Readonly<Record<ArmName, string>> = {
  feedback: 'Run again with feedback on the failed checks in the first query.',
  none: 'Run again without a word: what is gained here is regression to the mean.',
  generic: 'Run again with a reminder in the first query that names no check.',
};

/** The experiment of one arm: the selected rollouts, under their own keys, with other queries. */
const armFile = (file: ExperimentFile, dataset: Dataset, selection: Selection, arm: ArmName): ExperimentFile => {
  const queries = new Map(dataset.instances.map((i) => [i.id, i.queries]));
  const told = new Map(selection.selected.map((s) => [s.key, s.feedback]));
  const planned = file.planned.flatMap((p): PlannedRollout[] => {
    const feedback = told.get(p.key);
    if (feedback === undefined) return [];
    if (arm === 'none') return [p];
    const text = arm === 'feedback' ? feedback : GENERIC_REMINDER;
    return [{ ...p, queries: withFeedback(queries.get(p.instance) ?? [], text) }];
  });
  return {
    ...file,
    created: new Date().toISOString(),
    experiment: { ...file.experiment, name: `${file.experiment.name}, refine: ${arm}` },
    planned,
    notes: [...file.notes, NOTES[arm]],
  };
};

const runArm = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  selection: Selection,
  arm: ArmName,
  options: RefineOptions,
): Promise<{ rollouts: ReportRollout[]; interrupted: boolean }> => {
  const at = join(refineDir(dir), arm);
  const release = await lockExperiment(at);
  try {
    if (!(await exists(experimentPath(at)))) await writeExperiment(at, armFile(file, dataset, selection, arm));
    const own = await loadExperiment(at);
    options.onProgress({ type: 'stage', text: `arm ${arm}` });
    const { interrupted } = await execute(at, own, dataset, { ...options, failUnder: null });
    return { rollouts: (await collectResults(at, own, dataset)).data.rollouts, interrupted };
  } finally {
    await release();
  }
};

const preview = (selection: SelectionFile): Finished => {
  const rollouts = plural(selection.selected.length, 'partial failure');
  const text = [
    `${rollouts}, to be run again in ${ARMS.length} arms (${ARMS.join(', ')}): ${selection.selected.length * ARMS.length} rollouts`,
    ...selection.selected.flatMap((s) => ['', s.key, s.feedback]),
  ].join('\n');
  return { dir: '', text: printable(text), result: selection, gaps: false, gate: null, interrupted: false };
};

/** Arms that are not done are not compared: half of them would be read as lost. */
const stopped = (dir: string, arm: ArmName): Finished => ({
  dir: refineDir(dir),
  text: printable(`Stopped in the arm "${arm}"; go on with: octobench refine ${dir}`),
  result: { version: 1, stopped: arm },
  gaps: false,
  gate: null,
  interrupted: true,
});

const head = (selection: SelectionFile): string => {
  const held = selection.selected.reduce((n, s) => n + s.heldBack.length, 0);
  const unsayable = selection.unsayable.length;
  return [
    `${plural(selection.selected.length, 'partial failure')} run again in ${ARMS.length} arms.`,
    ...(held === 0 ? [] : [`${plural(held, 'failed check')} held back (--hold-back ${selection.holdBack}).`]),
    ...(unsayable === 0 ? [] : [`${unsayable} left out: nothing can be said of them without giving an answer away.`]),
  ].join(' ');
};

/**
 * RQ3: runs the partial failures of an experiment again, with feedback, without, and with a generic reminder, each arm an experiment
 * in `<dir>/refine/<arm>`, and compares. Called again it goes on where it was; finished rollouts are never run again.
 * @throws BenchError('usage') when there is nothing to refine, or it was begun with other options
 */
export const refineExperiment = async (dir: string, options: RefineOptions): Promise<Finished> => {
  const file = await loadExperiment(dir);
  if (file.sandbox === null) {
    throw new BenchError('usage', 'refine', `${dir} holds imported calls: there is nothing to run again`);
  }
  const dataset = await datasetOf(file, null, options.env);
  const { data } = await collectResults(dir, file, dataset);
  const selection = await select(dir, data, dataset, options);
  if (options.dryRun) return preview(selection);
  const after: Record<ArmName, ReportRollout[]> = { feedback: [], none: [], generic: [] };
  for (const arm of ARMS) {
    const done = await runArm(dir, file, dataset, selection, arm, options);
    if (done.interrupted) return stopped(dir, arm);
    after[arm] = done.rollouts;
  }
  const { judges } = data.results;
  const found = refinementOf({
    before: data.rollouts,
    after,
    selected: selection.selected,
    judges,
    seed: file.experiment.seed,
  });
  const result = { version: 1, holdBack: selection.holdBack, selected: selection.selected, ...found };
  await writeJson(join(refineDir(dir), 'result.json'), result);
  const text = [head(selection), '', ...found.tables.map((t) => writeTable(t, 'markdown'))].join('\n');
  return { dir: refineDir(dir), text, result, gaps: false, gate: null, interrupted: false };
};
