import fc from 'fast-check';
import { expect, test } from 'vitest';
import { build, check, read, shell, subagent, todos, write } from '../../test/fixtures/judge/builder.ts';
import { isObject } from '../core/json.ts';
import { parseRule } from './parse.ts';
import { lintRule } from './rule-lint.ts';
import { RULES } from './rules/all.ts';
import { verify } from './verify.ts';

const runs = process.env.OCTOBENCH_LONG === '1' ? 20_000 : 300;

const samples: unknown[] = RULES.flatMap((rule) => {
  const { use: _, ...params } = rule.example;
  const expanded = rule.expand(params);
  return 'rule' in expanded ? [rule.example, expanded.rule] : [rule.example];
});

/* Every value inside a JSON value, with the way to put another in its place. */
const places = (json: unknown, put: (x: unknown) => unknown = (x) => x): ((x: unknown) => unknown)[] => {
  const inner = Array.isArray(json)
    ? json.flatMap((v, i) => places(v, (x) => put(json.with(i, x))))
    : isObject(json)
      ? Object.entries(json).flatMap(([k, v]) => places(v, (x) => put({ ...json, [k]: x })))
      : [];
  return [put, ...inner];
};

const on = build([
  { say: 'Working on it: 🎉', do: [read('a.ts'), write('b.md', '字')] },
  { do: [shell('npm test && git commit -m x'), todos(['a', 'pending'])] },
  { do: [subagent('Explore', [{ do: [read('c.ts', { ok: null, existed: null })] }])] },
  { blocks: [{ type: 'tool_call', id: 'odd', name: 'Odd', input: null, rawInput: '{"a' }] },
  { say: 'Done?' },
]);

test('a rule with any value in any place is read or refused, and what is read can be evaluated', () => {
  fc.assert(
    fc.property(fc.constantFrom(...samples), fc.nat(), fc.jsonValue({ maxDepth: 2 }), (sample, at, value) => {
      const spots = places(sample);
      const mutant = spots[at % spots.length]?.(value);
      const parsed = parseRule(mutant);
      lintRule(check(mutant));
      const { verdict, reason } = verify(on, check(mutant));
      if (!('rule' in parsed)) expect([verdict, reason]).toEqual(['unscored', expect.stringContaining('is no rule')]);
    }),
    { numRuns: runs },
  );
});
