import { join, resolve } from 'node:path';
import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { writeAtomic } from '../host/files.ts';
import { environmentSkeleton, instanceSkeleton, type SkeletonFile } from './benchmark-skeletons.ts';
import { exists, foldersIn } from './store.ts';

const ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const write = async (folder: string, id: string, files: readonly SkeletonFile[]): Promise<string[]> => {
  if (!ID.test(id)) {
    throw new BenchError('usage', 'benchmark', `"${id}" is no id: lower case letters, digits and single hyphens`);
  }
  for (const { path } of files) {
    if (await exists(join(folder, path)))
      throw new BenchError('usage', 'benchmark', `${join(folder, path)} is there already; choose another id`);
  }
  for (const { path, text } of files) await writeAtomic(join(folder, path), text);
  return files.map(({ path }) => join(folder, path));
};

/**
 * Writes the skeleton of an environment into a benchmark folder. @returns the files written
 * @throws BenchError('usage') for an id that is none, or one that is taken
 */
export const newEnvironment = (folder: string, id: string): Promise<string[]> =>
  write(resolve(folder), id, environmentSkeleton(id));

/**
 * Writes the skeleton of an instance of an environment, with a hidden test and two scripts. @returns the files written
 * @throws BenchError('usage') for an id that is none or is taken, or an environment that is not there
 */
export const newInstance = async (folder: string, id: string, environment: string): Promise<string[]> => {
  const names = await foldersIn(join(resolve(folder), 'environments'));
  if (!names.includes(environment)) {
    const what = `${folder} has no environment "${environment}"${suggestion(environment, names)}`;
    throw new BenchError('usage', 'benchmark', what);
  }
  return write(resolve(folder), id, instanceSkeleton(id, environment));
};
