import { expect, test } from 'vitest';
import { BenchError } from '../core/errors.ts';
import { claudeCode } from '../scaffolds/claude-code/scaffold.ts';
import { parseScript, type Script, subagentKey, unsupportedActions } from './script.ts';

const problemsOf = (yaml: string): string[] => {
  try {
    parseScript(yaml, 'break-x.yaml');
  } catch (e) {
    if (e instanceof BenchError) return e.problems.map((p) => `${p.line}: ${p.field}: ${p.message}`);
    throw e;
  }
  return [];
};

test('a script with everything in it', () => {
  const script = parseScript(
    `script: 1
breaks: [SP_no_emoji]
queries:
  - - { think: Look., say: I will read it., do: [ { read: { path: src/cart.ts } }, { search: { pattern: x } } ] }
    - do: [ { run: { command: npm test, expect: { ok: true, output: { regex: "0 failed" } } } } ]
    - do: [ { subagent: { type: Explore, prompt: Who uses it? } } ]
    - say: "Done"
  - - say: Again.
subagents: { explore: [ { say: Nobody. } ] }
auxiliary: { title: Fix }
delay_ms: 5
faults: [ { at: [0, 2], kind: 529 }, { at: [1, 0], kind: hang, times: 2 } ]
`,
    'follow.yaml',
  );
  expect(script.queries.map((q) => q.length)).toEqual([4, 1]);
  expect(script).toMatchObject({
    breaks: ['SP_no_emoji'],
    delayMs: 5,
    auxiliary: { title: 'Fix' },
    faults: [
      { at: [0, 2], kind: '529', times: 1 },
      { at: [1, 0], kind: 'hang', times: 2 },
    ],
  });
  expect(subagentKey(script, { type: 'EXPLORE', prompt: 'x' })).toBe('explore');
  expect(subagentKey(script, { type: 'other', prompt: 'x' })).toBeNull();
});

test('what is left out has its default', () => {
  expect(parseScript('script: 1\nqueries: [[{ say: hi }]]', 'f')).toEqual({
    breaks: [],
    queries: [[{ say: 'hi' }]],
    subagents: {},
    auxiliary: {},
    delayMs: 0,
    faults: [],
  } satisfies Script);
});

test.each<[string, string, RegExp]>([
  ['another version', 'script: 2\nqueries: [[{ say: a }]]', /^1: script: /],
  ['no queries', 'script: 1', /queries: /],
  [
    'a slip in a field of an action',
    'script: 1\nqueries:\n- - do:\n    - read: { pth: x }\n  - say: a',
    /^4: queries\[0\]\[0\]\.do\[0\]\.read\.(pth: unknown field "pth"|path: )/,
  ],
  [
    'an unknown action',
    'script: 1\nqueries:\n- - do:\n    - reed: { path: x }\n  - say: a',
    /^4: .*do\[0\]\.reed: an action has one key, one of: read, write/,
  ],
  [
    'two actions in one',
    'script: 1\nqueries:\n- - do:\n    - { list: { path: . }, glob: { pattern: x } }\n  - say: a',
    /an action has one key/,
  ],
  [
    'an unknown field of a turn',
    'script: 1\nqueries:\n- - saay: hi',
    /^3: queries\[0\]\[0\]\.saay: unknown field "saay"/,
  ],
  [
    'an end in the middle',
    'script: 1\nqueries:\n- - say: a\n  - say: b',
    /^3: queries\[0\]\[0\]: a turn without `do` ends its query/,
  ],
  [
    'no end',
    'script: 1\nqueries:\n- - do: [ { list: { path: . } } ]',
    /^3: queries\[0\]\[0\]: the last turn must have no `do`/,
  ],
  ['an empty turn', 'script: 1\nqueries: [[{}]]', /an empty turn/],
  [
    'a fault nowhere',
    'script: 1\nqueries: [[{ say: a }]]\nfaults: [{ at: [0, 1], kind: cut }]',
    /^3: faults\[0\]\.at: no such turn/,
  ],
  [
    'a kind of fault that is none',
    'script: 1\nqueries: [[{ say: a }]]\nfaults: [{ at: [0, 0], kind: 418 }]',
    /^3: faults\[0\]\.kind: /,
  ],
  [
    'a subagent without its lines',
    'script: 1\nqueries:\n- - do: [ { subagent: { type: x, prompt: y } } ]\n  - say: a',
    /^3: .*no entry under `subagents` for "x"/,
  ],
  ['no YAML', 'script: 1\nqueries: [[', /^2: /],
])('%s is told with line and field', (_, yaml, message) => {
  expect(problemsOf(yaml)).toContainEqual(expect.stringMatching(message));
});

test('a query may end with a tool that ends it', () => {
  expect(problemsOf('script: 1\nqueries:\n- - do: [ { finish: { text: All done. } } ]')).toEqual([]);
});

test('what a scaffold has no tool for is found before anything runs', () => {
  const dialect = claudeCode.dialect('2.0.69');
  const script = parseScript('script: 1\nqueries:\n- - do: [ { read: { path: a } }, { finish: { text: x } } ]', 'f');
  expect(unsupportedActions(script, dialect, '/w')).toMatchObject([
    { field: 'queries[0][0].do[1]', message: expect.stringContaining('finish') },
  ]);
});
