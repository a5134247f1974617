import { BenchError } from '../core/errors.ts';
import { bubblewrap } from './bubblewrap.ts';
import { docker } from './docker-sandbox.ts';
import { local } from './local.ts';
import type { SandboxKind, SandboxProvider } from './schema.ts';

/** The kinds of sandbox by name. */
export const sandboxProviders: Record<SandboxKind, SandboxProvider> = { docker, bubblewrap, local };

/** The sandbox of an experiment, and what a reader of its report should know about it (null = nothing). */
export interface ChosenSandbox {
  provider: SandboxProvider;
  note: string | null;
}

const LOCAL_NOTE = 'The scaffold ran without isolation (sandbox local): it could read and change this machine.';

/**
 * The sandbox that was asked for, or the best there is: for scripted models bubblewrap, else local; for real models docker, else
 * bubblewrap. Throws BenchError('unavailable') when the one asked for cannot be had, or when real models would run unprotected.
 */
export const chooseSandbox = async (
  asked: SandboxKind | null,
  allScripts: boolean,
  providers: Record<SandboxKind, SandboxProvider> = sandboxProviders,
): Promise<ChosenSandbox> => {
  if (asked !== null) {
    const why = await providers[asked].check();
    if (why !== null) throw new BenchError('unavailable', 'environment', `sandbox ${asked}: ${why}`);
    return { provider: providers[asked], note: asked === 'local' && !allScripts ? LOCAL_NOTE : null };
  }
  const whys: string[] = [];
  for (const kind of allScripts ? (['bubblewrap', 'local'] as const) : (['docker', 'bubblewrap'] as const)) {
    const why = await providers[kind].check();
    if (why === null) {
      const note = whys.length === 0 ? null : `Sandbox ${kind}, since ${whys.join('; ')}.`;
      return { provider: providers[kind], note };
    }
    whys.push(why);
  }
  const message = `no sandbox for real models here: ${whys.join('; ')}; or run unprotected with \`--sandbox local\``;
  throw new BenchError('unavailable', 'environment', message);
};
