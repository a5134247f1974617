import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { build, read } from '../../test/fixtures/judge/builder.ts';
import { sha256 } from '../core/ids.ts';
import { parseJson } from '../core/json.ts';
import { parseRule } from './parse.ts';
import { readReleaseMap, withReleaseRules } from './release.ts';
import { verifyAll } from './verify.ts';

const json = parseJson(readFileSync('benchmark/release-72.json', 'utf8'));
const map = readReleaseMap(json);
const rules = [...map.entries.values()];

test('every rule of the map is one', () => {
  for (const { verify, when } of rules) {
    expect([verify, parseRule(verify)]).toEqual([verify, { rule: expect.anything() }]);
    if (when !== undefined) expect(parseRule(when)).toHaveProperty('rule');
  }
});

test('at least three of ten checks can be decided both ways', () => {
  const both = rules.filter((r) => !r.oneSided).length;
  expect(both / map.checksInDataset).toBeGreaterThanOrEqual(0.3);
});

test('what is one-sided hands on what it does not decide, and nothing else does', () => {
  for (const { verify, oneSided } of rules) {
    if (!oneSided) expect(JSON.stringify(verify)).not.toContain('"judge"');
  }
});

test('a rule goes to the check that is worded as it was mapped, and to no other', () => {
  const made = readReleaseMap({
    release: 1,
    dataset: 'd',
    checks_in_dataset: 1,
    rules: [{ verify: { some: { action: 'read' } } }],
    checks: [{ instance: 'i', check: 'c', sha256: sha256('Reads a file'), rule: 0 }],
  });
  const of = (instance: string, description: string) => {
    const checks = [{ id: 'c', description, type: null }];
    const list = { categories: [{ category: 'SP', raw: 'SP', description: '', checks }] };
    return verifyAll(build([{ do: [read('a')] }]), withReleaseRules(made, instance, list)).verdicts[0]?.verdict;
  };
  expect([of('i', 'Reads a file'), of('i', 'Reads two files'), of('other', 'Reads a file')]).toEqual([
    'success',
    'unscored',
    'unscored',
  ]);
});

test('a broken map is refused', () => {
  expect(() => readReleaseMap({ release: 2 })).toThrow('broken');
  expect(() =>
    readReleaseMap({
      release: 1,
      dataset: 'd',
      checks_in_dataset: 1,
      rules: [],
      checks: [{ instance: 'i', check: 'c', sha256: 'a'.repeat(64), rule: 3 }],
    }),
  ).toThrow('rule 3');
});

const RELEASE = '../shared/data/octocodingbench-72.jsonl';

test.skipIf(!existsSync(RELEASE))(
  'every entry is a check of the release (skipped where the release is not at hand)',
  () => {
    const known = new Set<string>();
    for (const line of readFileSync(RELEASE, 'utf8')
      .split('\n')
      .filter((l) => l.trim() !== '')) {
      const row = JSON.parse(line) as {
        instance_id: string;
        checklist: Record<string, { checks: { check_id: string; description: string }[] }>;
      };
      for (const { checks } of Object.values(row.checklist)) {
        for (const c of checks) known.add(`${row.instance_id}\n${c.check_id}\n${sha256(c.description)}`);
      }
    }
    expect([...map.entries.keys()].filter((k) => !known.has(k))).toEqual([]);
  },
);
