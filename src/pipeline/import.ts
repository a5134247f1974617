import { basename, resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { describeProblem, type Problem } from '../core/problem.ts';
import { printable } from '../core/text.ts';
import { VERSION } from '../core/version.ts';
import { readText } from '../host/files.ts';
import type { CallRecord } from '../recording/schema.ts';
import type { Rollout } from '../rollout/schema.ts';
import { rolloutKey, writeRollout } from '../rollout/store.ts';
import { dialects, scaffolds } from '../scaffolds/all.ts';
import { withActions } from '../trajectory/actions.ts';
import { fromAtif } from '../trajectory/from-atif.ts';
import { fromClaudeTranscript } from '../trajectory/import-claude-transcript.ts';
import { normalizeCallStream } from '../trajectory/normalize.ts';
import { fromReferenceLog } from '../trajectory/reference-log.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { writeTrajectory } from '../trajectory/store.ts';
import { emptyExperiment } from './experiment.ts';
import type { ExperimentFile, PlannedRollout } from './schema.ts';
import {
  copyInto,
  exists,
  experimentPath,
  headOf,
  linesOf,
  lockExperiment,
  rolloutDir,
  trajectoryPath,
  writeExperiment,
} from './store.ts';

const UNKNOWN = 'unknown';

const mainModel = (t: Trajectory): string => {
  const main = t.threads.find((thread) => thread.role === 'main');
  const generated = main?.segments.flatMap((s) => s.messages).find((m) => m.model !== undefined);
  return generated?.model ?? UNKNOWN;
};

/** The scaffold whose tools these are. */
const scaffoldOf = (t: Trajectory): string =>
  scaffolds.find((s) => s.versions.some((v) => s.dialect(v).id === t.dialect?.id))?.id ?? UNKNOWN;

const planOf = (t: Trajectory): PlannedRollout => {
  const model = mainModel(t);
  const scaffold = { id: scaffoldOf(t), version: UNKNOWN, substitutedFor: null };
  const key = rolloutKey([t.session, `${scaffold.id}@${UNKNOWN}`, model, 'import', String(t.run)]);
  return { key, instance: t.session, scaffold, model, variant: 'import', repeat: t.run };
};

const rolloutOf = (planned: PlannedRollout, t: Trajectory): Rollout => ({
  version: 1,
  key: planned.key,
  instance: planned.instance,
  instanceDigest: '',
  environment: '',
  scaffold: {
    id: planned.scaffold.id,
    version: UNKNOWN,
    substitutedFor: null,
    reportedVersion: null,
    userAgent: null,
    binaryDigest: null,
  },
  model: planned.model,
  variant: planned.variant,
  repeat: planned.repeat,
  workspace: t.workspace ?? '',
  systemPromptMode: null,
  counted: null,
  outcome: null,
  reason: null,
  attempts: [],
  differences: [],
  sampling: {},
  files: { before: {}, after: {} },
  solved: null,
  origin: 'import',
});

const summaryOf = (
  dir: string,
  planned: PlannedRollout[],
  trajectories: readonly Trajectory[],
  problems: readonly Problem[],
): string => {
  const lines = trajectories.map((t, i) => {
    const by = (role: string): number => t.threads.filter((x) => x.role === role).length;
    const turns = t.threads
      .filter((x) => x.role === 'main')
      .flatMap((x) => x.segments.flatMap((s) => s.messages))
      .filter((m) => m.turn !== null).length;
    return `${planned[i]?.key}: main thread of ${turns} turns, ${by('subagent')} subagents, ${by('auxiliary')} auxiliary threads`;
  });
  return [
    `${trajectories.length} rollouts imported into ${dir}`,
    ...lines,
    ...problems.map((p) => `${p.severity}: ${describeProblem(p)}`),
    `Next: octobench judge ${dir} -d DATASET`,
  ]
    .map(printable)
    .join('\n');
};

type Report = { onProblem: (problem: Problem) => void };

/* A document in ATIF names its schema; a line of a transcript names its session in camel case; a logged call has a request body. */
const detectFormat = (head: string): string => {
  if (/"schema_version"\s*:\s*"ATIF/i.test(head)) return 'atif';
  return !/"request_body"/.test(head) && /"sessionId"/.test(head) ? 'claude-transcript' : 'reference';
};

/** The calls of a foreign log, whatever wrote it. */
export const importedCalls = async (
  file: string,
  format: string | null,
  report: Report,
): Promise<AsyncIterable<CallRecord>> => {
  const chosen = format ?? detectFormat(await headOf(file));
  if (chosen === 'claude-transcript') return fromClaudeTranscript(linesOf(file), report);
  if (chosen === 'reference') return fromReferenceLog(linesOf(file), report);
  const calls = fromAtif((await readText(file)) ?? '', report);
  return (async function* () {
    yield* calls;
  })();
};

/**
 * Imports recorded calls of another tool (the reference toolkit's raw log, ATIF, a transcript that Claude Code keeps) as an experiment: one rollout a run of a session, outcome unknown, marked as imported.
 * The log is kept beside them, so that every message can be opened down to its call.
 * @throws BenchError('usage') when the file is not there or the directory holds an experiment; BenchError('input') when no line is a call
 */
export const importLog = async (
  file: string,
  dir: string,
  format: string | null = null,
): Promise<{ text: string; json: unknown }> => {
  if (!(await exists(file))) throw new BenchError('usage', 'import', `there is no file ${file}`);
  if (await exists(experimentPath(dir))) {
    throw new BenchError('usage', 'import', `${dir} holds an experiment already; choose another directory with -o`);
  }
  const problems: Problem[] = [];
  const calls = await importedCalls(file, format, { onProblem: (p) => problems.push({ ...p, file }) });
  const normalized = await normalizeCallStream(calls);
  if (normalized.trajectories.length === 0) {
    throw new BenchError('input', 'import', `${file} holds no recorded call`, { problems });
  }
  const release = await lockExperiment(dir);
  try {
    const kept = await copyInto(file, dir, 'imported');
    const trajectories = normalized.trajectories.map((t) => withActions(t, 'detect', dialects));
    const planned = trajectories.map(planOf);
    for (const [i, t] of trajectories.entries()) {
      const plan = planned[i];
      if (plan === undefined) continue;
      await writeTrajectory(trajectoryPath(rolloutDir(dir, plan.key)), t);
      await writeRollout(rolloutDir(dir, plan.key), rolloutOf(plan, t));
    }
    const experiment: ExperimentFile = {
      version: 1,
      octobench: VERSION,
      created: new Date().toISOString(),
      base: resolve('.'),
      experiment: emptyExperiment(basename(file)),
      dataset: { digest: '', revision: null, instances: 0 },
      sandbox: null,
      imported: kept,
      planned,
      notes: [`Calls were imported from ${basename(file)}: how the runs ended is not known.`],
    };
    await writeExperiment(dir, experiment);
    problems.push(...normalized.problems);
    return { text: summaryOf(dir, planned, trajectories, problems), json: { version: 1, dir, planned, problems } };
  } finally {
    await release();
  }
};
