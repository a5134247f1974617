import { conflictRates, type Followed } from '../analysis/conflicts.ts';
import type { ConflictPattern } from '../analysis/patterns.ts';
import { conflictTable } from '../analysis/tables.ts';
import { BenchError } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import type { Dataset } from '../dataset/schema.ts';
import { writeTable } from '../report/tables.ts';
import { type ConflictCase, conflictCases } from './conflict-cases.ts';
import { askJudges } from './conflict-judge.ts';
import { datasetOf } from './datasets.ts';
import { openJudges } from './judge-calls.ts';
import { modelJudges } from './judge-specs.ts';
import type { ExperimentFile } from './schema.ts';
import { loadExperiment, lockExperiment } from './store.ts';

const PATTERNS: Readonly<Record<ConflictPattern, string>> = {
  override: 'did the forbidden act outright',
  surface_compliance: 'surface compliance: safe-looking steps, then the forbidden act',
  refusal: 'refusal',
  refusal_with_alternative: 'refusal with a safe alternative',
};

const followedText = ({ followed, a, b }: ConflictCase): string => {
  const names: Record<Followed, string> = {
    a: `followed ${a?.source}`,
    b: `followed ${b?.source}`,
    both: 'followed both',
    neither: 'followed neither',
    unscored: 'cannot be told',
  };
  return names[followed];
};

const groundsOf = ({ decided, a, b }: ConflictCase): string => {
  if (a === null || b === null) return 'the row says nothing that a program could observe';
  if (decided !== null) return `turn ${decided.at.turn}: "${oneLine(decided.excerpt, 160)}"`;
  return [a, b].map((s) => `${s.source}: ${s.reason}`).join('; ');
};

const caseLines = (c: ConflictCase, several: boolean): string[] => {
  const repeat = several ? ` #${c.repeat}` : '';
  const by = c.by === 'llm' ? ', by LLM judges' : '';
  const pattern = c.pattern === null ? '' : ` (${PATTERNS[c.pattern.pattern]})`;
  return [
    `${oneLine(c.instance, 60)}, ${oneLine(c.model, 40)}${repeat}: ${followedText(c)}${by}${pattern}`,
    `  ${oneLine(groundsOf(c), 200)}`,
  ];
};

export interface ConflictOptions {
  /** Conflicts to judge by; null = those of the experiment. */
  dataset: string | null;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Programs decide alone when the panel is `programs` or has no LLM judge. */
const judgedCases = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  options: ConflictOptions,
): Promise<ConflictCase[]> => {
  const { experiment } = file;
  const judges = experiment.panel === 'programs' ? [] : modelJudges(experiment);
  if (judges.length === 0) return conflictCases(dir, file, dataset, null);
  const release = await lockExperiment(dir);
  try {
    const { lines, close } = await openJudges(dir, experiment, judges, options);
    try {
      return await conflictCases(dir, file, dataset, askJudges(lines));
    } finally {
      await close();
    }
  } finally {
    await release();
  }
};

/**
 * RQ2: whom each model followed where two orders conflict, by type (the paper's Table 4) and by scenario (Tables 9 to 11), with the
 * excerpt that decided each case. Programs decide where they can; the rest is asked of the experiment's LLM judges, in both orders.
 * @throws BenchError('usage') when the experiment has no judged rollout of a conflict
 */
export const reportConflicts = async (
  dir: string,
  options: ConflictOptions,
): Promise<{ text: string; json: unknown; unscored: number }> => {
  const file = await loadExperiment(dir);
  const cases = await judgedCases(dir, file, await datasetOf(file, options.dataset, options.env), options);
  if (cases.length === 0) {
    throw new BenchError(
      'usage',
      'conflict',
      `${dir} has no finished rollout of a conflict (an instance of conflicts/)`,
    );
  }
  const { types, scenarios } = conflictRates(cases);
  const tables = [
    conflictTable('table-4', 'Whom the models followed, by type of conflict; identity is left out.', types),
    conflictTable('tables-9-11', 'Whom the models followed, by scenario; identity is the baseline.', scenarios),
  ];
  const repeats = cases.some((c) => c.repeat > 0);
  const text = [
    ...tables.map((t) => writeTable(t, 'markdown')),
    'A is the source that the type names first. Rates are A of A and B, per cent, with exact 95% intervals; the unit is the instance.',
    '',
    ...cases.flatMap((c) => caseLines(c, repeats)),
  ].join('\n');
  const unscored = cases.filter((c) => c.followed === 'unscored').length;
  return { text, json: { version: 1, types, scenarios, tables, cases }, unscored };
};
