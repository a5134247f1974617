import { join } from 'node:path';
import { majorityVerdicts } from '../analysis/refine.ts';
import { sha256 } from '../core/ids.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { checkKey } from '../metrics/score.ts';
import type { ReportData, ReportRollout } from '../report/schema.ts';
import type { SourceLabel } from '../scaffolds/dialect.ts';
import { givenText } from '../trajectory/view.ts';
import { type FailedCheck, feedbackOf } from './feedback.ts';
import { filesMatching } from './store.ts';
import { loadTrajectory } from './trajectories.ts';

/** A partial failure that is run again, and what its next run is told. */
export interface SelectedRollout {
  /** Of the rollout, the same in every arm. */
  key: string;
  feedback: string;
  /** Failed checks the feedback was made of, and those it was made without, by `checkKey`. */
  told: string[];
  heldBack: string[];
}

export interface Selection {
  selected: SelectedRollout[];
  /** Partial failures of which nothing could be said without giving an answer away. */
  unsayable: string[];
}

const GIVEN: readonly SourceLabel[] = [
  'system_prompt',
  'system_reminder',
  'query',
  'agents_md',
  'skill',
  'memory',
  'tool_schema',
  'environment',
];
/** Files of a workspace that instruct agents. */
const INSTRUCTIONS =
  '{**/CLAUDE.md,**/AGENTS.md,**/SKILL.md,**/.claude/**,**/.factory/**,**/.kilocode/**,**/.cursor/**,**/memory-bank/**}';

/** Everything the agent was told, or could read as instructions: what feedback may quote. */
const sourcesOf = async (dir: string, key: string, instance: Instance): Promise<string[]> => {
  const trajectory = await loadTrajectory(dir)(key);
  const folder = instance.environmentDir;
  const files = folder === null ? [] : await filesMatching(join(folder, 'workspace'), INSTRUCTIONS);
  return [
    ...instance.queries,
    instance.systemPrompt,
    ...(trajectory === null ? [] : givenText(trajectory, GIVEN)),
    ...files.flatMap((f) => [f.rel, f.text]),
  ];
};

/** A number from 0 to 1 that depends on the words alone. */
const lot = (...words: readonly string[]): number => Number.parseInt(sha256(words.join('~')).slice(0, 8), 16) / 2 ** 32;

/** Draws the share of failed checks that is held back; at least one is told. */
export const drawHeldBack = (failed: readonly string[], share: number, seed: string): Set<string> => {
  const wanted = Math.floor(failed.length * share + lot(seed, 'rounding'));
  const order = failed.toSorted((a, b) => lot(seed, a) - lot(seed, b));
  return new Set(order.slice(0, Math.max(0, Math.min(failed.length - 1, wanted))));
};

const failedChecks = (rollout: ReportRollout, instance: Instance, keys: ReadonlySet<string>): FailedCheck[] =>
  instance.checklist.categories.flatMap(({ category, checks }) =>
    checks.flatMap((check) => {
      const key = checkKey({ category, check: check.id });
      const row = rollout.rows.find((r) => checkKey(r) === key && r.verdict === 'fail');
      return keys.has(key) && row !== undefined ? [{ check, category, evidence: row.evidence }] : [];
    }),
  );

/**
 * The partial failures of an experiment (something was kept and something broken, by the majority of the panel), each with its
 * feedback. `holdBack` of the failed checks, drawn by the experiment's seed, are left out of it.
 */
export const selectPartialFailures = async (
  dir: string,
  data: ReportData,
  dataset: Dataset,
  holdBack: number,
): Promise<Selection> => {
  const instances = new Map(dataset.instances.map((i) => [i.id, i]));
  const selection: Selection = { selected: [], unsayable: [] };
  for (const rollout of data.rollouts) {
    const instance = instances.get(rollout.instance);
    if (!rollout.counted || instance === undefined) continue;
    const verdicts = [...majorityVerdicts(rollout.rows, data.results.judges)];
    const failed = verdicts.filter(([, v]) => v === 'fail').map(([key]) => key);
    if (failed.length === 0 || !verdicts.some(([, v]) => v === 'success')) continue;
    const held = drawHeldBack(failed, holdBack, `${data.experiment.seed}~${rollout.key}`);
    const told = failed.filter((key) => !held.has(key));
    const sources = await sourcesOf(dir, rollout.key, instance);
    const feedback = feedbackOf(failedChecks(rollout, instance, new Set(told)), instance.checklist, sources);
    if (feedback === null) selection.unsayable.push(rollout.key);
    else selection.selected.push({ key: rollout.key, feedback, told, heldBack: [...held] });
  }
  return selection;
};
