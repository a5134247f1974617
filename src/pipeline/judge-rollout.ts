import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import { VERSION } from '../core/version.ts';
import type { Instance } from '../dataset/schema.ts';
import { writeJson } from '../host/files.ts';
import type { VerdictFile } from '../judge/schema.ts';
import { verifyAll } from '../judge/verify.ts';
import type { Rollout } from '../rollout/schema.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { changesOf } from './changes.ts';
import type { Progress } from './schema.ts';
import { keepOldVerdicts, verdictPath } from './store.ts';
import { dialectOf, trajectoryOf } from './trajectories.ts';

/** The judge that is a program: verdicts of `verify` rules. */
export const PROGRAM = 'program';

const lengthOf = (trajectory: Trajectory): { turns: number; compactions: number[] } => {
  const segments = trajectory.threads.filter((t) => t.role === 'main').flatMap((t) => t.segments);
  const turns = segments.flatMap((s) => s.messages).filter((m) => m.turn !== null);
  return {
    turns: new Set(turns.map((m) => m.turn)).size,
    compactions: segments.filter((s) => s.because === 'compaction').map((s) => s.at),
  };
};

/**
 * Judges one rollout by programs: its trajectory is made when it is not there yet, each check of its instance gets a verdict with
 * evidence, `verdicts/program.json` is written. Verdicts that differ from those there before are kept under `verdicts/old`.
 */
export const judgeRollout = async (
  dir: string,
  rollout: Rollout,
  instance: Instance,
  onProgress: (event: Progress) => void,
): Promise<void> => {
  const trajectory = await trajectoryOf(dir, rollout, instance);
  const dialect = dialectOf(rollout);
  const changes = await changesOf(dir, rollout);
  const { verdicts } = verifyAll(trajectory, instance.checklist, {
    scaffold: rollout.scaffold.id,
    ...(rollout.origin === 'run' ? { queries: instance.queries } : { imported: true }),
    systemPrompt: instance.systemPrompt,
    ...(dialect === null ? {} : { dialect }),
    ...(changes === null ? {} : { changes }),
  });
  const file: VerdictFile = {
    version: 1,
    judge: PROGRAM,
    fingerprint: sha256(canonicalJson([VERSION, instance.checklist, trajectory])),
    ...lengthOf(trajectory),
    samples: [{ sample: 0, verdicts }],
  };
  await keepOldVerdicts(dir, file);
  await writeJson(verdictPath(dir, PROGRAM), file);
  const of = (value: string): number => verdicts.filter((v) => v.verdict === value).length;
  onProgress({ type: 'judged', key: rollout.key, fail: of('fail'), unscored: of('unscored'), checks: verdicts.length });
};
