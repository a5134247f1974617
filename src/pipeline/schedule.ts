import { BenchError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import type { Problem } from '../core/problem.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { rolloutKey } from '../rollout/store.ts';
import { parseScaffoldRef, resolveVersion } from '../scaffolds/all.ts';
import type { Experiment, PlannedRollout } from './schema.ts';
import { scriptOf } from './scripts.ts';

/** The instance as this rollout asks it. */
export const asPlanned = (instance: Instance, { queries }: Pick<PlannedRollout, 'queries'>): Instance =>
  queries === undefined ? instance : { ...instance, queries };

type Wanted = { id: string; version: string; substitutedFor: string | null };

const scaffoldsFor = (instance: Instance, experiment: Experiment): Wanted[] => {
  const own = instance.scaffold;
  const refs =
    experiment.scaffolds.length > 0
      ? experiment.scaffolds.map(parseScaffoldRef)
      : [{ ...parseScaffoldRef(own.id), version: own.version }];
  return refs.map(({ scaffold, version }) => ({
    id: scaffold.id,
    ...resolveVersion(scaffold, version, experiment.strictVersion),
  }));
};

/**
 * The matrix instances x scaffolds x models x variants x repeats, in an order that depends on the seed alone: a run that is
 * stopped half-way has touched all arms evenly, and a resumed one goes on in the same order.
 * @throws BenchError('input') naming each model without a script for an instance, each unknown scaffold
 */
export const planRollouts = (dataset: Dataset, experiment: Experiment): PlannedRollout[] => {
  const planned: PlannedRollout[] = [];
  const problems: Problem[] = [];
  for (const instance of dataset.instances) {
    for (const model of experiment.models) {
      const missing = scriptOf(instance, model).problem;
      if (missing !== null) problems.push(missing);
    }
    for (const scaffold of scaffoldsFor(instance, experiment)) {
      for (const model of experiment.models) {
        for (const variant of experiment.variants) {
          for (let repeat = 0; repeat < experiment.repeats; repeat++) {
            const names = [instance.id, `${scaffold.id}@${scaffold.version}`, model.id, variant.id, String(repeat)];
            planned.push({
              key: rolloutKey(names),
              instance: instance.id,
              scaffold,
              model: model.id,
              variant: variant.id,
              repeat,
            });
          }
        }
      }
    }
  }
  if (problems.length > 0) {
    throw new BenchError('input', 'schedule', 'some models cannot play some instances', { problems });
  }
  const rank = new Map(planned.map((p) => [p.key, sha256(`${experiment.seed}~${p.key}`)]));
  return planned.sort((a, b) => ((rank.get(a.key) ?? '') < (rank.get(b.key) ?? '') ? -1 : 1));
};
