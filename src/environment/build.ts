import { mkdtemp, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { BenchError } from '../core/errors.ts';
import { safeName, sha256 } from '../core/ids.ts';
import { readText } from '../host/files.ts';
import { type Engine, engineError, followProgress, openEngine } from './docker.ts';
import { plainIndex } from './history.ts';
import { BASE_IMAGE, ensureImage, inspectImage, type LocalImage } from './image.ts';
import { removeTree, sandboxesFolder } from './lifecycle.ts';
import { replayFile } from './seed.ts';
import { type TarFile, writeTar } from './tar.ts';
import { bytePath, pathBytes, shownPath, walkTree } from './tree.ts';
import { copyFolder } from './workspace.ts';

/** What an environment's image is made of. */
export interface EnvironmentBuild {
  /** Name of the environment. */
  name: string;
  /** Folder with `workspace/` and, if it has one, `history.yaml`. */
  dir: string;
  /** Path of the workspace inside. */
  workspace: string;
  /** Shell commands run in the workspace, with network access; what they install is in the image. */
  setup: readonly string[];
  /** The image it starts from; absent = our base image. */
  base?: string;
  onProgress?: (line: string) => void;
}

/** Reflogs hold the time of the replay. */
const LEFT = /^\.git\/logs(\/.*)?$/;

const filesOf = async (root: string): Promise<TarFile[]> => {
  const files: TarFile[] = [];
  for await (const { rel, stat } of walkTree(root)) {
    const path = pathBytes(`${bytePath(root)}/${rel}`);
    const name = `workspace/${shownPath(rel)}`;
    if (stat.isDirectory() || LEFT.test(rel)) continue;
    if (stat.isSymbolicLink()) files.push({ name, link: await readlink(path) });
    else files.push({ name, content: await readFile(path), mode: (stat.mode & 0o100n) === 0n ? 0o644 : 0o755 });
  }
  return files;
};

const dockerfile = (build: EnvironmentBuild, base: string): string =>
  [
    `FROM ${base}`,
    `COPY workspace ${JSON.stringify([build.workspace]).slice(1, -1)}`,
    `WORKDIR ${build.workspace}`,
    ...build.setup.map((line) => `RUN ${JSON.stringify(['/bin/sh', '-c', line])}`),
    '',
  ].join('\n');

const contextOf = async (build: EnvironmentBuild, base: string): Promise<Buffer> => {
  const scratch = await mkdtemp(`${sandboxesFolder()}-build-`);
  try {
    await copyFolder(join(build.dir, 'workspace'), scratch);
    const history = join(build.dir, 'history.yaml');
    if ((await readText(history)) !== null) {
      await replayFile(scratch, history);
      await plainIndex(scratch);
    }
    return writeTar([{ name: 'Dockerfile', content: dockerfile(build, base) }, ...(await filesOf(scratch))]);
  } finally {
    await removeTree(scratch);
  }
};

const runBuild = async (engine: Engine, context: Buffer, tag: string, build: EnvironmentBuild): Promise<void> => {
  try {
    const options = { t: tag, rm: true, forcerm: true, labels: { 'octobench.environment': build.name } };
    const stream = await engine.buildImage(Readable.from([context]), options);
    await followProgress(engine, stream, build.onProgress);
  } catch (e) {
    throw engineError(`the environment ${build.name} cannot be built`, e);
  }
};

/**
 * Builds an environment's image: the base, the workspace with its history, and what the setup commands make of it. The tag
 * `octobench/<name>:<digest>` is a digest of everything that goes in, so equal input gives the same name and is built once; times
 * and owners in the context are fixed. Throws BenchError('unavailable') with the step that failed.
 */
export const buildEnvironment = async (build: EnvironmentBuild): Promise<LocalImage> => {
  const engine = openEngine();
  const base = await ensureImage(engine, build.base ?? BASE_IMAGE);
  const context = await contextOf(build, base.reference);
  const tag = `octobench/${safeName(build.name)}:${sha256(`${base.id}\n${sha256(context)}`).slice(0, 12)}`;
  const here = await inspectImage(engine, tag);
  if (here !== null) return here;
  await runBuild(engine, context, tag, build);
  const built = await inspectImage(engine, tag);
  if (built === null) throw new BenchError('failed', 'environment', `the image ${tag} is not here after its build`);
  return built;
};
