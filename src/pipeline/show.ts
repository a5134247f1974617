import { BenchError } from '../core/errors.ts';
import { printable } from '../core/text.ts';
import type { CallRecord } from '../recording/schema.ts';
import { readCalls } from '../recording/store.ts';
import { callLog, readRollout } from '../rollout/store.ts';
import type { Trajectory } from '../trajectory/schema.ts';
import { readTrajectory } from '../trajectory/store.ts';
import { importedCalls } from './import.ts';
import { findExperiments } from './list.ts';
import type { ExperimentFile, PlannedRollout, View } from './schema.ts';
import { showThreads } from './show-threads.ts';
import { exists, experimentPath, importedLog, loadExperiment, rolloutDir, trajectoryPath } from './store.ts';

export interface ShowOptions {
  experiment?: string;
  thread?: string;
  turn?: number;
  call?: number;
  raw?: boolean;
  json?: boolean;
  view: View;
}

interface Found {
  key: string;
  dir: string;
}

const newestExperiment = async (): Promise<string> => {
  const [newest] = await findExperiments('experiments');
  if (newest !== undefined) return newest.dir;
  throw new BenchError('usage', 'show', 'there is no experiment in experiments/; name one with -e DIR');
};

/** A rollout as people name it: the parts of its key before they were shortened. */
const spelled = (p: PlannedRollout): string =>
  [p.instance, `${p.scaffold.id}@${p.scaffold.version}`, p.model, p.variant, String(p.repeat)].join('~');

/** The one planned rollout that `part` names: its key, a part of it, or words that all stand in its instance, scaffold, model, variant. */
const findPlanned = (dir: string, file: ExperimentFile, part: string): Found => {
  const words = part.split(/\s+/).filter((w) => w !== '');
  const exact = file.planned.filter((p) => p.key === part);
  const found =
    exact.length > 0
      ? exact
      : file.planned.filter((p) => words.every((w) => p.key.includes(w) || spelled(p).includes(w)));
  const [only] = found;
  if (only !== undefined && found.length === 1) return { key: only.key, dir: rolloutDir(dir, only.key) };
  const some = found.slice(0, 5).map((p) => `  ${p.key}  (${spelled(p)})`);
  const message =
    found.length === 0
      ? `no rollout of ${dir} fits "${part}"; octobench list ${dir} shows them`
      : `"${part}" fits ${found.length} rollouts, name one:\n${some.join('\n')}`;
  throw new BenchError('usage', 'rollout', message);
};

/** Finds a rollout by folder, key or a unique part of it. @throws BenchError('usage') when there is none, or several */
export const locateRollout = async (rollout: string, experiment: string | undefined): Promise<Found> => {
  if (await exists(`${rollout}/rollout.json`)) return { key: rollout, dir: rollout };
  const dir = experiment ?? (await newestExperiment());
  if (!(await exists(experimentPath(dir)))) throw new BenchError('usage', 'show', `${dir} is no experiment`);
  return findPlanned(dir, await loadExperiment(dir), rollout);
};

const callsOf = async (found: Found): Promise<AsyncIterable<CallRecord>> => {
  const rollout = await readRollout(found.dir);
  if (rollout?.origin === 'import') {
    const log = await importedLog(found.dir);
    if (log !== null) return importedCalls(log, null, { onProblem: () => undefined });
  }
  const path = await callLog(found.dir, rollout?.counted ?? rollout?.attempts.at(-1)?.attempt ?? 0);
  if (path === null) throw new BenchError('usage', 'show', `${found.key} has no recorded calls`);
  return readCalls(path);
};

const headersText = (headers: readonly [string, string][]): string => headers.map(([k, v]) => `${k}: ${v}`).join('\n');

const bodyText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const showCall = async (found: Found, id: number, options: ShowOptions): Promise<string | Uint8Array> => {
  for await (const call of await callsOf(found)) {
    if (call.id !== id) continue;
    const { request, response } = call;
    if (options.json === true) {
      return JSON.stringify({
        ...call,
        request: { ...request, body: bodyText(request.body.bytes()) },
        response: response === null ? null : { ...response, body: bodyText(response.body.bytes()) },
      });
    }
    const head = `${request.method} ${request.path}\n${headersText(request.headers)}\n\n`;
    const answer = response === null ? '' : `\n\n${response.status}\n${headersText(response.headers)}\n\n`;
    if (options.raw === true) {
      const reply = response?.body.bytes() ?? new Uint8Array();
      return Buffer.concat([Buffer.from(head), request.body.bytes(), Buffer.from(answer), reply]);
    }
    const reply = response === null ? '' : bodyText(response.body.bytes());
    const title = `call ${call.id} (${call.protocol}, ${call.upstream ?? 'no upstream'}, ${call.end})`;
    return printable(`${title}\n${head}${bodyText(request.body.bytes())}${answer}${reply}`);
  }
  throw new BenchError('usage', 'show', `${found.key} has no call ${id}`);
};

/**
 * A trajectory for people, or one recorded call: its bytes as they were on the wire with `raw`.
 * @throws BenchError('usage') when the rollout, the thread, the turn or the call is not there
 */
export const showRollout = async (rollout: string, options: ShowOptions): Promise<string | Uint8Array> => {
  const found = await locateRollout(rollout, options.experiment);
  if (options.call !== undefined) return showCall(found, options.call, options);
  const path = trajectoryPath(found.dir);
  if (!(await exists(path))) {
    throw new BenchError('usage', 'show', `${found.key} has no trajectory yet; octobench resume or judge makes it`);
  }
  const trajectory: Trajectory = await readTrajectory(path);
  return options.json === true ? JSON.stringify(trajectory) : showThreads(trajectory, options);
};
