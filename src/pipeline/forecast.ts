import { showBytes, showDuration } from '../core/units.ts';
import type { Dataset } from '../dataset/schema.ts';
import { defaultCacheDir, listInstalled } from '../scaffolds/install.ts';
import { modelJudges } from './judge-specs.ts';
import { SCRIPT } from './models.ts';
import type { ExperimentFile } from './schema.ts';

/* What a rollout takes where nothing better is known: measured with scripted models; real ones take minutes a query. */
const SCRIPTED_MS = 15_000;
const REAL_MS_A_QUERY = 5 * 60_000;
const CALLS_A_QUERY = 30;
const BYTES_A_ROLLOUT = 2_000_000;
const TOKENS_A_CALL = { input: 40_000, output: 600 };
const TOKENS_A_JUDGING = { input: 50_000, output: 800 };

/** What LLM judges would be sent: every category in a request of its own, cached tokens counted in full. */
const judgingOf = ({ experiment, planned }: ExperimentFile, dataset: Dataset) => {
  const categories = new Map(dataset.instances.map((i) => [i.id, i.checklist.categories.length]));
  const judges = experiment.panel === 'programs' ? [] : modelJudges(experiment);
  const asked = planned.reduce((n, p) => n + (categories.get(p.instance) ?? 1), 0);
  return judges.map(({ spec, name }) => {
    const requests = asked * spec.samples;
    const price = experiment.prices[name];
    const { input, output } = TOKENS_A_JUDGING;
    const cost = price === undefined ? null : (requests * (input * price.input + output * price.output)) / 1e6;
    return { judge: spec.id, requests, cost };
  });
};

/** What an experiment would take: rollouts, judgings, time, disk and cost, with the assumptions behind them. */
export const forecastText = async (
  file: ExperimentFile,
  dataset: Dataset,
  env: NodeJS.ProcessEnv,
): Promise<{ text: string; json: unknown }> => {
  const { experiment, planned } = file;
  const queries = new Map(dataset.instances.map((i) => [i.id, i.queries.length]));
  const models = new Map(experiment.models.map((m) => [m.id, m]));
  let ms = 0;
  let calls = 0;
  let cost = 0;
  const unpriced = new Set<string>();
  for (const p of planned) {
    const n = queries.get(p.instance) ?? 1;
    const model = models.get(p.model);
    const scripted = model?.provider === SCRIPT;
    ms += scripted ? SCRIPTED_MS : REAL_MS_A_QUERY * n;
    calls += CALLS_A_QUERY * n;
    if (scripted || model === undefined) continue;
    const price = experiment.prices[model.names.main];
    if (price === undefined) unpriced.add(model.id);
    else cost += (CALLS_A_QUERY * n * (TOKENS_A_CALL.input * price.input + TOKENS_A_CALL.output * price.output)) / 1e6;
  }
  const judges = Math.max(1, experiment.judges.length);
  const judging = judgingOf(file, dataset);
  const there = new Set((await listInstalled(defaultCacheDir(env))).map((i) => `${i.id}@${i.version}`));
  const scaffolds = [...new Set(planned.map((p) => `${p.scaffold.id}@${p.scaffold.version}`))];
  const time = ms / experiment.concurrency;
  const json = {
    version: 1,
    rollouts: planned.length,
    judgings: planned.length * judges,
    judging,
    calls,
    ms: time,
    bytes: planned.length * BYTES_A_ROLLOUT,
    cost: unpriced.size > 0 ? null : cost,
    unpriced: [...unpriced],
    sandbox: file.sandbox,
    scaffolds,
    notes: file.notes,
    planned,
  };
  const price = unpriced.size > 0 ? `unknown: no price for ${[...unpriced].join(', ')}` : cost.toFixed(2);
  const text = [
    `${planned.length} rollouts of ${dataset.instances.length} instances, ${json.judgings} judgings`,
    `sandbox: ${file.sandbox?.kind}`,
    `scaffolds: ${scaffolds.map((s) => `${s}${there.has(s) ? '' : ' (to be installed)'}`).join(', ')}`,
    `about ${calls} calls, ${showDuration(time)} at ${experiment.concurrency} at a time, ${showBytes(json.bytes)} on disk, cost ${price}`,
    ...judging.map((j) => {
      const spent = j.cost === null ? 'unknown: no price' : j.cost.toFixed(2);
      return `judge ${j.judge}: at most about ${j.requests} requests of ${TOKENS_A_JUDGING.input} tokens, cost ${spent}`;
    }),
    `assumed: ${CALLS_A_QUERY} calls a query of ${TOKENS_A_CALL.input} tokens in and ${TOKENS_A_CALL.output} out; caching not counted`,
    ...file.notes,
    'Nothing was run (--dry-run).',
  ].join('\n');
  return { text, json };
};
