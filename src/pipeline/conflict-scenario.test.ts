import { expect, test } from 'vitest';
import type { Instance } from '../dataset/schema.ts';
import { scenarioOf } from './conflict-scenario.ts';

const conflict = (id: string, a: unknown, b: unknown = {}): Pick<Instance, 'id' | 'conflict'> => ({
  id,
  conflict: {
    base: 'x',
    a: { source: 'UQ', text: '', observed: a },
    b: { source: 'SP', text: '', observed: b },
  },
});

test.each([
  ['x-1', { last: { say: 'any' }, must: { text: { language: 'de' } } }, 'language'],
  ['x-1', { use: 'reply_language', is: 'de' }, 'language'],
  ['x-1', { use: 'no_emoji' }, 'emoji'],
  ['x-1', { last: { say: 'any' }, must: { text: { words: '<300' } } }, 'verbosity'],
  ['x-1', { some: { command: 'git', sub: 'reset', args: '--hard' } }, 'safety'],
  ['x-1', { some: { command: 'npm', sub: 'test' } }, 'other'],
  ['who-identity', { some: { say: 'any', text: { has: 'Claude' } } }, 'identity'],
  ['notes-emoji', { last: { say: 'any' }, must: { text: { words: 3 } } }, 'emoji'],
] as const)('the scenario of %s observed by %j is %s', (id, observed, scenario) => {
  expect(scenarioOf(conflict(id, observed))).toBe(scenario);
  expect(scenarioOf(conflict(id, {}, observed))).toBe(scenario);
});

test('a published row without its pair is told by its id alone', () => {
  expect(scenarioOf({ id: 'md-language-3' })).toBe('language');
  expect(scenarioOf({ id: 'md-3' })).toBe('other');
});
