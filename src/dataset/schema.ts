import type { Checklist } from '../checklist/schema.ts';
import type { Problem } from '../core/problem.ts';

/** The paper's six primary categories. */
export const PRIMARY_CATEGORIES = ['Skill', 'Claude.md', 'AGENTS.md', 'Memory', 'SP', 'User Query'] as const;
export type PrimaryCategory = (typeof PRIMARY_CATEGORIES)[number];

/** One dataset row: the same shape whether it came from JSONL, our folder or the hub. */
export interface Instance {
  id: string;
  queries: string[];
  systemPrompt: string;
  /** How the system prompt is given; `append` unless the row asks for `replace`. */
  systemPromptMode: 'append' | 'replace';
  /** Normalized; the raw value beside it. */
  category: PrimaryCategory | (string & {});
  rawCategory: string;
  image: string;
  /** The cluster for statistics: the image without the registry host, or the name of our own environment. */
  environment: string;
  /** Folder of our own environment (`benchmark/environments/<env>`), when the instance comes from a benchmark folder. */
  environmentDir: string | null;
  workspace: string;
  scaffold: { id: string; raw: string; version: string | null };
  checklist: Checklist;
  expectedSkill: string | null;
  conflictType: string | null;
  /** Command that tells whether the task is solved, run in the final workspace. */
  solved: string | null;
  /** Hidden tests, mounted only for the run of `solved`. */
  hiddenDir: string | null;
  /** Script name -> file, for scripted models (`follow`, `follow-<name>`, `break-<name>`). */
  scripts: Record<string, string>;
  conflict?: Conflict;
  /** Digest of the row as published (without file positions). */
  digest: string;
}

/** What a conflict instance says beyond its row: the pair of orders that cannot both be followed, and how each shows. */
export interface Conflict {
  /** Id of the conflict-free instance it was made from. */
  base: string;
  a: ConflictSide;
  b: ConflictSide;
  /** Who found the base free of contradictions, and when (`2026-12-01`). */
  reviewed?: { by: string; on: string } | undefined;
}

export interface ConflictSide {
  /** Where the order stands: `UQ`, `SP`, `MD`. */
  source: string;
  /** The order, as it is written there. */
  text: string;
  /** A rule (docs/formats/rules.md) that holds when this side was followed. */
  observed: unknown;
}

/** One environment of a benchmark folder: its `environment.yaml` (docs/formats/benchmark.md). */
export interface EnvironmentFile {
  name: string;
  /** Its folder: `workspace/` and `history.yaml` stand in it. */
  dir: string;
  title: string;
  description: string;
  licence: string;
  attribution: string;
  /** Name of the image that is built of it. */
  image: string;
  /** Path of the workspace inside a sandbox. */
  workspace: string;
  /** What has to be installed: `node 24`, `python 3.13`. */
  toolchain: string[];
  /** Commands run in the workspace after the history was replayed, before the agent starts. */
  setup: string[];
  /** Commands that run its tests, in the words an agent would use; rules count them as `test`. */
  tests: string[];
}

export interface Dataset {
  /** As the user named it. */
  source: string;
  /** `hf:` revision that was resolved, else null. */
  revision: string | null;
  instances: Instance[];
  problems: Problem[];
  /** Of a benchmark folder; empty elsewhere. */
  environments: EnvironmentFile[];
  digest: string;
}
