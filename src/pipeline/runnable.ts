import type { Dataset, Instance } from '../dataset/schema.ts';
import { sandboxProviders } from '../environment/providers.ts';
import { findScaffold, resolveVersion } from '../scaffolds/all.ts';

/** Whether one row can be run on this machine, and everything that stands against it. */
export interface RunnableRow {
  instance: string;
  runnable: boolean;
  /** Why not. */
  missing: string[];
  /** What is different from what the row asks for. */
  notes: string[];
}

const SOURCE_KINDS: Record<string, 'policy' | 'skills' | 'memory'> = {
  'Agents.md': 'policy',
  'Skill.md': 'skills',
  Memory: 'memory',
};

const scaffoldState = (instance: Instance, row: RunnableRow): void => {
  const scaffold = findScaffold(instance.scaffold.id);
  if (scaffold === null) {
    row.missing.push(`scaffold ${instance.scaffold.raw} is not supported`);
    return;
  }
  const { version, substitutedFor } = resolveVersion(scaffold, instance.scaffold.version, false);
  if (substitutedFor !== null)
    row.notes.push(`${scaffold.id} ${substitutedFor} cannot be had: ${version} runs instead`);
  else if (instance.scaffold.version === null) row.notes.push(`no scaffold version given: ${version} runs`);
  for (const { category } of instance.checklist.categories) {
    const kind = SOURCE_KINDS[category];
    if (kind !== undefined && scaffold.reads[kind].length === 0) {
      row.notes.push(
        `${scaffold.id} shows no ${category} files by itself: they count only if a query or another file points to them`,
      );
    }
  }
};

/** Says for each row whether its image, scaffold and instruction sources can be had here. */
export const runnable = async (dataset: Dataset): Promise<RunnableRow[]> => {
  const docker = await sandboxProviders.docker.check();
  return dataset.instances.map((instance) => {
    const row: RunnableRow = { instance: instance.id, runnable: true, missing: [], notes: [] };
    if (instance.environmentDir === null) {
      if (docker === null) row.notes.push(`image ${instance.image} is pulled when it is first needed`);
      else row.missing.push(`image ${instance.image} needs a container engine: ${docker}`);
    }
    scaffoldState(instance, row);
    row.runnable = row.missing.length === 0;
    return row;
  });
};

/** One line a row. */
export const runnableText = (rows: readonly RunnableRow[]): string => {
  const can = rows.filter((r) => r.runnable).length;
  const lines = rows.map((r) => {
    const why = [...r.missing, ...r.notes].join('; ');
    return `  ${r.runnable ? 'yes' : 'no '}  ${r.instance}${why === '' ? '' : `: ${why}`}`;
  });
  return [`runnable here: ${can} of ${rows.length}`, ...lines].join('\n');
};
