import { type Calibration, calibrate, type Rate } from '../judge/calibrate.ts';
import { loadExperiment, readVerdicts, rolloutDir } from './store.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const rateText = ({ hits, of, value, interval }: Rate): string =>
  value === null || interval === null
    ? '-'
    : `${percent(value)} [${percent(interval.low)}, ${percent(interval.high)}] (${hits}/${of})`;

const COLUMNS = ['judge', 'against', 'category', 'sensitivity', 'specificity', 'not applicable', 'unscored'];

const tableText = (rows: readonly Calibration[]): string => {
  const cells = rows.map((r) => [
    ...[r.judge, r.against, r.category ?? 'all', rateText(r.sensitivity), rateText(r.specificity)],
    ...[rateText(r.notApplicable), String(r.unscored)],
  ]);
  const widths = COLUMNS.map((c, i) => Math.max(c.length, ...cells.map((row) => row[i]?.length ?? 0)));
  return [COLUMNS, ...cells]
    .map((row) =>
      row
        .map((c, i) => c.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

/**
 * How well the LLM judges of an experiment do, wherever a program or a person judged the same check: sensitivity and specificity
 * with Wilson's intervals, a judge and category.
 * @throws BenchError('usage') when the directory is no experiment
 */
export const calibrateExperiment = async (dir: string): Promise<{ text: string; calibration: Calibration[] }> => {
  const { planned } = await loadExperiment(dir);
  const files = [];
  for (const { key } of planned) files.push(await readVerdicts(rolloutDir(dir, key)));
  const calibration = calibrate(files);
  const nothing =
    'Nothing to compare: no check was judged by an LLM and by a program (judge: also, panel: paper) or a person (octobench verdict set).';
  return { text: calibration.length === 0 ? nothing : tableText(calibration), calibration };
};
