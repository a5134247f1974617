import type { SandboxFile, Step } from '../environment/schema.ts';
import type { DecodedRequest, Protocol } from '../wire/schema.ts';
import type { Dialect } from './dialect.ts';

/** Which of an attempt's models a name on the wire stands for. */
export type ModelTier = 'main' | 'small' | 'subagent';

/** What a scaffold needs to be started; paths are inside the sandbox. */
export interface LaunchSetup {
  version: string;
  workspace: string;
  home: string;
  /** Proxy, without a path. */
  baseUrl: string;
  /** The attempt's token: the scaffold's API key. */
  token: string;
  protocol: Protocol;
  /** Names on the wire. */
  models: Record<ModelTier, string>;
  systemPrompt: { text: string; mode: 'append' | 'replace' };
  /** How the scaffold is started: its own binary, or Node and its script. */
  program: readonly string[];
  /** A uuid made for the session. */
  session: string;
  /** Model and scaffold settings of the experiment, passed on as the adapter can. */
  settings: Record<string, unknown>;
}

/** What npm installs, and which file of it is run. */
export interface NpmPackage {
  name: string;
  version: string;
  /** Relative to the install's root, the folder that holds `node_modules`. */
  entry: string;
  /** `node` = a script for Node, `native` = a program of its own. */
  runtime: 'node' | 'native';
  /** Whether the package needs its install scripts. */
  scripts: boolean;
}

/** The machine the scaffold runs on: `process.platform` and `process.arch` of the sandbox. */
export interface Platform {
  os: string;
  arch: string;
}

export interface Launch {
  files: SandboxFile[];
  /** One step a query, in order, all of one session. */
  steps(queries: readonly string[]): Step[];
}

/** An HTTP answer the proxy gives by itself (Droid's sessions: 404), recorded as `refused` upstream `stub`. */
export interface Stub {
  method: string;
  /** Path prefix. */
  path: string;
  status: number;
  body: string;
}

/** What a call is for. `kind` of auxiliary ones: title, warmup, git_history, paths, command_prefix, fetch, quota, compaction, other. */
export interface CallRole {
  role: 'main' | 'subagent' | 'auxiliary';
  kind?: string;
}

/** A scaffold as data: one file or folder in `scaffolds/`, one line in `scaffolds/all.ts`. */
export interface Scaffold {
  id: string;
  title: string;
  /** Names it goes by in published datasets. */
  aliases: readonly string[];
  /** Versions the adapter was tested with, the preferred one first. */
  versions: readonly string[];
  npm(version: string, platform: Platform): NpmPackage;
  /** Protocols it speaks, the preferred first. */
  protocols: readonly Protocol[];
  dialect(version: string): Dialect;
  launch(setup: LaunchSetup): Launch;
  systemPrompt: { append: boolean; replace: boolean };
  /** Programs it looks for on PATH (a missing one makes tools fail). */
  needs: readonly string[];
  /** Globs of what it shows to the model, relative to the workspace (or `~/`). */
  reads: {
    policy: readonly string[];
    skills: readonly string[];
    memory: readonly string[];
    /** Of these policy files only the first that exists is shown. */
    firstOf?: readonly string[];
  };
  /** Hosts it tries to reach, and the switch that stops it (null = none; harmless). */
  hosts: readonly { host: string; stoppedBy: string | null }[];
  /** Model names it uses whatever it is told, by tier. */
  aliasesOfModels: Readonly<Record<string, ModelTier>>;
  stubs: readonly Stub[];
  /** What a request is for, from its content alone. */
  classify(request: DecodedRequest): CallRole;
}
