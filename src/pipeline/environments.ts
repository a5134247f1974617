import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { showBytes } from '../core/units.ts';
import { loadDataset } from '../dataset/load.ts';
import { buildEnvironment } from '../environment/build.ts';

/**
 * Builds the image of an environment of a benchmark folder, reproducibly, with the container engine.
 * @throws BenchError('usage') when there is no such environment, BenchError('unavailable') without an engine
 */
export const buildImage = async (
  source: string,
  name: string,
  onProgress: (line: string) => void,
): Promise<{ text: string; json: unknown }> => {
  const { environments } = await loadDataset(source);
  const found = environments.find((e) => e.name === name);
  if (found === undefined) {
    throw new BenchError(
      'usage',
      'environment',
      `${source} has no environment "${name}"${suggestion(
        name,
        environments.map((e) => e.name),
      )}`,
    );
  }
  const { dir, workspace, setup } = found;
  const image = await buildEnvironment({ name, dir, workspace, setup, onProgress });
  return {
    text: `${name}: ${image.id} (${showBytes(image.bytes)})`,
    json: { version: 1, environment: name, ...image },
  };
};
