import { BenchError } from '../core/errors.ts';
import { showBytes } from '../core/units.ts';
import { type Engine, engineError, followProgress, isMissing } from './docker.ts';

/** The image of environments that name none (`.ci/engine.sh` and `octobench environment build` make it). */
export const BASE_IMAGE = 'octobench/base:bookworm-node24';

/** An image that is here. */
export interface LocalImage {
  /** What was asked for. */
  reference: string;
  /** Content address: what containers are started from, so that a moved tag changes nothing. */
  id: string;
  /** `name@sha256:…` of the registry it came from; null for an image made here. */
  digest: string | null;
  bytes: number;
  /** Its environment, `NAME=value`. */
  env: readonly string[];
}

/**
 * Where an image is really taken from: the longest key of `map` that `reference` starts with is replaced by its value
 * (`minimaxai/` -> `registry.example.org/mirror/`).
 */
export const mapImage = (reference: string, map: Readonly<Record<string, string>>): string => {
  const key = Object.keys(map)
    .filter((k) => reference.startsWith(k))
    .sort((a, b) => b.length - a.length)[0];
  return key === undefined ? reference : `${map[key]}${reference.slice(key.length)}`;
};

/** The image as it is here, or null. */
export const inspectImage = async (engine: Engine, reference: string): Promise<LocalImage | null> => {
  try {
    const found = await engine.getImage(reference).inspect();
    return {
      reference,
      id: found.Id,
      digest: found.RepoDigests?.[0] ?? null,
      bytes: found.Size,
      env: found.Config?.Env ?? [],
    };
  } catch (e) {
    if (isMissing(e)) return null;
    throw engineError(`the engine does not show the image ${reference}`, e);
  }
};

/** Bytes of all images that the engine holds. */
export const imageBytes = async (engine: Engine): Promise<number> => {
  const used = (await engine.df()) as { LayersSize?: number };
  return used.LayersSize ?? 0;
};

export interface ImageOptions {
  map?: Readonly<Record<string, string>>;
  /** Bytes all images may take together; a pull is refused when they do already. */
  diskBudget?: number | null;
  onProgress?: (line: string) => void;
}

/** Makes sure that an image is here: as it is, or pulled. Throws BenchError('unavailable') naming what to do. */
export const ensureImage = async (
  engine: Engine,
  reference: string,
  options: ImageOptions = {},
): Promise<LocalImage> => {
  const source = mapImage(reference, options.map ?? {});
  const here = await inspectImage(engine, source);
  if (here !== null) return { ...here, reference };
  if (source === BASE_IMAGE) {
    throw new BenchError('unavailable', 'environment', `the image ${BASE_IMAGE} is not here; run \`.ci/engine.sh\``);
  }
  const budget = options.diskBudget ?? null;
  const used = budget === null ? 0 : await imageBytes(engine);
  if (budget !== null && used >= budget) {
    const sizes = `${showBytes(used)} of ${showBytes(budget)}`;
    throw new BenchError('unavailable', 'environment', `no room to pull ${source}: images take ${sizes}; remove some`);
  }
  try {
    await followProgress(engine, await engine.pull(source), options.onProgress);
  } catch (e) {
    throw engineError(`the image ${source} cannot be pulled (map it to a registry you can reach with an image map)`, e);
  }
  const pulled = await inspectImage(engine, source);
  if (pulled === null)
    throw new BenchError('unavailable', 'environment', `the image ${source} is not here after a pull`);
  return { ...pulled, reference };
};
