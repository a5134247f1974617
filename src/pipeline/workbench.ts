import { join } from 'node:path';
import { BenchError } from '../core/errors.ts';
import type { Dataset, Instance } from '../dataset/schema.ts';
import { sweepFolders } from '../environment/lifecycle.ts';
import { sandboxProviders } from '../environment/providers.ts';
import type { SandboxProvider } from '../environment/schema.ts';
import { findProgram } from '../host/program.ts';
import type { Proxy as RecordingProxy, Upstream } from '../recording/schema.ts';
import { parseScript, type Script } from '../recording/script.ts';
import { openProxy } from '../recording/server.ts';
import { providerUpstream } from '../recording/upstreams/provider.ts';
import { findScaffold } from '../scaffolds/all.ts';
import { defaultCacheDir, type Installed, installScaffold } from '../scaffolds/install.ts';
import type { Scaffold } from '../scaffolds/scaffold.ts';
import type { Protocol } from '../wire/schema.ts';
import { keyOf, SCRIPT } from './models.ts';
import type { ExperimentFile, ModelSpec, Progress, VariantSpec } from './schema.ts';
import { scriptOf } from './scripts.ts';
import { readNamed, temporaryFolder } from './store.ts';

/** Everything that rollouts of one experiment share, open until `close`. */
export interface Workbench {
  dir: string;
  file: ExperimentFile;
  proxy: RecordingProxy;
  provider: SandboxProvider;
  /** A short-named folder of this process for unix sockets: their paths must stay under 108 bytes. */
  sockets: string;
  instance(id: string): Instance;
  model(id: string): ModelSpec;
  variant(id: string): VariantSpec;
  /** Commands that prepare the workspace of an instance before the agent starts. */
  setup(instance: Instance): string[];
  scaffold(id: string): Scaffold;
  installed(id: string, version: string): Installed;
  /** Programs of this machine that a scaffold needs and its sandbox may lack, by name. */
  tools(scaffold: string): Record<string, string>;
  /** The parsed script of a scripted model on an instance; null for real models. */
  script(instance: Instance, model: ModelSpec): Script | null;
  /** The upstream of a provider; never of scripts, which have one an attempt. */
  upstream(provider: string, spoken: Protocol): Upstream;
  /** Values that must reach no file. */
  secrets: string[];
  close(): Promise<void>;
}

interface OpenOptions {
  env: NodeJS.ProcessEnv;
  onProgress: (event: Progress) => void;
  stop: AbortSignal;
}

const must = <T>(value: T | undefined | null, what: string): T => {
  if (value !== undefined && value !== null) return value;
  throw new BenchError('input', 'experiment', `the experiment names ${what}, which is not there any more`);
};

const byId = <T extends { id: string }>(items: readonly T[], what: string): ((id: string) => T) => {
  const map = new Map(items.map((i) => [i.id, i]));
  return (id) => must(map.get(id), `${what} ${id}`);
};

const installAll = async (file: ExperimentFile, options: OpenOptions): Promise<Map<string, Installed>> => {
  const installed = new Map<string, Installed>();
  for (const { scaffold } of file.planned) {
    const name = `${scaffold.id}@${scaffold.version}`;
    if (installed.has(name)) continue;
    const found = must(findScaffold(scaffold.id), `the scaffold ${scaffold.id}`);
    const where = { cacheDir: defaultCacheDir(options.env), env: options.env, signal: options.stop };
    const tell = (text: string): void => options.onProgress({ type: 'note', text });
    installed.set(name, await installScaffold(found, scaffold.version, { ...where, onProgress: tell }));
  }
  return installed;
};

/** Programs that scaffolds call and do not bring (ripgrep), as this machine has them; one that is missing is told before anything runs. */
const findTools = async (file: ExperimentFile, options: OpenOptions): Promise<Map<string, Record<string, string>>> => {
  const found = new Map<string, Record<string, string>>();
  for (const id of new Set(file.planned.map((p) => p.scaffold.id))) {
    const tools: Record<string, string> = {};
    for (const name of must(findScaffold(id), `the scaffold ${id}`).needs) {
      const path = await findProgram(name, options.env);
      if (path !== null) tools[name] = path;
      else
        options.onProgress({
          type: 'note',
          text: `${id} needs ${name}, which is not on PATH: its tools that use it will fail`,
        });
    }
    found.set(id, tools);
  }
  return found;
};

/** Reads every script once, before anything runs: a script with a fault ends the run before it has cost time. */
const readScripts = async (file: ExperimentFile, dataset: Dataset): Promise<Map<string, Script>> => {
  const scripts = new Map<string, Script>();
  const models = file.experiment.models.filter((m) => m.provider === SCRIPT);
  const wanted = new Set(file.planned.map((p) => p.instance));
  for (const instance of dataset.instances.filter((i) => wanted.has(i.id))) {
    for (const model of models) {
      const path = scriptOf(instance, model).file;
      if (path !== null && !scripts.has(path)) scripts.set(path, parseScript(await readNamed(path), path));
    }
  }
  return scripts;
};

/** Upstreams of an experiment's providers, made when they are first asked for. */
interface Upstreams {
  /** `spoken` is what the scaffold speaks; where the provider speaks another protocol, calls are translated. */
  get(provider: string, spoken: Protocol): Upstream;
  secrets: string[];
  close(): Promise<void>;
}

const openUpstreams = async (file: ExperimentFile, env: NodeJS.ProcessEnv): Promise<Upstreams> => {
  const made = new Map<string, Upstream>();
  const used = new Set(file.experiment.models.map((m) => m.provider));
  const specs = new Map(file.experiment.providers.filter((p) => used.has(p.id)).map((p) => [p.id, p]));
  const keys = new Map([...specs].map(([id, spec]) => [id, keyOf(spec, env)]));
  // The translators load a large library; scripted models and most providers need none.
  const translate = specs.size === 0 ? null : (await import('../recording/upstreams/translate.ts')).translateUpstream;
  const make = (id: string, spoken: Protocol): Upstream => {
    const spec = must(specs.get(id), `provider ${id}`);
    const key = keys.get(id) ?? null;
    const { baseUrl, concurrency, rpm, protocol } = spec;
    if (protocol === spoken) return providerUpstream({ id, protocol, baseUrl, key, concurrency, rpm });
    if (protocol === 'openai-responses' || translate === null)
      throw new BenchError('usage', 'run', `calls cannot be translated to ${protocol}`);
    return translate({ id, protocol, baseUrl, key, concurrency, rpm });
  };
  return {
    get: (id, spoken) => {
      const name = `${id}/${spoken}`;
      const upstream = made.get(name) ?? make(id, spoken);
      made.set(name, upstream);
      return upstream;
    },
    secrets: [...keys.values()].filter((k) => k !== null),
    close: async () => {
      for (const upstream of made.values()) await upstream.close?.();
    },
  };
};

/**
 * Opens what an experiment needs: scripts read, keys found, scaffolds installed, the proxy listening.
 * @throws BenchError before anything has run: no key, a scaffold that cannot be had, a script that is none
 */
export const openWorkbench = async (
  dir: string,
  file: ExperimentFile,
  dataset: Dataset,
  options: OpenOptions,
): Promise<Workbench> => {
  await sweepFolders();
  const scripts = await readScripts(file, dataset);
  const upstreams = await openUpstreams(file, options.env);
  const kind = must(file.sandbox, 'no sandbox').kind;
  const installed = await installAll(file, options);
  const environments = new Map(dataset.environments.map((e) => [e.name, e]));
  const tools = await findTools(file, options);
  const sockets = await temporaryFolder('ob-');
  const proxy = await openProxy({ prices: file.experiment.prices });
  return {
    dir,
    file,
    proxy,
    provider: sandboxProviders[kind],
    sockets: sockets.path,
    instance: byId(dataset.instances, 'instance'),
    model: byId(file.experiment.models, 'model'),
    variant: byId(file.experiment.variants, 'variant'),
    setup: (instance) => environments.get(instance.environment)?.setup ?? [],
    scaffold: (id) => must(findScaffold(id), `the scaffold ${id}`),
    tools: (id) => tools.get(id) ?? {},
    installed: (id, version) => must(installed.get(`${id}@${version}`), `${id}@${version}`),
    script: (instance, model) => {
      const path = scriptOf(instance, model).file;
      return path === null ? null : must(scripts.get(path), `script ${path}`);
    },
    upstream: upstreams.get,
    secrets: upstreams.secrets,
    close: async () => {
      await proxy.close();
      await upstreams.close();
      await sockets.remove();
    },
  };
};

let sockets = 0;

/** A new path for an attempt's socket. */
export const socketPath = (bench: Workbench): string => join(bench.sockets, `${sockets++}.s`);
