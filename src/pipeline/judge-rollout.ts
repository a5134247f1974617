import { lengthOf } from '../analysis/turns.ts';
import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import { VERSION } from '../core/version.ts';
import type { Instance } from '../dataset/schema.ts';
import { writeJson } from '../host/files.ts';
import type { VerdictFile } from '../judge/schema.ts';
import { verifyAll } from '../judge/verify.ts';
import type { VerifyContext } from '../judge/world.ts';
import type { Rollout } from '../rollout/schema.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { changesOf } from './changes.ts';
import type { Progress } from './schema.ts';
import { keepOldVerdicts, verdictPath } from './store.ts';
import { dialectOf, trajectoryOf } from './trajectories.ts';
import { workspaceAnswers } from './workspace-answers.ts';

/** The judge that is a program: verdicts of `verify` rules. */
export const PROGRAM = 'program';

/** What a judge of a rollout reads: its trajectory, made when it is not there yet, and what else programs are told. */
export const readForJudging = async (
  dir: string,
  rollout: Rollout,
  instance: Instance,
  setup: string[],
): Promise<{ trajectory: Trajectory; context: VerifyContext }> => {
  const trajectory = await trajectoryOf(dir, rollout, instance);
  const dialect = dialectOf(rollout);
  const changes = await changesOf(dir, rollout);
  const workspace = await workspaceAnswers(dir, rollout, instance, setup);
  const context: VerifyContext = {
    scaffold: rollout.scaffold.id,
    ...(rollout.origin === 'run' ? { queries: instance.queries } : { imported: true }),
    systemPrompt: instance.systemPrompt,
    ...(dialect === null ? {} : { dialect }),
    ...(changes === null ? {} : { changes }),
    ...(workspace === null ? {} : { workspace }),
  };
  return { trajectory, context };
};

/** Digest of what programs judge by. */
export const programFingerprint = (instance: Instance, trajectory: Trajectory): string =>
  sha256(canonicalJson([VERSION, instance.checklist, trajectory]));

/**
 * Judges one rollout by programs: its trajectory is made when it is not there yet, each check of its instance gets a verdict with
 * evidence, `verdicts/program.json` is written. Verdicts that differ from those there before are kept under `verdicts/old`.
 */
export const judgeRollout = async (
  dir: string,
  rollout: Rollout,
  instance: Instance,
  setup: string[],
  onProgress: (event: Progress) => void,
): Promise<void> => {
  const { trajectory, context } = await readForJudging(dir, rollout, instance, setup);
  const { verdicts } = verifyAll(trajectory, instance.checklist, context);
  const file: VerdictFile = {
    version: 1,
    judge: PROGRAM,
    fingerprint: programFingerprint(instance, trajectory),
    ...lengthOf(trajectory),
    samples: [{ sample: 0, verdicts }],
  };
  await keepOldVerdicts(dir, file);
  await writeJson(verdictPath(dir, PROGRAM), file);
  const of = (value: string): number => verdicts.filter((v) => v.verdict === value).length;
  onProgress({ type: 'judged', key: rollout.key, fail: of('fail'), unscored: of('unscored'), checks: verdicts.length });
};
