import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parseRule } from './parse.ts';
import { ruleSchema } from './rule-schema.ts';
import { RULES } from './rules/all.ts';

const validate = new Ajv2020({ strict: false }).compile(ruleSchema());

const good: unknown[] = [
  ...RULES.map((r) => r.example),
  ...RULES.flatMap((r) => {
    const { use: _, ...params } = r.example;
    const expanded = r.expand(params);
    return 'rule' in expanded ? [expanded.rule] : [];
  }),
  { never: { action: 'read', 'input.limit': '>5', in: 'all', since: { query: 1 } } },
  { every: { todo: 'any' }, must: { items: { each: { text: { chars: '<=80' } } } }, share: '>=0.5' },
  { or: [{ never: { change: { not: ['src/**'] } } }, { judge: 'Why?', facts: [{ action: 'write' }] }] },
  { workspace: { run: 'npm test', exit: 0 } },
  { never: { turn: 'any', calls: '>1' } },
];

test('the schema takes what the parser takes', () => {
  for (const rule of good) {
    expect([JSON.stringify(rule), validate(rule)]).toEqual([JSON.stringify(rule), 'rule' in parseRule(rule)]);
  }
});

test('the schema refuses what is plainly wrong', () => {
  const bad: unknown[] = [
    {},
    { nevr: { action: 'read' } },
    { never: { action: 'reed' } },
    { never: { action: 'read', pth: 'a' } },
    { every: { action: 'read' } },
    { use: 'nothing' },
    { use: 'commit_message' },
    { use: 'no_shell_for_files', alow: ['list'] },
    { count: { action: 'read' }, is: 'many' },
  ];
  for (const rule of bad) expect([rule, validate(rule), 'rule' in parseRule(rule)]).toEqual([rule, false, false]);
});
