import { CATEGORIES, CHECK_TYPES, type Check } from '../checklist/schema.ts';
import type { Problem } from '../core/problem.ts';
import { type Place, problemAt } from './place.ts';
import { type Instance, PRIMARY_CATEGORIES } from './schema.ts';

type Say = (path: readonly PropertyKey[], kind: string, message: string) => Problem;

const among = (name: string, names: readonly string[]): boolean => names.includes(name);

const checkOddities = (instance: Instance, place: Place, say: Say): Problem[] => {
  const seen = new Map<string, string>();
  return instance.checklist.categories.flatMap((category) =>
    category.checks.flatMap((check, i) => {
      const path = ['checklist', category.raw, 'checks', i];
      const before = seen.get(check.id);
      seen.set(check.id, before ?? category.raw);
      return [
        ...(before === undefined
          ? []
          : [
              problemAt(
                place,
                [...path, 'check_id'],
                'duplicate_check',
                'error',
                `check id "${check.id}" is already in category "${before}" of this instance`,
              ),
            ]),
        ...(check.type !== null && among(check.type, CHECK_TYPES)
          ? []
          : [
              say([...path, 'check_type'], 'check_type', `"${check.type ?? ''}" is none of: ${CHECK_TYPES.join(', ')}`),
            ]),
      ];
    }),
  );
};

const ASPECTS: readonly [aspect: string, words: RegExp][] = [
  ['invocation', /invo[ck]|call|used\b|skill_used|loaded|launch/i],
  ['identity', /correct|name|select|right skill|exact|rather than|skill_first/i],
  ['workflow', /flow|step|guid|follow|process|instruct|order|structure/i],
];

const speaksOf = (check: Check, words: RegExp): boolean => words.test(check.id) || words.test(check.description);

/** What of a Skill instance is missing: its skill's name, its category, checks that the skill was called, by name, and followed. */
const skillOddities = (instance: Instance, say: Say): Problem[] => {
  if (instance.category !== 'Skill') return [];
  const found: Problem[] = [];
  const name = instance.expectedSkill;
  if (name === null || name.trim() === '') {
    found.push(say(['expected_skill'], 'skill_unnamed', 'a Skill instance needs expected_skill'));
  }
  const categories = instance.checklist.categories.filter((c) => c.category === 'Skill.md');
  if (categories.length === 0) {
    return [...found, say(['checklist'], 'skill_unchecked', 'a Skill instance needs a Skill.md category')];
  }
  const checks = categories.flatMap((c) => c.checks);
  for (const [aspect, words] of ASPECTS) {
    const named = (c: Check): boolean => aspect === 'identity' && name !== null && mentions(c, name);
    if (!checks.some((c) => speaksOf(c, words) || named(c))) {
      const raw = categories[0]?.raw ?? 'Skill.md';
      found.push(
        say(['checklist', raw], `skill_${aspect}`, `no check of the Skill.md category speaks of the skill's ${aspect}`),
      );
    }
  }
  return found;
};

const mentions = (check: Check, name: string): boolean =>
  check.description.toLowerCase().includes(name.toLowerCase()) ||
  check.id.toLowerCase().includes(name.toLowerCase().replace(/[^a-z0-9]+/g, '_'));

/**
 * What is odd about a row that could be read. Published rows are taken as they are, with a warning; the same in an instance of
 * ours is an error.
 */
export const oddities = (instance: Instance, place: Place): Problem[] => {
  const say: Say = (path, kind, message) => problemAt(place, path, kind, place.own ? 'error' : 'warning', message);
  const primary = among(instance.category, PRIMARY_CATEGORIES)
    ? []
    : [say(['category'], 'primary_category', `"${instance.rawCategory}" is none of: ${PRIMARY_CATEGORIES.join(', ')}`)];
  const others = instance.checklist.categories
    .filter((c) => !among(c.category, CATEGORIES))
    .map((c) =>
      say(['checklist', c.raw], 'check_category', `category "${c.raw}" is outside the seven; shown under "other"`),
    );
  const version =
    instance.scaffold.version === null
      ? [
          problemAt(
            place,
            ['scaffold', 'version'],
            'no_version',
            'warning',
            `scaffold "${instance.scaffold.raw}" has no version`,
          ),
        ]
      : [];
  return [...primary, ...others, ...version, ...checkOddities(instance, place, say), ...skillOddities(instance, say)];
};
