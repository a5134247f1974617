import { BenchError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeAtomic } from '../host/files.ts';
import type { Trajectory } from './schema.ts';

const VERSION = 1;

/** Writes `trajectory.json` (docs/formats/trajectory.md), whole or not at all. */
export const writeTrajectory = (path: string, t: Trajectory): Promise<void> =>
  writeAtomic(path, `${JSON.stringify(t)}\n`);

/**
 * Reads a `trajectory.json` that this program wrote.
 * @throws BenchError('input') when there is none, when it is no trajectory, or when it has another version
 */
export const readTrajectory = async (path: string): Promise<Trajectory> => {
  const text = await readText(path);
  if (text === null) throw new BenchError('input', 'trajectory', `there is no trajectory at ${path}`);
  const value = parseJson(text);
  if (!isObject(value) || !Array.isArray(value.threads) || !Array.isArray(value.toolsets))
    throw new BenchError(
      'input',
      'trajectory',
      `${path} is no trajectory; delete it and it is made anew from the calls`,
    );
  if (value.version !== VERSION)
    throw new BenchError(
      'input',
      'trajectory',
      `${path} has version ${String(value.version)}, this program reads ${VERSION}; delete it and it is made anew from the calls`,
    );
  return value as unknown as Trajectory;
};
