import { printable } from '../core/text.ts';
import type { Dataset } from '../dataset/schema.ts';
import { writeReport } from '../report/store.ts';
import type { ScaffoldIdentity } from '../rollout/schema.ts';
import { checkGate, collectResults, writeResult } from './results.ts';
import type { ExperimentFile, Finished, View } from './schema.ts';
import { reportDir } from './store.ts';
import { summaryText } from './summary.ts';
import { loadTrajectory } from './trajectories.ts';

export interface ConcludeOptions {
  failUnder: string | null;
  view: View;
  /** Where the report goes; null = `<dir>/report`. */
  output?: string | null;
  singleFile?: boolean;
}

/** Which program really ran: its own `--version`, its user agent on the wire, the digest of what was run. */
const ranLine = (s: ScaffoldIdentity, sandbox: string | null): string => {
  if (s.binaryDigest === null) return '';
  const version = s.reportedVersion ?? s.version;
  const agent = s.userAgent === null ? '' : `, user agent ${s.userAgent}`;
  return printable(`Ran: ${s.id} ${version}${agent}, sha256 ${s.binaryDigest.slice(0, 12)}, in ${sandbox}\n`);
};

/** Writes `result.json` and the report from the files of an experiment, and says what a person wants to see first. */
export const conclude = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  options: ConcludeOptions,
): Promise<Finished> => {
  const { data } = await collectResults(dir, file, dataset);
  const gate = checkGate(options.failUnder, data);
  await writeResult(dir, data);
  const { index } = await writeReport(options.output ?? reportDir(dir), data, {
    trajectory: loadTrajectory(dir),
    singleFile: options.singleFile === true,
  });
  const summary = summaryText(dir, data, options.view);
  const short = data.results.models.some((m) => (m.score.coverage ?? 0) < file.experiment.minCoverage);
  const ran = data.experiment.scaffolds.map((s) => ranLine(s, data.experiment.sandbox)).join('');
  return { ...summary, text: `${summary.text}\n${ran}Report: ${index}`, gaps: short, gate, interrupted: false };
};
