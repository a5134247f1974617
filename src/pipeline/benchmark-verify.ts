import { resolve } from 'node:path';
import { verifiable, type WitnessFinding, type WitnessRun, witnessFindings } from '../checklist/witness.ts';
import { BenchError } from '../core/errors.ts';
import { printable } from '../core/text.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { parseScaffoldRef, resolveVersion } from '../scaffolds/all.ts';
import { playScripts, type Wanted } from './benchmark-runs.ts';
import { createDigester, readVerified, type VerifiedRun, writeVerified } from './benchmark-verified.ts';
import { usableDataset } from './datasets.ts';
import type { Hooks } from './schema.ts';
import { exists, experimentPath, temporaryFolder } from './store.ts';

export interface VerifyBenchmarkOptions extends Hooks {
  folder: string;
  include: string[];
  /** Scaffold to verify on; null = each instance's own. */
  scaffold: string | null;
  /** Run everything, whatever is on record. */
  fresh: boolean;
  /** Directory of the experiment; null = a temporary one, kept only when there is something to find. */
  output: string | null;
  concurrency: number | null;
  sandbox: string | null;
  env: NodeJS.ProcessEnv;
}

/** One instance on one scaffold. */
interface InstanceReport {
  instance: string;
  scaffold: string;
  conflict: boolean;
  scripts: { script: string; state: 'run' | 'on_record' | 'interrupted' }[];
  /** Checks with a rule for this scaffold. */
  checks: number;
  findings: WitnessFinding[];
}

export interface BenchmarkVerified {
  text: string;
  json: unknown;
  findings: number;
  interrupted: boolean;
}

/** A wanted run with its digest and what is known of it. */
interface Slot extends Wanted {
  ref: string;
  digest: string;
  run: WitnessRun | null;
  state: InstanceReport['scripts'][number]['state'];
}

const scaffoldOf = (instance: Instance, named: string | null): Wanted['scaffold'] => {
  const asked =
    named === null
      ? { ...parseScaffoldRef(instance.scaffold.id), version: instance.scaffold.version }
      : parseScaffoldRef(named);
  return { id: asked.scaffold.id, ...resolveVersion(asked.scaffold, asked.version, false) };
};

const slotsOf = async (dataset: Dataset, options: VerifyBenchmarkOptions): Promise<Slot[]> => {
  const digestOf = createDigester();
  const before = options.fresh ? [] : await readVerified(options.folder);
  const record = new Map(before.map((run) => [run.digest, run]));
  const slots: Slot[] = [];
  for (const instance of dataset.instances) {
    const scaffold = scaffoldOf(instance, options.scaffold);
    const ref = `${scaffold.id}@${scaffold.version}`;
    for (const script of Object.keys(instance.scripts).sort()) {
      const digest = await digestOf(instance, script, ref);
      const run = record.get(digest) ?? null;
      slots.push({ instance, script, scaffold, ref, digest, run, state: run === null ? 'interrupted' : 'on_record' });
    }
  }
  return slots;
};

/** Where the runs are, and what takes them away. */
interface Played {
  dir: string;
  remove: () => Promise<void>;
}

/** Plays what is not on record; null when there is nothing to play. */
const play = async (
  dataset: Dataset,
  slots: readonly Slot[],
  options: VerifyBenchmarkOptions,
): Promise<Played | null> => {
  const open = slots.filter((s) => s.run === null);
  if (open.length === 0) return null;
  const place: Played =
    options.output === null
      ? await temporaryFolder('octobench-verify-').then(({ path, remove }) => ({ dir: path, remove }))
      : { dir: options.output, remove: async () => undefined };
  const { dir } = place;
  if (await exists(experimentPath(dir)))
    throw new BenchError('usage', 'benchmark', `${dir} holds an experiment already; name another directory`);
  const { onProgress, drain, stop, env, concurrency, sandbox } = options;
  const played = await playScripts(dataset, open, { onProgress, drain, stop, env, concurrency, sandbox, dir });
  for (const [i, slot] of open.entries()) {
    slot.run = played[i] ?? null;
    if (slot.run !== null) slot.state = 'run';
  }
  return place;
};

const reportOf = (instance: Instance, own: readonly Slot[], options: VerifyBenchmarkOptions): InstanceReport => {
  const scaffold = scaffoldOf(instance, options.scaffold);
  const runs = own.flatMap((s) => (s.run === null ? [] : [s.run]));
  const whole = own.every((s) => s.run !== null);
  return {
    instance: instance.id,
    scaffold: `${scaffold.id}@${scaffold.version}`,
    conflict: instance.conflict !== undefined,
    scripts: own.map(({ script, state }) => ({ script, state })),
    checks: instance.conflict === undefined ? verifiable(instance, scaffold.id).length : 0,
    // What was interrupted proves nothing, and lacks nothing either.
    findings: whole ? witnessFindings(instance, scaffold.id, runs) : [],
  };
};

const keepRecord = async (
  dataset: Dataset,
  slots: readonly Slot[],
  reports: readonly InstanceReport[],
  options: VerifyBenchmarkOptions,
): Promise<void> => {
  const faulty = new Set(reports.flatMap((r) => r.findings.map((f) => `${r.instance}\n${r.scaffold}\n${f.script}`)));
  // An interrupted run says nothing against what is on record.
  const touched = new Set(slots.filter((s) => s.run !== null).map((s) => `${s.instance.id}\n${s.ref}\n${s.script}`));
  const scripts = new Map(dataset.instances.map((i) => [i.id, i.scripts]));
  const isThere = (run: VerifiedRun): boolean =>
    options.include.length > 0 || scripts.get(run.instance)?.[run.script] !== undefined;
  const others = (await readVerified(options.folder)).filter(
    (run) => !touched.has(`${run.instance}\n${run.scaffold}\n${run.script}`) && isThere(run),
  );
  const good = slots.flatMap(({ instance, ref, script, digest, run }): VerifiedRun[] => {
    if (run === null || faulty.has(`${instance.id}\n${ref}\n${script}`)) return [];
    return [{ instance: instance.id, scaffold: ref, digest, ...run }];
  });
  await writeVerified(options.folder, [...others, ...good]);
};

const findingLine = ({ script, check, message }: WitnessFinding): string =>
  `    ${[script, check].filter((x) => x !== undefined).join(' ')}${script === undefined && check === undefined ? '' : ': '}${message}`;

const reportLines = (r: InstanceReport, width: number): string[] => {
  const of = (state: InstanceReport['scripts'][number]['state']): number =>
    r.scripts.filter((s) => s.state === state).length;
  const cut = of('interrupted');
  const what = r.conflict ? 'conflict' : `${r.checks} checks`;
  const state = cut > 0 ? `${cut} interrupted` : r.findings.length === 0 ? 'ok' : `${r.findings.length} findings`;
  const ran = `${r.scripts.length} scripts (${of('on_record')} on record)`;
  return [`${r.instance.padEnd(width)}  ${r.scaffold}  ${what}, ${ran}: ${state}`, ...r.findings.map(findingLine)];
};

const textOf = (reports: readonly InstanceReport[], dir: string | null, findings: number): string => {
  const width = Math.max(0, ...reports.map((r) => r.instance.length));
  const plain = reports.filter((r) => !r.conflict);
  const checks = plain.reduce((n, r) => n + r.checks, 0);
  const end =
    findings === 0
      ? `${plain.length} instances with ${checks} checks and ${reports.length - plain.length} conflicts: nothing to find`
      : `${findings} findings${dir === null ? '' : `; the runs are in ${dir} (octobench show KEY -e DIR)`}`;
  return printable([...reports.flatMap((r) => reportLines(r, width)), '', end].join('\n'));
};

/**
 * Runs every script of every instance and conflict of a benchmark folder on the real scaffold and says which checks lack a witness,
 * which scripts are not what they claim, which tasks are not solved. Runs without findings are kept in `verified.json` by the digest
 * of script, instance, environment, scaffold and rules, and not run again.
 * @throws BenchError('usage' | 'input' | 'unavailable') before anything has run
 */
export const verifyBenchmark = async (options: VerifyBenchmarkOptions): Promise<BenchmarkVerified> => {
  const folder = resolve(options.folder);
  const own = { ...options, folder };
  const dataset = await usableDataset(folder, { include: options.include, exclude: [], limit: null }, options.env);
  if (dataset.environments.length === 0)
    throw new BenchError('usage', 'benchmark', `${options.folder} is no benchmark folder: it has no environments`);
  const slots = await slotsOf(dataset, own);
  const played = await play(dataset, slots, own);
  const slotsBy = Map.groupBy(slots, (s) => s.instance);
  const reports = dataset.instances.map((instance) => reportOf(instance, slotsBy.get(instance) ?? [], own));
  await keepRecord(dataset, slots, reports, own);
  const findings = reports.reduce((n, r) => n + r.findings.length, 0);
  const interrupted = slots.some((s) => s.state === 'interrupted');
  // Nobody looks into runs that are as they have to be.
  if (findings === 0 && !interrupted) await played?.remove();
  const dir = findings === 0 && options.output === null ? null : (played?.dir ?? null);
  return {
    text: textOf(reports, dir, findings),
    json: { version: 1, ok: findings === 0 && !interrupted, experiment: dir, instances: reports },
    findings,
    interrupted,
  };
};
