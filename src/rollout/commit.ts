import { type Attempt, COUNTED, type Rollout, type ScaffoldIdentity } from './schema.ts';

/** What a rollout is before anything ran. */
export type RolloutHeader = Pick<
  Rollout,
  'key' | 'instance' | 'instanceDigest' | 'environment' | 'model' | 'variant' | 'repeat' | 'workspace' | 'origin'
> & { scaffold: Omit<ScaffoldIdentity, 'reportedVersion' | 'userAgent'> };

/** At most so many attempts are made when the infrastructure fails. */
const MOST_ATTEMPTS = 3;

/** True when another attempt is due: none counted, and infrastructure failures (never wrong answers) leave a try. */
export const needsAttempt = (attempts: readonly Attempt[]): boolean => {
  const tried = attempts.filter((a) => a.outcome !== 'cancelled' && a.reopened !== true);
  const last = tried.at(-1);
  return last === undefined || (last.outcome === 'infra_failed' && tried.length < MOST_ATTEMPTS);
};

/** How long to wait before attempt `n` (from 0), in ms: 0, 2 s, 8 s. */
export const backOff = (n: number): number => (n === 0 ? 0 : 2000 * 4 ** (n - 1));

/**
 * `rollout.json` from its attempts. The first attempt whose outcome counts is the one that counts; without one, the last tells how
 * the rollout ended.
 */
export const rolloutOf = (header: RolloutHeader, attempts: readonly Attempt[]): Rollout => {
  const counted = attempts.find((a) => COUNTED.has(a.outcome));
  const telling = counted ?? attempts.at(-1);
  const findings = telling?.findings;
  const { scaffold, ...rest } = header;
  return {
    version: 1,
    ...rest,
    workspace: findings?.workspace ?? rest.workspace,
    scaffold: {
      ...scaffold,
      reportedVersion: findings?.reportedVersion ?? null,
      userAgent: findings?.userAgent ?? null,
    },
    systemPromptMode: findings?.systemPromptMode ?? null,
    counted: counted?.attempt ?? null,
    outcome: telling?.outcome ?? null,
    reason: telling?.reason ?? null,
    attempts: [...attempts],
    differences: findings?.differences ?? [],
    sampling: findings?.sampling ?? {},
    files: findings?.files ?? { before: {}, after: {} },
    solved: findings?.solved ?? null,
  };
};
