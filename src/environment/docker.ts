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
  if (process.platform !== 'linux') {
    return 'the proxy’s unix socket does not reach into the engine’s virtual machine here; run octobench inside Linux';
  }
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

interface ProgressEvent {
  status?: string;
  /** What a step of a build prints. */
  stream?: string;
  error?: string;
}

/** How much of a build's own output goes into its error. */
const TOLD = 500;

/**
 * Waits for the end of a progress stream (pull, import, build). A failing step arrives as text in it, and becomes an error that
 * ends with what the step printed.
 */
export const followProgress = async (
  engine: Engine,
  stream: NodeJS.ReadableStream,
  onLine: (line: string) => void = () => undefined,
): Promise<void> => {
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    engine.modem.followProgress(
      stream,
      (error, events: ProgressEvent[] | null) => {
        const failed = error?.message ?? events?.find((e) => e.error !== undefined)?.error;
        if (failed === undefined) resolve();
        else reject(new Error([failed, printed.trim()].filter((t) => t !== '').join(': ')));
      },
      (event: ProgressEvent) => {
        printed = (printed + (event.stream ?? '')).slice(-TOLD);
        onLine((event.stream ?? event.status ?? '').trimEnd());
      },
    );
  });
};
