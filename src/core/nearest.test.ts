import { expect, test } from 'vitest';
import { nearest, suggestion } from './nearest.ts';

test('a slip of the finger is recognized, a different word is not', () => {
  const known = ['claude-code', 'kilo', 'droid'];
  expect(nearest('claud-code', known)).toBe('claude-code');
  expect(nearest('Droid', known)).toBe('droid');
  expect(nearest('emacs', known)).toBeNull();
  expect(suggestion('emacs', known)).toBe('; known: claude-code, kilo, droid');
});
