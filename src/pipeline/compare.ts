import { basename } from 'node:path';
import { type Arm, compareArms } from '../analysis/compare.ts';
import type { Comparison, PairedDifference } from '../analysis/schema.ts';
import { BenchError } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import { rowsOf, settle } from '../metrics/score.ts';
import { points, range } from '../report/format.ts';
import { datasetOf } from './datasets.ts';
import { collectResults } from './results.ts';
import { loadExperiment } from './store.ts';

interface Side {
  arms: Arm[];
  judges: string[];
  seed: number;
}

const readSide = async (dir: string, prefix: string, env: NodeJS.ProcessEnv): Promise<Side> => {
  const file = await loadExperiment(dir);
  const { data } = await collectResults(dir, file, await datasetOf(file, null, env));
  const several = new Set(data.rollouts.map((r) => r.variant)).size > 1;
  const named = Map.groupBy(data.rollouts, (r) => `${prefix}${r.model}${several ? ` · ${r.variant}` : ''}`);
  const arms = [...named].map(([name, rollouts]) => ({ name, rows: rowsOf(settle(rollouts)) }));
  return { arms, judges: data.results.judges, seed: file.experiment.seed };
};

const figure = (name: string, d: PairedDifference): string => {
  if (d.difference === null) return `${name} n/a`;
  const interval = d.low === null ? '' : ` (95% ${range(d)})`;
  const p = d.adjusted === null ? '' : `, p ${d.adjusted < 0.001 ? '< 0.001' : d.adjusted.toFixed(3)} (Holm)`;
  const least =
    d.detectable === null ? '' : `, smallest difference that could be seen ${(d.detectable * 100).toFixed(1)}`;
  return `${name} ${points(d.difference)} points${interval}${p}${least}`;
};

const linesOf = (c: Comparison): string[] => [
  `${oneLine(c.first, 60)} against ${oneLine(c.second, 60)} on ${c.isr.instances} instances in ${c.isr.clusters} environments`,
  `  ${figure('ISR', c.isr)}`,
  `  ${figure('CSR', c.csr)}`,
  ...(c.boundsCross ? ['  What is unscored could turn the order: no rank is claimed.'] : []),
];

/**
 * Compares models in pairs on the instances both have: those of one experiment, or of several (named by their folders then).
 * @throws BenchError('usage') when a directory is no experiment, or there is nothing to compare
 */
export const compareExperiments = async (
  dirs: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ text: string; json: unknown }> => {
  const sides: Side[] = [];
  for (const dir of dirs) sides.push(await readSide(dir, dirs.length > 1 ? `${basename(dir)}: ` : '', env));
  const arms = sides.flatMap((s) => s.arms);
  if (arms.length < 2)
    throw new BenchError('usage', 'compare', 'there is one model only: name a second experiment to compare it with');
  const judges = [...new Set(sides.flatMap((s) => s.judges))];
  const comparisons = compareArms(arms, { judges, seed: sides[0]?.seed ?? 1 });
  return { text: comparisons.flatMap(linesOf).join('\n'), json: { version: 1, judges, comparisons } };
};
