import { readPatch } from '../environment/parse-patch.ts';
import { readText } from '../host/files.ts';
import type { WorkspaceChange } from '../judge/schema.ts';
import type { Rollout } from '../rollout/schema.ts';
import { attemptPaths } from '../rollout/store.ts';

/** What the counted attempt changed in the workspace; null where no patch was kept (imports). */
export const changesOf = async (dir: string, rollout: Rollout): Promise<WorkspaceChange[] | null> => {
  if (rollout.counted === null) return null;
  const patch = await readText(attemptPaths(dir, rollout.counted).patch);
  return patch === null ? null : readPatch(patch);
};
