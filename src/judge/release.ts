import { z } from 'zod';
import type { Check, Checklist } from '../checklist/schema.ts';
import { BenchError } from '../core/errors.ts';
import { sha256 } from '../core/ids.ts';

/** Rules for the checks of a published release: `benchmark/release-72.json`. It holds digests of the wording, never the wording. */
export interface ReleaseMap {
  dataset: string;
  /** Checks that the dataset has in all. */
  checksInDataset: number;
  entries: ReadonlyMap<string, ReleaseRule>;
}

export interface ReleaseRule {
  verify: unknown;
  when?: unknown;
  /** It can only fail (or only succeed) by itself and hands everything else on: it does not count as decided by programs. */
  oneSided: boolean;
}

const FILE = z.strictObject({
  release: z.literal(1),
  dataset: z.string(),
  checks_in_dataset: z.int().positive(),
  rules: z.array(
    z.strictObject({
      verify: z.record(z.string(), z.unknown()),
      when: z.record(z.string(), z.unknown()).optional(),
      one_sided: z.literal(true).optional(),
    }),
  ),
  checks: z.array(
    z.strictObject({
      instance: z.string(),
      check: z.string(),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      rule: z.int().min(0),
    }),
  ),
});

const keyOf = (instance: string, check: string, digest: string): string => `${instance}\n${check}\n${digest}`;

/**
 * Reads the map of a release.
 * @throws BenchError('input') when it is none
 */
export const readReleaseMap = (json: unknown): ReleaseMap => {
  const read = FILE.safeParse(json);
  if (!read.success)
    throw new BenchError('input', 'judge', `the map of the release is broken: ${z.prettifyError(read.error)}`);
  const { rules, checks, dataset, checks_in_dataset } = read.data;
  const entries = new Map<string, ReleaseRule>();
  for (const { instance, check, sha256: digest, rule } of checks) {
    const found = rules[rule];
    if (found === undefined)
      throw new BenchError('input', 'judge', `the map of the release names rule ${rule}, which it does not have`);
    const { verify, when, one_sided } = found;
    entries.set(keyOf(instance, check, digest), {
      verify,
      oneSided: one_sided === true,
      ...(when === undefined ? {} : { when }),
    });
  }
  return { dataset, checksInDataset: checks_in_dataset, entries };
};

/** The rule of the release for a check, when the check is worded as it was mapped. */
const releaseRule = (map: ReleaseMap, instance: string, check: Check): ReleaseRule | null =>
  map.entries.get(keyOf(instance, check.id, sha256(check.description))) ?? null;

const withRule = (map: ReleaseMap, instance: string, check: Check): Check => {
  const rule = check.verify === undefined && check.when === undefined ? releaseRule(map, instance, check) : null;
  if (rule === null) return check;
  return {
    ...check,
    verify: { json: rule.verify, at: null },
    ...(rule.when === undefined ? {} : { when: { json: rule.when, at: null } }),
  };
};

/** A checklist of the release with the rules that the map has for its checks; a check that has a rule of its own keeps it. */
export const withReleaseRules = (map: ReleaseMap, instance: string, checklist: Checklist): Checklist => ({
  categories: checklist.categories.map((c) => ({ ...c, checks: c.checks.map((k) => withRule(map, instance, k)) })),
});
