import { expect, test } from 'vitest';
import type { Instance } from '../dataset/schema.ts';
import type { Check } from './schema.ts';
import { sideOf, type WitnessRun, type Word, witnessFindings } from './witness.ts';

const check = (id: string, more: Partial<Check> = {}): Check => ({
  id,
  description: '',
  type: null,
  verify: { json: {}, at: null },
  ...more,
});

const instance = (checks: Check[], more: Partial<Instance> = {}): Instance => ({
  id: 'i',
  queries: ['q'],
  systemPrompt: '',
  systemPromptMode: 'append',
  category: 'SP',
  rawCategory: 'SP',
  image: 'x',
  environment: 'e',
  environmentDir: null,
  workspace: '/w',
  scaffold: { id: 'claude-code', raw: 'claude-code', version: null },
  checklist: { categories: [{ category: 'SP', raw: 'SP', description: '', checks }] },
  expectedSkill: null,
  conflictType: null,
  solved: 'true',
  hiddenDir: null,
  scripts: {},
  digest: '',
  ...more,
});

const run = (script: string, verdicts: Record<string, Word>, more: Partial<WitnessRun> = {}): WitnessRun => ({
  script,
  breaks: [],
  outcome: 'finished',
  solved: true,
  verdicts,
  ...more,
});

const S = 'success';
const F = 'fail';
const N = 'not_applicable';
const ONE = instance([check('a'), check('b')]);
const FOLLOW = run('follow', { a: S, b: S });
const BREAK = run('break-x', { a: F, b: F }, { breaks: ['a', 'b'], solved: false });

const found = (runs: WitnessRun[], of = ONE, scaffold = 'claude-code'): string[] =>
  witnessFindings(of, scaffold, runs).map((f) => [f.kind, f.script, f.check].filter((x) => x !== undefined).join(' '));

test('a run that follows and one that breaks each check: nothing to find', () => {
  expect(found([FOLLOW, BREAK])).toEqual([]);
});

test('each check needs both witnesses', () => {
  expect(found([FOLLOW])).toEqual(['no_fail a', 'no_fail b']);
  expect(found([BREAK])).toEqual(['missing_script', 'no_pass a', 'no_pass b']);
  // Not applicable is no proof, but another script that follows may give it.
  const silent = run('follow', { a: N, b: S });
  expect(found([silent, BREAK])).toEqual(['no_pass a']);
  expect(found([silent, run('follow-other', { a: S, b: S }), BREAK])).toEqual([]);
});

test('a script that follows solves the task and fails nothing, and knows of every check', () => {
  expect(found([run('follow', { a: S, b: S }, { solved: null }), BREAK])).toEqual(['not_solved follow']);
  expect(found([run('follow', { a: S, b: F }), BREAK])).toEqual(['not_followed follow b', 'no_pass b']);
  expect(found([run('follow', { a: S }), BREAK])).toEqual(['not_followed follow b', 'no_pass b']);
  expect(found([run('follow', { a: S, b: S }, { solved: null }), BREAK], { ...ONE, solved: null })).toEqual([]);
});

test('a script that breaks fails exactly what it lists', () => {
  const breaks = (verdicts: Record<string, Word>, list: string[]): string[] =>
    found([FOLLOW, BREAK, run('break-y', verdicts, { breaks: list })]);
  expect(breaks({ a: F, b: S }, ['a'])).toEqual([]);
  expect(breaks({ a: F, b: N }, ['a'])).toEqual([]);
  expect(breaks({ a: S, b: S }, ['a'])).toEqual(['not_broken break-y a']);
  expect(breaks({ a: N, b: S }, ['a'])).toEqual(['not_broken break-y a']);
  expect(breaks({ a: F, b: F }, ['a'])).toEqual(['broken_unlisted break-y b']);
  expect(breaks({ a: F, b: 'unscored' }, ['a'])).toEqual(['differs break-y b']);
  expect(breaks({ a: F, b: S }, ['a', 'c'])).toEqual(['unknown_check break-y c']);
});

test('a run that did not finish proves nothing', () => {
  expect(found([FOLLOW, { ...BREAK, outcome: 'scaffold_failed (script_mismatch)' }])).toEqual([
    'not_finished break-x',
    'no_fail a',
    'no_fail b',
  ]);
});

test('checks of other scaffolds need no witness, checks without a rule need a label for every script', () => {
  expect(found([FOLLOW, BREAK], instance([check('a'), check('b'), check('k', { scaffolds: ['kilo'] })]))).toEqual([]);
  const { verify: _, ...bare } = check('l');
  const labelled = (labels: Record<string, string>): Instance =>
    instance([check('a'), check('b'), { ...bare, labels }]);
  expect(found([FOLLOW, BREAK], labelled({ follow: S, 'break-x': F }))).toEqual([]);
  expect(found([FOLLOW, BREAK], labelled({ follow: S, 'break-z': F }))).toEqual(['no_label l', 'missing_script l']);
});

test('scripts of a conflict show the side they are named after', () => {
  const side = { source: 'UQ', text: '', observed: {} };
  const conflict = instance([check('a')], { conflictType: 'UQ-SP', conflict: { base: 'x', a: side, b: side } });
  const seen = (script: string, a: Word, b: Word): WitnessRun => run(script, {}, { observed: { a, b } });
  const all = [seen('a', S, F), seen('b', F, S), seen('neither', F, F), seen('both', S, S)];
  expect(found(all, conflict)).toEqual([]);
  expect(found(all.slice(0, 3), conflict)).toEqual(['missing_script']);
  expect(found([...all.slice(0, 3), seen('both', S, F)], conflict)).toEqual(['wrong_side both']);
  expect(found([...all.slice(0, 3), seen('both', S, 'unscored')], conflict)).toEqual(['wrong_side both']);
  expect(sideOf({ a: N, b: S })).toBe('b');
});
