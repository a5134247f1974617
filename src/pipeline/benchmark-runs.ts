import type { WitnessRun, Word } from '../checklist/witness.ts';
import { VERSION } from '../core/version.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { chooseSandbox } from '../environment/providers.ts';
import { tryRule } from '../judge/verify.ts';
import { parseScript } from '../recording/script.ts';
import { COUNTED, type Rollout } from '../rollout/schema.ts';
import { readRollout, rolloutKey } from '../rollout/store.ts';
import { type Overrides, readExperiment } from './experiment.ts';
import { PROGRAM, readForJudging } from './judge-rollout.ts';
import { SCRIPT } from './models.ts';
import { execute } from './run.ts';
import type { ExperimentFile, Hooks, PlannedRollout } from './schema.ts';
import { lockExperiment, readNamed, readVerdicts, rolloutDir, writeExperiment } from './store.ts';

/** One script on one instance under one scaffold. */
export interface Wanted {
  instance: Instance;
  script: string;
  scaffold: PlannedRollout['scaffold'];
}

/** The model that plays a script file: the inverse of `scriptOf`. */
const modelOfScript = (instance: Instance, script: string): string => {
  const name = (): string => {
    if (instance.conflictType !== null) return script;
    if (script === 'follow') return 'careful';
    return script.startsWith('follow-') ? `careful-${script.slice('follow-'.length)}` : script.replace(/^break-/, '');
  };
  return `${SCRIPT}/${name()}`;
};

const VARIANT = 'base';

const plannedOf = ({ instance, script, scaffold }: Wanted): PlannedRollout => {
  const model = modelOfScript(instance, script);
  const key = rolloutKey([instance.id, `${scaffold.id}@${scaffold.version}`, model, VARIANT, '0']);
  return { key, instance: instance.id, scaffold, model, variant: VARIANT, repeat: 0 };
};

const WORDS: Readonly<Record<string, Word>> = { S: 'success', F: 'fail', N: 'not_applicable', U: 'unscored' };

const observedOf = async (
  dir: string,
  rollout: Rollout,
  instance: Instance,
  setup: string[],
): Promise<Pick<WitnessRun, 'observed'>> => {
  const { conflict } = instance;
  if (conflict === undefined) return {};
  const { trajectory, context } = await readForJudging(dir, rollout, instance, setup);
  const wordOf = (rule: unknown): Word => {
    const tried = tryRule(trajectory, rule, context);
    return 'truth' in tried ? (WORDS[tried.truth] ?? 'unscored') : 'unscored';
  };
  return { observed: { a: wordOf(conflict.a.observed), b: wordOf(conflict.b.observed) } };
};

const verdictsOf = async (dir: string, instance: Instance): Promise<Record<string, Word>> => {
  const rules = new Set(
    instance.checklist.categories.flatMap((c) => c.checks.flatMap((k) => (k.verify === undefined ? [] : [k.id]))),
  );
  const program = (await readVerdicts(dir)).find((f) => f.judge === PROGRAM);
  const verdicts = program?.samples[0]?.verdicts ?? [];
  return Object.fromEntries(verdicts.filter((v) => rules.has(v.check)).map((v) => [v.check, v.verdict]));
};

const outcomeOf = (rollout: Rollout): string => {
  const { outcome, reason, attempts } = rollout;
  const message = attempts.at(-1)?.message ?? null;
  return `${outcome}${reason === null ? '' : ` (${reason})`}${message === null ? '' : `: ${message}`}`;
};

/** What a wanted run came to; null when it did not get to its end. */
const readRun = async (experiment: string, wanted: Wanted, setup: string[]): Promise<WitnessRun | null> => {
  const { instance, script } = wanted;
  const dir = rolloutDir(experiment, plannedOf(wanted).key);
  const rollout = await readRollout(dir);
  if (rollout === null) return null;
  const file = instance.scripts[script] ?? '';
  const { breaks } = parseScript(await readNamed(file), file);
  const counts = rollout.outcome !== null && COUNTED.has(rollout.outcome);
  return {
    script,
    breaks,
    outcome: outcomeOf(rollout),
    solved: rollout.solved?.ok ?? null,
    verdicts: counts ? await verdictsOf(dir, instance) : {},
    ...(counts ? await observedOf(dir, rollout, instance, setup) : {}),
  };
};

export interface PlayOptions extends Hooks {
  env: NodeJS.ProcessEnv;
  /** Directory of the experiment; it stays. */
  dir: string;
  concurrency: number | null;
  sandbox: string | null;
}

const experimentOf = async (
  dataset: Dataset,
  wanted: readonly Wanted[],
  options: PlayOptions,
): Promise<ExperimentFile> => {
  const planned = wanted.map(plannedOf);
  const overrides: Overrides = {
    dataset: dataset.source,
    models: [...new Set(planned.map((p) => p.model))],
    timeout: '10m',
    ...(options.concurrency === null ? {} : { concurrency: options.concurrency }),
    ...(options.sandbox === null ? {} : { sandbox: options.sandbox }),
  };
  const { experiment, base } = await readExperiment(null, overrides, options.env);
  const sandbox = await chooseSandbox(experiment.sandbox, true);
  return {
    version: 1,
    octobench: VERSION,
    created: new Date().toISOString(),
    base,
    experiment: { ...experiment, name: 'benchmark-verify' },
    dataset: { digest: dataset.digest, revision: dataset.revision, instances: dataset.instances.length },
    sandbox: { kind: sandbox.provider.kind, note: sandbox.note },
    planned,
    notes: sandbox.note === null ? [] : [sandbox.note],
  };
};

/**
 * Plays scripts on the real scaffold as one experiment: each on its own instance alone, unlike the matrix of `run`.
 * @returns what each came to, in their order; null for those that an interrupt kept from their end
 * @throws BenchError as `runExperiment` does, before anything has run
 */
export const playScripts = async (
  dataset: Dataset,
  wanted: readonly Wanted[],
  options: PlayOptions,
): Promise<(WitnessRun | null)[]> => {
  const file = await experimentOf(dataset, wanted, options);
  const release = await lockExperiment(options.dir);
  try {
    await writeExperiment(options.dir, file);
    await execute(options.dir, file, dataset, { ...options, failUnder: null, view: { width: 100, color: false } });
  } finally {
    await release();
  }
  const setups = new Map(dataset.environments.map((e) => [e.name, e.setup]));
  const runs: (WitnessRun | null)[] = [];
  for (const one of wanted) runs.push(await readRun(options.dir, one, setups.get(one.instance.environment) ?? []));
  return runs;
};
