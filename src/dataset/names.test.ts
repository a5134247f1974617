import { describe, expect, test } from 'vitest';
import { checkCategory, environmentOf, primaryCategory, scaffoldId } from './names.ts';
import { matches, select } from './select.ts';

test('primary categories in the spellings that occur', () => {
  const cases = {
    memory: 'Memory',
    'CLAUDE.md': 'Claude.md',
    'agents.md': 'AGENTS.md',
    skills: 'Skill',
    sp: 'SP',
    user_query: 'User Query',
  };
  for (const [raw, name] of Object.entries(cases)) expect(primaryCategory(raw), raw).toBe(name);
  expect(primaryCategory('Security')).toBe('Security');
});

test('check categories: memory banks are memory, testing stays its own', () => {
  expect(checkCategory('Memory bank (project-specific rules)')).toBe('Memory');
  expect(checkCategory('memory-bank')).toBe('Memory');
  expect(checkCategory('user query')).toBe('User query');
  expect(checkCategory('Claude.md')).toBe('Agents.md');
  expect(checkCategory('testing')).toBe('testing');
  expect(checkCategory('Memorable')).toBe('Memorable');
});

test('scaffold names of published rows', () => {
  expect(['claudecode', 'kilo-dev', 'droid', 'Claude-Code'].map(scaffoldId)).toEqual([
    'claude-code',
    'kilo',
    'droid',
    'claude-code',
  ]);
});

test('only a registry host is taken off an image', () => {
  expect(environmentOf('harbor.example.com/a/b:1')).toBe('a/b:1');
  expect(environmentOf('localhost:5000/a:1')).toBe('a:1');
  expect(environmentOf('localhost/a')).toBe('a');
  expect(environmentOf('team/a:1.2')).toBe('team/a:1.2');
  expect(environmentOf('a:1.2')).toBe('a:1.2');
});

describe('selection', () => {
  test('globs over ids, which are no paths', () => {
    expect(matches('a*', 'a/b\nc')).toBe(true);
    expect(matches('a?c', 'abc')).toBe(true);
    expect(matches('{x,y}-1', 'y-1')).toBe(true);
    expect(matches('a.c', 'abc')).toBe(false);
    expect(matches('a,b', 'a,b')).toBe(true);
    expect(matches('{a', '{a')).toBe(true);
  });

  test('order stays, exclusion wins, the limit counts what is left', () => {
    const items = ['b', 'a', 'c', 'd'].map((id) => ({ id }));
    const { instances } = select(items, { include: ['a', 'b', 'c'], exclude: ['b'], limit: 1 });
    expect(instances).toEqual([{ id: 'a' }]);
  });
});
