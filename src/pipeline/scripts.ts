import type { Problem } from '../core/problem.ts';
import type { Instance } from '../dataset/schema.ts';
import { SCRIPT } from './models.ts';
import type { ModelSpec } from './schema.ts';

const CAREFUL = 'careful';

/** The script a scripted model plays: `careful` follows, `careful-x` takes another legitimate route, any other name breaks rules. */
const scriptName = (instance: Instance, name: string): string => {
  if (instance.conflictType !== null && instance.scripts[name] !== undefined) return name;
  if (name === CAREFUL) return 'follow';
  return name.startsWith(`${CAREFUL}-`) ? `follow-${name.slice(CAREFUL.length + 1)}` : `break-${name}`;
};

/** The script file of a scripted model on an instance; `file` is null for real models, `problem` says when there is none. */
export const scriptOf = (instance: Instance, model: ModelSpec): { file: string | null; problem: Problem | null } => {
  if (model.provider !== SCRIPT) return { file: null, problem: null };
  const name = scriptName(instance, model.names.main);
  const file = instance.scripts[name];
  if (file !== undefined) return { file, problem: null };
  const there = Object.keys(instance.scripts).sort().join(', ');
  return {
    file: null,
    problem: {
      kind: 'missing_script',
      severity: 'error',
      field: model.id,
      message: `instance ${instance.id} has no script "${name}" for model ${model.id}; it has: ${there === '' ? 'none' : there}`,
    },
  };
};
