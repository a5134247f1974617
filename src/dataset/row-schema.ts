import { z } from 'zod';
import type { Conflict } from './schema.ts';

/*
 * A row as it is published (docs/formats/dataset.md): the release's field names, and the fields our own instances add.
 * Everything but the first eight fields may be missing.
 */

export interface RowCheck {
  check_id: string;
  description: string;
  check_type?: string | null | undefined;
  verify?: unknown;
  when?: unknown;
  scaffolds?: string[] | undefined;
  judge?: 'also' | undefined;
  source?: string | undefined;
  constraint?: string | undefined;
  labels?: Record<string, string> | undefined;
}

export interface RowCategory {
  description?: string | null | undefined;
  checks: RowCheck[];
}

export interface Row {
  instance_id: string;
  user_query: string[];
  system_prompt: string;
  category: string;
  image: string;
  workspace_abs_path: string;
  scaffold: { name: string; version?: string | null | undefined };
  checklist: Record<string, RowCategory>;
  expected_skill?: string | null | undefined;
  conflict_type?: string | null | undefined;
  system_prompt_mode?: 'append' | 'replace' | undefined;
  environment?: string | undefined;
  solved?: string | null | undefined;
  conflict?: Conflict | undefined;
}

type ObjectMaker = <S extends z.core.$ZodLooseShape>(shape: S) => z.ZodType;

const text = z.string();
const said = z.string().regex(/\S/, { error: 'is empty' });

const build = (object: ObjectMaker): z.ZodType<Row> => {
  const check = object({
    check_id: said,
    description: said,
    check_type: text.nullish(),
    verify: z.unknown().optional(),
    when: z.unknown().optional(),
    scaffolds: z.array(said).optional(),
    judge: z.literal('also').optional(),
    source: text.optional(),
    constraint: text.optional(),
    labels: z.record(z.string(), z.enum(['success', 'fail', 'not_applicable'])).optional(),
  });
  const category = object({
    description: text.nullish(),
    checks: z.array(check).min(1, { error: 'has no check' }),
  });
  const side = object({ source: said, text: said, observed: z.unknown() });
  return object({
    instance_id: said,
    user_query: z.array(said).min(1, { error: 'has no query' }),
    system_prompt: text,
    category: said,
    image: said,
    workspace_abs_path: z.string().regex(/^\//, { error: 'is not an absolute path' }),
    scaffold: object({ name: said, version: text.nullish() }),
    checklist: z
      .record(z.string(), category)
      .refine((c) => Object.keys(c).length > 0, { error: 'is no checklist: it has no category' }),
    expected_skill: text.nullish(),
    conflict_type: text.nullish(),
    system_prompt_mode: z.enum(['append', 'replace']).optional(),
    environment: said.optional(),
    solved: text.nullish(),
    conflict: object({
      base: said,
      a: side,
      b: side,
      reviewed: object({ by: said, on: said }).optional(),
    }).optional(),
  }) as z.ZodType<Row>;
};

/** What must be there, unknown fields let through. */
export const looseRow: z.ZodType<Row> = build((shape) => z.looseObject(shape));
/** The same, with unknown fields as issues. */
export const strictRow: z.ZodType<Row> = build((shape) => z.strictObject(shape));
