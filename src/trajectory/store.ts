import { BenchError } from '../core/errors.ts';
import { isObject, parseJson } from '../core/json.ts';
import { readText, writeAtomic } from '../host/files.ts';
import type { Trajectory } from './schema.ts';

/** Reads `trajectory.json`. @throws BenchError('input') when it is missing, broken or of another version */
export const readTrajectory = async (path: string): Promise<Trajectory> => {
  const value = parseJson((await readText(path)) ?? '');
  if (isObject(value) && value.version === 1) return value as unknown as Trajectory;
  throw new BenchError(
    'input',
    'trajectory',
    `${path} is no trajectory of version 1; remove it and judge again to make it anew`,
  );
};

/** Writes `trajectory.json` whole or not at all. */
export const writeTrajectory = (path: string, trajectory: Trajectory): Promise<void> =>
  writeAtomic(path, `${JSON.stringify(trajectory)}\n`);
