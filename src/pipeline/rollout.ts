import type { Instance } from '../dataset/schema.ts';
import { monotonic, sleep } from '../host/clock.ts';
import { backOff, needsAttempt, type RolloutHeader, rolloutOf } from '../rollout/commit.ts';
import { COUNTED, type Rollout } from '../rollout/schema.ts';
import { beginAttempt, readAttempts, writeRollout } from '../rollout/store.ts';
import { runAttempt } from './attempt.ts';
import { judgeRollout } from './judge-rollout.ts';
import { asPlanned } from './schedule.ts';
import type { Hooks, PlannedRollout } from './schema.ts';
import { rolloutDir } from './store.ts';
import type { Workbench } from './workbench.ts';

const headerOf = (bench: Workbench, planned: PlannedRollout, instance: Instance): RolloutHeader => {
  const installed = bench.installed(planned.scaffold.id, planned.scaffold.version);
  return {
    key: planned.key,
    instance: instance.id,
    instanceDigest: instance.digest,
    environment: instance.environment,
    scaffold: { ...planned.scaffold, binaryDigest: installed.digest },
    model: planned.model,
    variant: planned.variant,
    repeat: planned.repeat,
    workspace: instance.workspace,
    origin: 'run',
  };
};

/**
 * Runs one rollout to its commit point: attempts until one counts or infrastructure failures used up the tries, then `rollout.json`,
 * then its verdicts. Stopped before that, it leaves no `rollout.json`, and a resumed experiment runs it again.
 */
export const runRollout = async (bench: Workbench, planned: PlannedRollout, hooks: Hooks): Promise<void> => {
  const dir = rolloutDir(bench.dir, planned.key);
  const instance = asPlanned(bench.instance(planned.instance), planned);
  for (;;) {
    const before = await readAttempts(dir);
    if (!needsAttempt(before)) break;
    const failures = before.filter((a) => a.outcome === 'infra_failed').length;
    await sleep(backOff(failures), hooks.drain);
    if (hooks.drain.aborted) return;
    const next = await beginAttempt(dir);
    hooks.onProgress({ type: 'started', key: planned.key, attempt: next.attempt });
    const from = monotonic();
    const attempt = await runAttempt(bench, planned, next, hooks.stop);
    const { outcome, reason } = attempt;
    const retried = needsAttempt([...before, attempt]);
    const ms = monotonic() - from;
    hooks.onProgress({ type: 'ended', key: planned.key, attempt: next.attempt, outcome, reason, ms, retried });
    if (outcome === 'cancelled') return;
  }
  const rollout: Rollout = rolloutOf(headerOf(bench, planned, instance), await readAttempts(dir));
  await writeRollout(dir, rollout);
  if (rollout.outcome !== null && COUNTED.has(rollout.outcome)) {
    await judgeRollout(dir, rollout, instance, bench.setup(instance), hooks.onProgress);
  }
};
