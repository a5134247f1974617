import { resolve } from 'node:path';
import { writeTables } from '../report/store.ts';
import { conclude } from './conclude.ts';
import { datasetOf } from './datasets.ts';
import { checkGate, collectResults, writeResult } from './results.ts';
import type { Finished, View } from './schema.ts';
import { loadExperiment, reportDir } from './store.ts';
import { summaryText } from './summary.ts';

export interface ReportOptions {
  dataset: string | null;
  output: string | null;
  singleFile: boolean;
  tablesOnly: boolean;
  failUnder: string | null;
  view: View;
}

/**
 * Writes `result.json` and the report of an experiment from its files; no rollout is run, no judge is called.
 * @throws BenchError('usage' | 'input') when the directory is no experiment or its checklists cannot be found
 */
export const reportExperiment = async (dir: string, options: ReportOptions): Promise<Finished> => {
  const file = await loadExperiment(dir);
  const dataset = await datasetOf(file, options.dataset, process.env);
  if (options.tablesOnly) {
    const { data } = await collectResults(dir, file, dataset);
    await writeResult(dir, data);
    await writeTables(options.output === null ? reportDir(dir) : resolve(options.output), data.tables ?? []);
    return { ...summaryText(dir, data, options.view), gate: checkGate(options.failUnder, data), interrupted: false };
  }
  const output = options.output === null ? null : resolve(options.output);
  return conclude(dir, file, dataset, { ...options, output });
};
