import { basename, join, resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { printable } from '../core/text.ts';
import { writeAtomic } from '../host/files.ts';
import type { Rollout } from '../rollout/schema.ts';
import { callLog, readRollout } from '../rollout/store.ts';
import { toMarkdown } from '../trajectory/export-markdown.ts';
import { toReferenceLog } from '../trajectory/export-reference.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { toAtif } from '../trajectory/to-atif.ts';
import { toPaperShape } from '../trajectory/to-paper-shape.ts';
import { datasetOf, usableDataset } from './datasets.ts';
import { writeHubDataset } from './export-dataset.ts';
import { verdictsCsv, verdictsParquet } from './export-verdicts.ts';
import { collectResults } from './results.ts';
import type { ExperimentFile } from './schema.ts';
import { copyInto, exists, experimentPath, importedLog, loadExperiment, rolloutDir } from './store.ts';
import { loadTrajectory } from './trajectories.ts';

/** Shapes that an experiment or a dataset can be written in. */
export type ExportFormat = 'csv' | 'parquet' | 'hf' | 'paper' | 'atif' | 'markdown' | 'reference';

export interface ExportOptions {
  format: ExportFormat;
  /** Folder to write to; null = `<experiment>/export/<format>`, of a dataset `<name>-hf`. */
  output: string | null;
  /** Checklists, when the experiment has none of its own. */
  dataset: string | null;
  /** Copies the raw calls too: they hold everything an agent saw and wrote. */
  withTraces: boolean;
  env: NodeJS.ProcessEnv;
}

const lines = (values: Iterable<unknown>): string => [...values].map((v) => `${JSON.stringify(v)}\n`).join('');

/** One file of one rollout in each shape of a trajectory. */
const TRAJECTORY_FORMATS: Readonly<
  Record<'paper' | 'atif' | 'markdown' | 'reference', { ending: string; write(t: Trajectory): string }>
> = {
  paper: { ending: '.jsonl', write: (t) => lines(toPaperShape(t)) },
  atif: { ending: '.json', write: (t) => `${JSON.stringify(toAtif(t), null, 1)}\n` },
  markdown: { ending: '.md', write: (t) => toMarkdown(t) },
  reference: { ending: '.jsonl', write: (t) => lines(toReferenceLog(t)) },
};

const verdicts = async (dir: string, file: ExperimentFile, out: string, options: ExportOptions): Promise<string[]> => {
  const dataset = await datasetOf(file, options.dataset, options.env);
  const { rollouts } = (await collectResults(dir, file, dataset)).data;
  const name = `verdicts.${options.format}`;
  await writeAtomic(join(out, name), options.format === 'csv' ? verdictsCsv(rollouts) : verdictsParquet(rollouts));
  return [name];
};

const trajectories = async (
  dir: string,
  file: ExperimentFile,
  out: string,
  format: keyof typeof TRAJECTORY_FORMATS,
): Promise<string[]> => {
  const { ending, write } = TRAJECTORY_FORMATS[format];
  const load = loadTrajectory(dir);
  const written: string[] = [];
  for (const { key } of file.planned) {
    const trajectory = await load(key);
    if (trajectory === null) continue;
    await writeAtomic(join(out, `${key}${ending}`), write(trajectory));
    written.push(`${key}${ending}`);
  }
  return written;
};

const logOf = (dir: string, rollout: Rollout): Promise<string | null> =>
  rollout.origin === 'import' ? importedLog(dir) : callLog(dir, rollout.counted ?? 0);

/** The recorded calls as they are stored, secrets masked when they were recorded. */
const traces = async (dir: string, file: ExperimentFile, out: string): Promise<string[]> => {
  const written = new Set<string>();
  for (const { key } of file.planned) {
    const from = rolloutDir(dir, key);
    const rollout = await readRollout(from);
    const log = rollout === null ? null : await logOf(from, rollout);
    if (log === null) continue;
    written.add(await copyInto(log, out, rollout?.origin === 'import' ? 'traces' : join('traces', key)));
  }
  return [...written];
};

const exportExperiment = async (dir: string, out: string, options: ExportOptions): Promise<string[]> => {
  const file = await loadExperiment(dir);
  const { format } = options;
  const written =
    format === 'csv' || format === 'parquet'
      ? await verdicts(dir, file, out, options)
      : format === 'hf'
        ? await writeHubDataset(await datasetOf(file, options.dataset, options.env), file.experiment.name, out)
        : await trajectories(dir, file, out, format);
  return options.withTraces ? [...written, ...(await traces(dir, file, out))] : written;
};

const exportDataset = async (source: string, out: string, options: ExportOptions): Promise<string[]> => {
  if (options.format !== 'hf' || options.withTraces) {
    throw new BenchError(
      'usage',
      'export',
      `${source} is no experiment: a dataset has no verdicts, trajectories or traces; it can be written with --format hf`,
    );
  }
  const dataset = await usableDataset(source, { include: [], exclude: [], limit: null }, options.env);
  return writeHubDataset(dataset, basename(source), out);
};

/**
 * Writes an experiment in another shape: verdicts as a table (`csv`, `parquet`), trajectories (`paper`, `atif`, `markdown`,
 * `reference`), or its dataset (`hf`); of a dataset only `hf`. Raw calls leave the experiment only with `withTraces`.
 * @throws BenchError('usage' | 'input') when the source is none, or does not have what was asked for
 */
export const exportSource = async (
  source: string,
  options: ExportOptions,
): Promise<{ text: string; json: unknown }> => {
  const isExperiment = await exists(experimentPath(source));
  const otherwise = isExperiment ? join(source, 'export', options.format) : `${basename(resolve(source))}-hf`;
  const out = resolve(options.output ?? otherwise);
  const files = await (isExperiment ? exportExperiment : exportDataset)(source, out, options);
  if (files.length === 0) {
    throw new BenchError(
      'usage',
      'export',
      `${source} has nothing to export as ${options.format} yet: no rollout ended`,
    );
  }
  const named = files.length === 1 ? `${files[0]} written to ${out}` : `${files.length} files written to ${out}`;
  return { text: printable(named), json: { version: 1, format: options.format, dir: out, files } };
};
