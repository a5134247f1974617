import { z } from 'zod';
import { regexPattern } from '../pattern.ts';
import { parseRange } from '../range.ts';

/* The kinds of parameters that named rules share. */

/** One text or a list of texts, as a list. */
export const texts = (what: string): z.ZodType<string[], string | string[]> =>
  z
    .union([z.string().trim().min(1), z.array(z.string().trim().min(1)).min(1)], {
      error: `takes ${what}, or a list of them`,
    })
    .transform((x) => (typeof x === 'string' ? [x] : x))
    .describe(what);

/** A range, as written. */
export const range = (what: string): z.ZodType<number | string, number | string> =>
  z
    .union([z.number(), z.string()], { error: 'takes a number or a range (3, ">0", "<=50", "1..4")' })
    .refine((x) => parseRange(x) !== null, { error: 'takes a number or a range (3, ">0", "<=50", "1..4")' })
    .describe(what);

/** A regular expression in RE2 syntax, as written. */
export const regex = (what: string): z.ZodType<string, string> =>
  z
    .string()
    .superRefine((x, ctx) => {
      const pattern = regexPattern(x);
      if (typeof pattern === 'string') ctx.addIssue({ code: 'custom', message: `is no RE2 expression: ${pattern}` });
    })
    .describe(what);

export const flag = (what: string): z.ZodType<boolean | undefined, boolean | undefined> =>
  z.boolean().optional().describe(what);
