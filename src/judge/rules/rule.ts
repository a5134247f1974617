import { z } from 'zod';
import type { JsonObject } from '../../core/json.ts';
import { suggestion } from '../../core/nearest.ts';
import type { RuleProblem } from '../parse-problem.ts';

/** A rule with a name and parameters: one file in `rules/`, one line in `rules/all.ts`. */
export interface NamedRule {
  name: string;
  /** What it asks of the agent, in one sentence. */
  description: string;
  /** What it does not see, when that matters. */
  notes?: string;
  /** The parameters as JSON Schema. */
  params: JsonObject;
  /** A use of it, as it would be written. */
  example: JsonObject;
  /** The rule in the core grammar, or what is wrong with the parameters. */
  expand(params: JsonObject): { rule: JsonObject } | { problems: RuleProblem[] };
}

interface Definition<P> {
  name: string;
  description: string;
  notes?: string;
  params: z.ZodType<P> & { shape: object };
  example: JsonObject;
  expand(params: P): JsonObject;
}

const problemsOf = (error: z.ZodError, known: readonly string[]): RuleProblem[] =>
  error.issues.flatMap((issue): RuleProblem[] => {
    const path = issue.path.map((k) => (typeof k === 'number' ? k : String(k)));
    if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...path, key],
      message:
        known.length === 0
          ? `"${key}" is no parameter; this rule has none`
          : `"${key}" is no parameter${suggestion(key, known)}`,
    }));
  });

/** Makes a named rule from a strict schema of its parameters and an expansion. */
export const namedRule = <P>(definition: Definition<P>): NamedRule => {
  const { params, expand, ...rest } = definition;
  const { $schema: _, ...schema } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });
  return {
    ...rest,
    params: schema,
    expand(json) {
      const read = params.safeParse(json);
      if (!read.success) return { problems: problemsOf(read.error, Object.keys(params.shape)) };
      return { rule: expand(read.data) };
    },
  };
};
