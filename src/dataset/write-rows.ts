import type { CategoryChecks, Check } from '../checklist/schema.ts';
import { environmentOf } from './names.ts';
import type { Row, RowCategory, RowCheck } from './row-schema.ts';
import type { Instance } from './schema.ts';

/** Without the fields that say nothing, so that an absent field and a null one give one row. */
const said = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined && v !== null)) as T;

const toCheck = (check: Check): RowCheck =>
  said({
    check_id: check.id,
    description: check.description,
    check_type: check.type,
    verify: check.verify?.json,
    when: check.when?.json,
    scaffolds: check.scaffolds,
    judge: check.judge,
    source: check.source,
    constraint: check.constraint,
    labels: check.labels,
  });

const toCategory = (category: CategoryChecks): RowCategory => ({
  description: category.description,
  checks: category.checks.map(toCheck),
});

/** An instance as a row of the published format; what it says of files on this machine stays out. Pure. */
export const toRow = (instance: Omit<Instance, 'digest'>): Row =>
  said({
    instance_id: instance.id,
    user_query: instance.queries,
    system_prompt: instance.systemPrompt,
    category: instance.rawCategory,
    image: instance.image,
    workspace_abs_path: instance.workspace,
    scaffold: said({ name: instance.scaffold.raw, version: instance.scaffold.version }),
    checklist: Object.fromEntries(instance.checklist.categories.map((c) => [c.raw, toCategory(c)])),
    expected_skill: instance.expectedSkill,
    conflict_type: instance.conflictType,
    system_prompt_mode: instance.systemPromptMode === 'append' ? undefined : instance.systemPromptMode,
    environment: instance.environment === environmentOf(instance.image) ? undefined : instance.environment,
    solved: instance.solved,
    conflict: instance.conflict,
  });

/** JSON lines, one row a line. */
export const writeRows = (instances: readonly Instance[]): string =>
  instances.map((instance) => `${JSON.stringify(toRow(instance))}\n`).join('');
