import { BenchError } from '../core/errors.ts';
import { safeName } from '../core/ids.ts';
import { PROGRAM } from './judge-rollout.ts';
import { readModel, SCRIPT } from './models.ts';
import type { Experiment, JudgeSpec, ProviderSpec } from './schema.ts';

/** The column of people's verdicts. */
export const HUMAN = 'human';

/** It names files. */
const ID = /^[a-z0-9](?:[a-z0-9_.-]{0,61}[a-z0-9_-])?$/;

/** A judge of the experiment with the provider that serves it. */
export interface ModelJudge {
  spec: JudgeSpec;
  provider: ProviderSpec;
  /** The model's name on the wire. */
  name: string;
}

/**
 * Reads `id=provider/model`, or `provider/model`, whose id is made of the model's name.
 * @throws BenchError('usage') when it names no model
 */
export const readJudge = (text: string): JudgeSpec => {
  const [, id, model] = /^(?:([^=/]+)=)?([^=/]+\/.+)$/.exec(text) ?? [];
  if (model === undefined)
    throw new BenchError('usage', 'judge', `--judge takes provider/model or id=provider/model; got "${text}"`);
  return { id: id ?? safeName(model), model, granularity: 'category', samples: 1, settings: {} };
};

/** The LLM judges of an experiment. @throws BenchError('usage') for ids that are none and models that nobody serves */
export const modelJudges = (experiment: Experiment): ModelJudge[] => {
  if (experiment.panel === 'paper' && experiment.judges.length === 0)
    throw new BenchError(
      'usage',
      'judge',
      'panel: paper is a panel of LLM judges (three in the paper): name them in judges',
    );
  const seen = new Set<string>([PROGRAM, HUMAN]);
  return experiment.judges.map((spec) => {
    if (seen.has(spec.id) || !ID.test(spec.id))
      throw new BenchError(
        'usage',
        'judge',
        `"${spec.id}" cannot be a judge's id: lower case letters, digits, _ . and -, once, and not ${PROGRAM} or ${HUMAN}`,
      );
    seen.add(spec.id);
    const model = readModel({ id: spec.model }, experiment.providers);
    const provider = experiment.providers.find((p) => p.id === model.provider);
    if (model.provider === SCRIPT || provider === undefined)
      throw new BenchError('usage', 'judge', `judge ${spec.id}: a script cannot judge; name a model of a provider`);
    return { spec, provider, name: model.names.main };
  });
};

const LONGEST_RECORD = 400_000;
const ROOM = 8192;

/** What a judge's settings say, with what holds where they say nothing. */
export const judgeLimits = ({ settings }: JudgeSpec): { window: number; maxOutputTokens: number } => {
  const positive = (value: unknown, otherwise: number): number =>
    typeof value === 'number' && value > 0 ? Math.floor(value) : otherwise;
  return {
    window: positive(settings.window, LONGEST_RECORD),
    maxOutputTokens: positive(settings.max_output_tokens, ROOM),
  };
};
