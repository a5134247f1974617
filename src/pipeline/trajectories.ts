import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { Instance } from '../dataset/schema.ts';
import { readCalls } from '../recording/store.ts';
import type { LoadTrajectory } from '../report/schema.ts';
import type { Rollout } from '../rollout/schema.ts';
import { callLog } from '../rollout/store.ts';
import { dialects, findScaffold } from '../scaffolds/all.ts';
import type { Dialect } from '../scaffolds/dialect.ts';
import { withActions } from '../trajectory/actions.ts';
import { normalizeCallStream } from '../trajectory/normalize.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { readTrajectory, writeTrajectory } from '../trajectory/store.ts';
import { exists, filesIn, rolloutDir, trajectoryPath } from './store.ts';

/** The dialect of the scaffold that ran; null for imports of an unknown one. */
export const dialectOf = (rollout: Rollout): Dialect | null =>
  findScaffold(rollout.scaffold.id)?.dialect(rollout.scaffold.version) ?? null;

/** Makes the trajectory of a rollout from its counted attempt's calls. */
const build = async (
  dir: string,
  rollout: Rollout,
  instance: Pick<Instance, 'systemPrompt' | 'environmentDir'>,
): Promise<Trajectory> => {
  const attempt = rollout.counted ?? 0;
  const log = await callLog(dir, attempt);
  if (log === null) throw new BenchError('input', 'trajectory', `${dir} has no recorded calls of attempt ${attempt}`);
  const labels = { rollout: rollout.key, instance: rollout.instance, model: rollout.model };
  const { trajectories, problems } = await normalizeCallStream(readCalls(log), { labels });
  const [first] = trajectories;
  if (first === undefined) throw new BenchError('input', 'trajectory', `${log} holds no call of a model`, { problems });
  const whole: Trajectory = { ...first, workspace: rollout.workspace, problems: [...first.problems, ...problems] };
  return withActions(whole, dialectOf(rollout) ?? 'detect', dialects, {
    ...(instance.systemPrompt === '' ? {} : { appended: instance.systemPrompt }),
    ...(instance.environmentDir === null
      ? {}
      : { baseFiles: await filesIn(join(instance.environmentDir, 'workspace')) }),
  });
};

/** The trajectory of a rollout: read, or made from the calls and written when it is not there yet. */
export const trajectoryOf = async (
  dir: string,
  rollout: Rollout,
  instance: Pick<Instance, 'systemPrompt' | 'environmentDir'>,
): Promise<Trajectory> => {
  const path = trajectoryPath(dir);
  if (await exists(path)) return readTrajectory(path);
  const trajectory = await build(dir, rollout, instance);
  await writeTrajectory(path, trajectory);
  return trajectory;
};

/** Gives the report one trajectory at a time, by key of the rollout. */
export const loadTrajectory =
  (dir: string): LoadTrajectory =>
  async (key) => {
    const path = trajectoryPath(rolloutDir(dir, key));
    return (await exists(path)) ? readTrajectory(path) : null;
  };
