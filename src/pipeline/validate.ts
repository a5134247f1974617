import { lintBenchmark } from '../checklist/lint.ts';
import { byPlace, describeProblem, type Problem } from '../core/problem.ts';
import { printable } from '../core/text.ts';
import { loadDataset } from '../dataset/load.ts';
import type { Dataset } from '../dataset/schema.ts';
import { summarize, summaryText } from '../dataset/summary.ts';
import { ruleProblems } from './rules.ts';
import { runnable, runnableText } from './runnable.ts';

export interface ValidateReport {
  text: string;
  json: unknown;
  errors: number;
  warnings: number;
}

const SHOWN = 200;

const problemsText = (problems: readonly Problem[]): string[] => {
  const lines = problems.slice(0, SHOWN).map((p) => printable(`${p.severity}: ${describeProblem(p)}`));
  return problems.length > SHOWN ? [...lines, `and ${problems.length - SHOWN} more (all of them with --json)`] : lines;
};

/**
 * Reads a dataset and says what is in it and every problem it has, rules of checks included.
 * @param source a .jsonl file, a benchmark folder, or hf:owner/name[@revision]
 * @throws BenchError('usage') when there is no such source
 */
export const validateDataset = async (source: string, options: { runnable: boolean }): Promise<ValidateReport> => {
  const dataset: Dataset = await loadDataset(source);
  const problems = [...dataset.problems, ...ruleProblems(dataset), ...lintBenchmark(dataset)].sort(byPlace);
  const summary = summarize(dataset);
  const rows = options.runnable ? await runnable(dataset) : null;
  const of = (severity: Problem['severity']): number => problems.filter((p) => p.severity === severity).length;
  const text = [
    summaryText(summary),
    ...(rows === null ? [] : ['', runnableText(rows)]),
    '',
    problems.length === 0 ? 'no problems' : `${of('error')} errors, ${of('warning')} warnings, ${of('info')} notes`,
    ...problemsText(problems),
  ].join('\n');
  const json = {
    version: 1,
    source: dataset.source,
    revision: dataset.revision,
    digest: dataset.digest,
    ...summary,
    ...(rows === null ? {} : { runnable: rows }),
    problems,
  };
  return { text, json, errors: of('error'), warnings: of('warning') };
};
