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
  /** Digest of the row as published (without file positions). */
  digest: string;
}

export interface Dataset {
  /** As the user named it. */
  source: string;
  /** `hf:` revision that was resolved, else null. */
  revision: string | null;
  instances: Instance[];
  problems: Problem[];
  digest: string;
}
