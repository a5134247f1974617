import { expect, test } from 'vitest';
import { parseRule } from '../parse.ts';
import { RULES } from './all.ts';

test('every named rule expands, by its own example, into a rule of the grammar', () => {
  for (const rule of RULES) {
    expect(parseRule(rule.example), rule.name).toHaveProperty('rule');
    expect(rule.example.use).toBe(rule.name);
  }
});
