import Docker from 'dockerode';
import { BenchError } from '../core/errors.ts';

/** The engine's API (dockerode), `DOCKER_HOST` or the default socket. */
export type Engine = Docker;
export type Container = Docker.Container;
export type ContainerOptions = Docker.ContainerCreateOptions;

/** A client; nothing is sent until it is used. */
export const openEngine = (): Engine => new Docker();

/** How to get an engine. */
const MEND = 'start Docker, or set DOCKER_HOST to its socket';

/** Why the engine cannot be used from here, or null. */
export const checkEngine = async (): Promise<string | null> => {
  const host = process.env.DOCKER_HOST ?? '';
  if (host !== '' && !host.startsWith('unix://')) {
    return `the engine at ${host} is on another machine, and workspaces are shared as folders; use an engine on this one`;
  }
  try {
    await openEngine().ping();
    return null;
  } catch (e) {
    return `no container engine answers (${e instanceof Error ? e.message : String(e)}); ${MEND}`;
  }
};

/** True for the engine's "no such image" or "no such container". */
export const isMissing = (e: unknown): boolean => (e as { statusCode?: number }).statusCode === 404;

/** An engine's failure as one that names what was tried. */
export const engineError = (what: string, e: unknown): BenchError =>
  new BenchError('unavailable', 'environment', `${what}: ${e instanceof Error ? e.message : String(e)}`, { cause: e });

/** Waits for the end of a progress stream (pull, import, build); a failing step arrives as text in it. */
export const followProgress = async (
  engine: Engine,
  stream: NodeJS.ReadableStream,
  onLine: (line: string) => void = () => undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    engine.modem.followProgress(
      stream,
      (error, lines: { error?: string }[] | null) => {
        const failed = lines?.find((l) => typeof l.error === 'string')?.error;
        if (error !== null) reject(error);
        else if (failed !== undefined) reject(new Error(failed));
        else resolve();
      },
      (event: { status?: string; stream?: string }) => onLine((event.stream ?? event.status ?? '').trimEnd()),
    );
  });
