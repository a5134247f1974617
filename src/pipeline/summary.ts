import { resultJson } from '../report/result.ts';
import type { ReportData } from '../report/schema.ts';
import { terminalSummary } from '../report/terminal.ts';
import type { View } from './schema.ts';

/** What a command shows of the results: text for people, the numbers, and whether there are gaps. */
export const summaryText = (
  dir: string,
  data: ReportData,
  view: View,
): { dir: string; text: string; result: unknown; gaps: boolean } => ({
  dir,
  text: terminalSummary(data, view),
  result: resultJson(data),
  gaps: false,
});
