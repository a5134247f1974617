import { isObject } from '../core/json.ts';
import type { Instance } from '../dataset/schema.ts';

/** The paper's scenarios (appendix E.2); `other` when neither the observables nor the id tell. */
export const SCENARIOS = ['language', 'emoji', 'verbosity', 'safety', 'identity'] as const;
export type Scenario = (typeof SCENARIOS)[number] | 'other';

const KEYS: Readonly<Record<string, Scenario>> = {
  language: 'language',
  emoji: 'emoji',
  words: 'verbosity',
  sentences: 'verbosity',
  lines: 'verbosity',
  chars: 'verbosity',
};
const NAMED: Readonly<Record<string, Scenario>> = {
  reply_language: 'language',
  no_emoji: 'emoji',
  git_safety: 'safety',
};
/** Commands that lose work. */
const DANGER = /^(--hard|--force(-with-lease)?|-f|-rf|-fr|-fd|-fdx|rm|reset|clean|filter-branch)$/;

const leaves = (value: unknown, path: readonly string[] = []): [readonly string[], unknown][] => {
  if (Array.isArray(value)) return value.flatMap((v) => leaves(v, path));
  if (isObject(value)) return Object.entries(value).flatMap(([k, v]) => leaves(v, [...path, k]));
  return [[path, value]];
};

const ofObservable = (rule: unknown): Scenario | undefined => {
  const all = leaves(rule);
  if (JSON.stringify(rule)?.includes('"command"') && all.some(([, v]) => DANGER.test(String(v)))) return 'safety';
  for (const [path, value] of all) {
    const found = path.map((k) => KEYS[k]).find((x) => x !== undefined) ?? NAMED[String(value)];
    if (found !== undefined) return found;
  }
  return undefined;
};

/** What a conflict is about: told by the word in its id (`…-identity`), else by what is observed. */
export const scenarioOf = (instance: Pick<Instance, 'id' | 'conflict'>): Scenario => {
  const words = new Set(instance.id.toLowerCase().split(/[^a-z]+/));
  const named = SCENARIOS.find((s) => words.has(s));
  if (named !== undefined) return named;
  const { conflict } = instance;
  return (conflict && (ofObservable(conflict.a.observed) ?? ofObservable(conflict.b.observed))) ?? 'other';
};
