import { join } from 'node:path';
import { sha256 } from '../core/ids.ts';
import { canonicalJson, isObject, parseJson } from '../core/json.ts';
import type { Instance } from '../dataset/schema.ts';
import { sandboxProviders } from '../environment/providers.ts';
import type { Sandbox } from '../environment/schema.ts';
import { readText, writeJson } from '../host/files.ts';
import type { WorkspaceAnswer } from '../judge/schema.ts';
import { workspaceNeeds } from '../judge/workspace.ts';
import type { Rollout } from '../rollout/schema.ts';
import { attemptPaths } from '../rollout/store.ts';
import { inFinalWorkspace } from './final-workspace.ts';
import { filesMatching, readBytes } from './store.ts';

type Needs = ReturnType<typeof workspaceNeeds>;
type Answers = Record<string, WorkspaceAnswer>;

const RUN_MS = 5 * 60_000;

const ask = async (sandbox: Sandbox, need: Needs[number]): Promise<WorkspaceAnswer> => {
  if (need.is === 'file') return { files: await filesMatching(sandbox.hostWorkspace, need.file) };
  const done = await sandbox.command(['bash', '-c', need.command], { timeoutMs: RUN_MS });
  if (done.failure !== null) return null;
  return { exit: done.timedOut ? null : done.code, output: `${done.stdout}${done.stderr}` };
};

/**
 * What the rules of an instance want to know of the workspace as the counted attempt left it. Asked once in a fresh sandbox and kept in
 * `workspace.json` under the digest of patch and questions; what cannot be had is null, and its rules are then unscored.
 */
export const workspaceAnswers = async (
  dir: string,
  rollout: Rollout,
  instance: Instance,
  setup: string[],
): Promise<Answers | null> => {
  const needs = workspaceNeeds(instance.checklist);
  const counted = rollout.attempts.find((a) => a.attempt === rollout.counted);
  if (needs.length === 0 || counted === undefined) return null;
  const patch = (await readBytes(attemptPaths(dir, counted.attempt).patch)) ?? new Uint8Array();
  const digest = sha256(`${sha256(patch)}${canonicalJson(needs.map((n) => n.key))}`);
  const path = join(dir, 'workspace.json');
  const known = parseJson((await readText(path)) ?? '');
  if (isObject(known) && known.version === 1 && known.digest === digest) return known.answers as Answers;
  const provider = sandboxProviders[counted.sandbox];
  const final = { provider, key: rollout.key, instance, setup, patch };
  const answers = await inFinalWorkspace(final, async (sandbox) => {
    const found: Answers = {};
    for (const need of needs) found[need.key] = await ask(sandbox, need);
    return { found };
  });
  // Not kept when it could not be had: another machine, or another day, may have the sandbox.
  if ('why' in answers) return null;
  await writeJson(path, { version: 1, digest, answers: answers.found });
  return answers.found;
};
