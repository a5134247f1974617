import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';
import { exec } from '../host/exec.ts';
import { defaultCacheDir } from '../scaffolds/install.ts';
import { exists, readBytes, settleFolder } from './store.ts';

const IN_CHECKOUT = fileURLToPath(new URL('../../benchmark', import.meta.url));
const IN_PACKAGE = fileURLToPath(new URL('../benchmark.tar.gz', import.meta.url));

/**
 * The benchmark that comes with octobench: the folder of a checkout, else the package's archive, unpacked once into the cache.
 * @throws BenchError('failed') when the package has none, or it cannot be unpacked
 */
export const benchmarkFolder = async (env: NodeJS.ProcessEnv): Promise<string> => {
  if (await exists(join(IN_CHECKOUT, 'quickstart.yaml'))) return IN_CHECKOUT;
  const archive = await readBytes(IN_PACKAGE);
  if (archive === null)
    throw new BenchError('failed', 'benchmark', 'this package came without its benchmark; install it again');
  const target = join(defaultCacheDir(env), 'benchmark', sha256(archive).slice(0, 16));
  await settleFolder(target, async (folder) => {
    const done = await exec('tar', [
      '--extract',
      '--gzip',
      `--file=${IN_PACKAGE}`,
      `--directory=${folder}`,
      '--no-same-owner',
    ]);
    if (done.code !== 0)
      throw new BenchError(
        'failed',
        'benchmark',
        `the benchmark could not be unpacked: ${done.failure ?? done.stderr}`,
      );
  });
  return target;
};
