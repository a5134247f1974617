import { showBytes } from '../core/units.ts';
import { exec } from '../host/exec.ts';
import { bubblewrap } from './bubblewrap.ts';
import { checkEngine, type Engine, openEngine } from './docker.ts';
import { BASE_IMAGE, imageBytes, inspectImage } from './image.ts';
import { freeBytes, sandboxesFolder } from './lifecycle.ts';

/** One thing that was looked at: whether it is as it should be, what was found, and what to do about it (null = nothing). */
export interface DoctorCheck {
  name: string;
  ok: boolean;
  detail: string;
  mend: string | null;
}

const fine = (name: string, detail: string): DoctorCheck => ({ name, ok: true, detail, mend: null });
const wrong = (name: string, detail: string, mend: string): DoctorCheck => ({ name, ok: false, detail, mend });
const why = (e: unknown): string => (e instanceof Error ? e.message : String(e));

/** What a rollout's workspace, HOME and log may need. */
const ROOM = 5e9;

const checkDisk = async (): Promise<DoctorCheck> => {
  const folder = sandboxesFolder();
  const free = await freeBytes();
  const detail = `${showBytes(free)} free for ${folder}`;
  if (free >= ROOM) return fine('disk', detail);
  return wrong('disk', detail, `make room, or set TMPDIR to a disk with ${showBytes(ROOM)} free`);
};

const checkGit = async (): Promise<DoctorCheck> => {
  const said = await exec('git', ['--version']);
  if (said.code === 0) return fine('git', said.stdout.trim());
  return wrong(
    'git',
    said.failure ?? said.stderr.trim(),
    'install git: histories are replayed and changes taken with it',
  );
};

const checkBubblewrap = async (): Promise<DoctorCheck> => {
  const problem = await bubblewrap.check();
  if (problem !== null) return wrong('bubblewrap', problem, 'install bubblewrap (Linux), or use docker');
  return fine('bubblewrap', (await exec('bwrap', ['--version'])).stdout.trim());
};

const checkBase = async (engine: Engine): Promise<DoctorCheck> => {
  const image = await inspectImage(engine, BASE_IMAGE);
  if (image !== null) return fine('base image', `${BASE_IMAGE}, ${showBytes(image.bytes)}`);
  return wrong('base image', `${BASE_IMAGE} is not here`, 'run `.ci/engine.sh`; only environments of our own need it');
};

const checkImages = async (engine: Engine): Promise<DoctorCheck> =>
  fine('images', `${showBytes(await imageBytes(engine))} in the engine`);

const checkContainers = async (): Promise<DoctorCheck[]> => {
  const problem = await checkEngine();
  if (problem !== null) return [wrong('container engine', problem, 'start an engine; bubblewrap does without one')];
  const engine = openEngine();
  try {
    const { Version, ApiVersion, Arch } = await engine.version();
    const found = fine('container engine', `${Version}, API ${ApiVersion}, ${Arch}`);
    return [found, await checkBase(engine), await checkImages(engine)];
  } catch (e) {
    return [wrong('container engine', why(e), 'look at the engine’s own log')];
  }
};

/** Looks at what sandboxes need on this machine: engine, images, bubblewrap, git, disk. Changes nothing and never throws. */
export const examineEnvironment = async (): Promise<DoctorCheck[]> => {
  const found = await Promise.all([checkContainers(), checkBubblewrap(), checkGit(), checkDisk()]);
  return found.flat();
};

/**
 * Whether an image can be had from its registry: the engine asks for its manifest and pulls nothing. `reference` is an image the
 * user means to run.
 */
export const examineRegistry = async (reference: string): Promise<DoctorCheck> => {
  const problem = await checkEngine();
  if (problem !== null) return wrong('registry', problem, 'start an engine');
  const engine = openEngine();
  try {
    if ((await inspectImage(engine, reference)) !== null) return fine('registry', `${reference} is here already`);
    await engine.getImage(reference).distribution();
    return fine('registry', `${reference} can be pulled`);
  } catch (e) {
    const mend = 'log in to the registry, or map the image to one you can reach (image map)';
    return wrong('registry', `${reference}: ${why(e)}`, mend);
  }
};
