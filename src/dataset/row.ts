import type { z } from 'zod';
import type { CategoryChecks, Check, Checklist, RuleSource } from '../checklist/schema.ts';
import { sha256 } from '../core/ids.ts';
import { canonicalJson, isObject } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import { checkCategory, environmentOf, primaryCategory, scaffoldId } from './names.ts';
import { oddities } from './oddities.ts';
import { type Place, problemAt } from './place.ts';
import { looseRow, type Row, type RowCheck, strictRow } from './row-schema.ts';
import type { Instance } from './schema.ts';
import { toRow } from './write-rows.ts';

export interface RowReading {
  /** Null when the row has an error. */
  instance: Instance | null;
  /** The id as far as it can be told, so that duplicates are found among broken rows too. */
  id: string | null;
  problems: Problem[];
}

const NAMES: Record<string, string> = { array: 'list', record: 'object' };

const wording = (issue: z.core.$ZodRawIssue): string | undefined => {
  if (issue.input === undefined) return 'is missing';
  if (issue.code === 'invalid_type') {
    const wanted = NAMES[issue.expected] ?? issue.expected;
    return `is not ${/^[aeiou]/.test(wanted) ? 'an' : 'a'} ${wanted}`;
  }
  return issue.code === 'invalid_value' ? `is not one of: ${issue.values.map(String).join(', ')}` : undefined;
};

const unknownFields = (row: unknown, place: Place): Problem[] => {
  const issues = strictRow.safeParse(row).error?.issues ?? [];
  return issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => {
          const severity = place.own ? 'error' : 'warning';
          return problemAt(place, [...issue.path, key], 'unknown_field', severity, `unknown field "${key}"`);
        })
      : [],
  );
};

const ruleAt = (json: unknown, place: Place, path: readonly PropertyKey[]): RuleSource => {
  const { file, line } = place.at(path);
  return { json, at: line === undefined ? null : { file, line } };
};

/** The keys of an object that are there. */
const present = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

const readCheck = (row: RowCheck, place: Place, path: readonly PropertyKey[]): Check => ({
  id: row.check_id,
  description: row.description,
  type: row.check_type ?? null,
  ...present({
    verify: row.verify === undefined ? undefined : ruleAt(row.verify, place, [...path, 'verify']),
    when: row.when === undefined ? undefined : ruleAt(row.when, place, [...path, 'when']),
    scaffolds: row.scaffolds,
    judge: row.judge,
    source: row.source,
    constraint: row.constraint,
    labels: row.labels,
  }),
});

const readChecklist = (row: Row, place: Place): Checklist => ({
  categories: Object.entries(row.checklist).map(
    ([raw, category]): CategoryChecks => ({
      category: checkCategory(raw),
      raw,
      description: category.description ?? '',
      checks: category.checks.map((check, i) => readCheck(check, place, ['checklist', raw, 'checks', i])),
    }),
  ),
});

const build = (row: Row, place: Place): Instance => {
  const instance: Omit<Instance, 'digest'> = {
    id: row.instance_id,
    queries: row.user_query,
    systemPrompt: row.system_prompt,
    systemPromptMode: row.system_prompt_mode ?? 'append',
    category: primaryCategory(row.category),
    rawCategory: row.category,
    image: row.image,
    environment: row.environment ?? environmentOf(row.image),
    environmentDir: null,
    workspace: row.workspace_abs_path,
    scaffold: { id: scaffoldId(row.scaffold.name), raw: row.scaffold.name, version: row.scaffold.version ?? null },
    checklist: readChecklist(row, place),
    expectedSkill: row.expected_skill ?? null,
    conflictType: row.conflict_type ?? null,
    solved: row.solved ?? null,
    hiddenDir: null,
    scripts: {},
    ...present({ conflict: row.conflict }),
  };
  return { ...instance, digest: sha256(canonicalJson(toRow(instance))) };
};

/**
 * Reads one row: every problem with its file, line and field, and the instance when none of them is an error.
 * The digest is of the row that `toRow` writes, so it is the same from every source.
 */
export const readRow = (row: unknown, place: Place): RowReading => {
  const id = isObject(row) && typeof row.instance_id === 'string' ? row.instance_id : null;
  const parsed = looseRow.safeParse(row, { error: wording });
  const problems = (parsed.error?.issues ?? []).map((issue) =>
    problemAt(place, issue.path, 'bad_row', 'error', issue.path.length === 0 ? 'not an object' : issue.message),
  );
  problems.push(...unknownFields(row, place));
  if (!parsed.success) return { instance: null, id, problems };
  const instance = build(parsed.data, place);
  problems.push(...oddities(instance, place));
  return { instance: problems.some((p) => p.severity === 'error') ? null : instance, id, problems };
};
