import { analyse } from '../analysis/analyses.ts';
import { BenchError } from '../core/errors.ts';
import type { Problem } from '../core/problem.ts';
import { VERSION } from '../core/version.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { writeJson } from '../host/files.ts';
import { familyOf } from '../judge/families.ts';
import type { Verdict, VerdictFile } from '../judge/schema.ts';
import { paperTables } from '../metrics/paper-tables.ts';
import { experimentResults } from '../metrics/results.ts';
import { resultJson } from '../report/result.ts';
import type { ReportData, ReportInstance, ReportRollout, ReportVerdict } from '../report/schema.ts';
import type { Rollout, ScaffoldIdentity } from '../rollout/schema.ts';
import { readRollout } from '../rollout/store.ts';
import { PROGRAM } from './judge-rollout.ts';
import type { Experiment, ExperimentFile, PlannedRollout } from './schema.ts';
import { readVerdicts, resultPath, rolloutDir } from './store.ts';

const NOT_JUDGED = 'not judged yet';
const SAMPLES_DIFFER = 'samples: no answer was given more than half of the times';

/** Checks of an instance that are for this scaffold. */
const checksOf = (instance: Instance, scaffold: string) =>
  instance.checklist.categories.flatMap((category) =>
    category.checks
      .filter((check) => check.scaffolds === undefined || check.scaffolds.includes(scaffold))
      .map((check) => ({ check, category: category.category })),
  );

/** One verdict a check: of a judge that was asked several times, what more than half of its answers say. */
const settledOf = ({ samples }: VerdictFile): Map<string, Verdict> => {
  const byKey = new Map<string, Verdict[]>();
  for (const { verdicts } of samples)
    for (const v of verdicts) {
      // A check id is unique within its category alone.
      const key = `${v.category}\n${v.check}`;
      byKey.set(key, [...(byKey.get(key) ?? []), v]);
    }
  const settle = (given: readonly Verdict[]): Verdict | undefined => {
    const most = given.find((v) => given.filter((w) => w.verdict === v.verdict).length * 2 > samples.length);
    const [first] = given;
    return (
      most ?? (first === undefined ? first : { ...first, verdict: 'unscored', reason: SAMPLES_DIFFER, evidence: [] })
    );
  };
  return new Map(
    [...byKey].flatMap(([key, given]): [string, Verdict][] => {
      const one = settle(given);
      return one === undefined ? [] : [[key, one]];
    }),
  );
};

/** The columns of a rollout: those of the panel, whether written yet or not, then all others there are. */
const columnsOf = (panel: readonly string[], files: readonly VerdictFile[]): VerdictFile[] => {
  const empty = (judge: string): VerdictFile => ({ version: 1, judge, fingerprint: '', samples: [] });
  return [
    ...panel.map((judge) => files.find((f) => f.judge === judge) ?? empty(judge)),
    ...files.filter((f) => !panel.includes(f.judge)),
  ];
};

const rowsOf = (
  instance: Instance,
  planned: PlannedRollout,
  panel: readonly string[],
  files: readonly VerdictFile[],
): ReportVerdict[] => {
  const checks = checksOf(instance, planned.scaffold.id);
  return columnsOf(panel, files).flatMap((file) => {
    const verdicts = settledOf(file);
    return checks.map(({ check, category }): ReportVerdict => {
      const verdict = verdicts.get(`${category}\n${check.id}`);
      return {
        instance: instance.id,
        environment: instance.environment,
        judge: file.judge,
        repeat: planned.repeat,
        check: check.id,
        category,
        checkType: check.type,
        verdict: verdict?.verdict ?? 'unscored',
        ...(verdict === undefined ? {} : { by: verdict.by }),
        reason: verdict?.reason ?? NOT_JUDGED,
        evidence: verdict?.evidence ?? [],
      };
    });
  });
};

const reportRollout = (
  planned: PlannedRollout,
  instance: Instance,
  rollout: Rollout | null,
  panel: readonly string[],
  verdicts: readonly VerdictFile[],
): ReportRollout => {
  const counts = rollout !== null && (rollout.counted !== null || rollout.origin !== 'run');
  const last = rollout?.attempts.find((a) => a.attempt === rollout.counted) ?? rollout?.attempts.at(-1);
  return {
    key: planned.key,
    instance: instance.id,
    environment: instance.environment,
    primaryCategory: instance.category,
    scaffold: `${planned.scaffold.id}@${planned.scaffold.version}`,
    model: planned.model,
    variant: planned.variant,
    repeat: planned.repeat,
    outcome: rollout?.outcome ?? null,
    counted: counts,
    solved: rollout?.solved?.ok ?? null,
    turns: verdicts.find((v) => v.turns !== undefined)?.turns ?? null,
    compactions: verdicts.find((v) => v.compactions !== undefined)?.compactions ?? [],
    rows: counts ? rowsOf(instance, planned, panel, verdicts) : [],
    reason: rollout?.reason ?? null,
    message: last?.message ?? null,
    attempts: rollout?.attempts.length ?? 0,
    calls: last?.calls ?? null,
    durationMs: last?.durationMs ?? null,
    cost: last?.cost ?? null,
    differences: rollout?.differences ?? [],
  };
};

const reportInstance = (instance: Instance): ReportInstance => ({
  id: instance.id,
  primaryCategory: instance.category,
  environment: instance.environment,
  queries: instance.queries,
  checks: instance.checklist.categories.flatMap((c) =>
    c.checks.map((check) => ({ id: check.id, category: c.category, type: check.type, description: check.description })),
  ),
});

const identities = (rollouts: readonly (Rollout | null)[]): ScaffoldIdentity[] => {
  const seen = new Map<string, ScaffoldIdentity>();
  for (const rollout of rollouts) if (rollout !== null) seen.set(JSON.stringify(rollout.scaffold), rollout.scaffold);
  return [...seen.values()];
};

const span = (rollouts: readonly (Rollout | null)[]): { startedAt: string | null; endedAt: string | null } => {
  const attempts = rollouts.flatMap((r) => r?.attempts ?? []);
  const starts = attempts.map((a) => a.startedAt).sort();
  const ends = attempts.map((a) => a.endedAt).sort();
  return { startedAt: starts[0] ?? null, endedAt: ends.at(-1) ?? null };
};

/**
 * Gathers what the files of an experiment say: rollouts, verdicts, every figure. Reads, writes nothing.
 * Rollouts whose instance the dataset no longer has are listed as problems, never dropped in silence.
 */
export const collectResults = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
): Promise<{ data: ReportData; problems: Problem[] }> => {
  const instances = new Map(dataset.instances.map((i) => [i.id, i]));
  const problems: Problem[] = [];
  const rollouts: ReportRollout[] = [];
  const read: (Rollout | null)[] = [];
  const panel = panelOf(file.experiment);
  const judges = new Map<string, VerdictFile>();
  for (const planned of file.planned) {
    const instance = instances.get(planned.instance);
    if (instance === undefined) {
      problems.push({
        kind: 'no_instance',
        severity: 'error',
        message: `the dataset has no instance ${planned.instance}: its rollout is left out`,
      });
      continue;
    }
    const rollout = await readRollout(rolloutDir(dir, planned.key));
    const verdicts = rollout === null ? [] : await readVerdicts(rolloutDir(dir, planned.key));
    // One file stands for a judge in the list; one that judges its own family, where there is any.
    for (const v of verdicts) if (judges.get(v.judge)?.llm?.ownFamily !== true) judges.set(v.judge, v);
    read.push(rollout);
    rollouts.push(reportRollout(planned, instance, rollout, panel, verdicts));
  }
  const { experiment } = file;
  const used = new Set(rollouts.map((r) => r.instance));
  const results = experimentResults(rollouts, { judges: panel });
  const data: ReportData = {
    experiment: {
      name: experiment.name,
      ...span(read),
      generatedAt: new Date().toISOString(),
      octobench: VERSION,
      dataset: { source: dataset.source, revision: dataset.revision, digest: dataset.digest },
      models: [...new Set(file.planned.map((p) => p.model))],
      variants: [...new Set(file.planned.map((p) => p.variant))],
      scaffolds: identities(read),
      sandbox: file.sandbox?.kind ?? null,
      panel: experiment.panel,
      judges: [...judges.values()].map(judgeOf),
      repeats: experiment.repeats,
      seed: experiment.seed,
      notes: [...file.notes, ...problems.map((p) => p.message), ...familyNotes(judges.values())],
    },
    instances: dataset.instances.filter((i) => used.has(i.id)).map(reportInstance),
    rollouts,
    results,
    tables: paperTables(results),
    analyses: analyse(rollouts, {
      judges: results.judges,
      seed: experiment.seed,
      families: familiesOf(file, judges.values()),
    }),
  };
  return { data, problems };
};

const judgeOf = ({ judge, fingerprint, llm, history }: VerdictFile): ReportData['experiment']['judges'][number] => ({
  id: judge,
  kind: llm !== undefined ? 'llm' : history !== undefined ? 'human' : 'program',
  model: llm?.model ?? null,
  fingerprint,
});

/** Families of models and of the judges that are models, by their names in the figures. */
const familiesOf = (file: ExperimentFile, judges: Iterable<VerdictFile>): Record<string, string> =>
  Object.fromEntries([
    ...file.planned.map(({ model }) => [model, familyOf(model)]),
    ...[...judges].flatMap(({ judge, llm }) => (llm === undefined ? [] : [[judge, familyOf(llm.model)]])),
  ]);

const familyNotes = (files: Iterable<VerdictFile>): string[] =>
  [...files].flatMap(({ judge, llm }) =>
    llm?.ownFamily === true
      ? [
          `Judge ${judge} (${llm.model}) is of the family of a model it judges; the figures by judge show those without it.`,
        ]
      : [],
  );

/** The configured panel: the judges whose columns are averaged; programs alone are a panel of one. */
const panelOf = (experiment: Experiment): string[] =>
  experiment.panel === 'programs' || experiment.judges.length === 0 ? [PROGRAM] : experiment.judges.map((j) => j.id);

/** Writes `result.json`: every number of the experiment. */
export const writeResult = (dir: string, data: ReportData): Promise<void> =>
  writeJson(resultPath(dir), resultJson(data));

const GATES = ['isr', 'csr'] as const;

/**
 * Reads `isr=0.3,csr=0.8` and compares each model with it.
 * @returns what is below, in one line; null when nothing is (or no gate was asked for)
 * @throws BenchError('usage') when the text is no gate
 */
export const checkGate = (text: string | null, data: ReportData): string | null => {
  if (text === null) return null;
  const below: string[] = [];
  for (const part of text.split(',')) {
    const [name, limit] = part.split('=').map((x) => x.trim());
    const gate = GATES.find((g) => g === name);
    const value = Number(limit);
    if (gate === undefined || limit === undefined || limit === '' || !(value >= 0 && value <= 1)) {
      throw new BenchError(
        'usage',
        'gate',
        `--fail-under takes figures between 0 and 1, e.g. isr=0.3,csr=0.8; got "${part}"`,
      );
    }
    for (const slice of data.results.models) {
      const figure = slice.score[gate];
      if (figure === null || figure < value) {
        below.push(
          `${slice.by.model}: ${gate.toUpperCase()} ${figure === null ? 'unknown' : figure.toFixed(3)} < ${value}`,
        );
      }
    }
  }
  return below.length === 0 ? null : `below --fail-under: ${below.join('; ')}`;
};
