import { describe, expect, test } from 'vitest';
import {
  ask,
  build,
  edit,
  finish,
  type Item,
  plan,
  read,
  type Step,
  shell,
  subagent,
  todos,
  write,
} from '../../../test/fixtures/judge/builder.ts';
import { truthOn } from '../../../test/fixtures/judge/decide.ts';
import type { Truth } from '../truth.ts';

const turns = (...steps: Step[]): Item[] => steps.map((s) => ({ do: [s] }));
const holds = (items: Item[], rows: readonly [unknown, Truth][]): void => {
  for (const [rule, truth] of rows) expect([rule, truthOn(rule, items)]).toEqual([rule, truth]);
};

test('every event: turn, query, thread, parallel, calls_left', () => {
  const items: Item[] = [
    { query: 'a' },
    { do: [read('a'), read('b')] },
    { query: 'b' },
    ...turns(edit('c')),
    { say: 'Done.' },
  ];
  holds(items, [
    [{ count: { action: 'read', parallel: 2, calls_left: 1, query: 0, turn: 0 }, is: 2 }, 'S'],
    [{ some: { action: 'edit', parallel: 1, calls_left: 0, query: 1, turn: 1, thread: 'main' } }, 'S'],
    [{ some: { action: 'edit', query: 0 } }, 'F'],
  ]);
});

test('actions: arguments, output, refusals, lines', () => {
  const refused = edit('a.ts', 'x', { ok: false, refused: true, output: 'File has not been read yet.' });
  const items: Item[] = turns(
    refused,
    edit('b.ts', 'one\ntwo'),
    read('c.ts', { input: { file_path: 'c.ts', limit: 20, more: { deep: ['x'] } } }),
  );
  holds(items, [
    [{ some: { action: 'edit', refused: true, output: { has: 'not been READ' } } }, 'S'],
    [{ some: { action: 'edit', refused: false, added: 'two' } }, 'S'],
    [{ some: { action: 'edit', added: { each: { chars: 3 } } } }, 'S'],
    [{ some: { action: 'edit', added: { size: '>2' } } }, 'F'],
    [{ some: { action: 'read', 'input.limit': '10..30', 'input.more.deep': 'x' } }, 'S'],
    [{ some: { action: 'read', input: { file_path: { has: 'C.TS' }, limit: 20 } } }, 'S'],
    [{ some: { action: 'read', 'input.offset': 'any' } }, 'F'],
    [{ some: { action: 'read', 'input.offset': { not: 'any' } } }, 'S'],
  ]);
});

test('todo lists: what is newly done, and the order of items', () => {
  const items: Item[] = turns(
    todos(['a', 'in_progress'], ['b', 'pending']),
    todos(['a', 'completed'], ['b', 'in_progress']),
    todos(['a', 'completed'], ['b', 'completed'], ['c', 'cancelled']),
  );
  holds(items, [
    [{ every: { todo: 'any', newly_done: '>0' }, must: { newly_done: 1 } }, 'S'],
    [{ last: { todo: 'any' }, must: { total: 3, open: 0, done: 2, active: 0 } }, 'S'],
    [{ some: { todo: 'any', items: { text: 'c', status: 'cancelled' } } }, 'S'],
    [{ never: { todo: 'any', items: { none: { text: 'a' } } } }, 'S'],
  ]);
});

test('commands: wrappers, streams, folders, files', () => {
  const items: Item[] = turns(shell('cd api && sudo timeout 5 npx vitest run --coverage < in.txt | tee out.txt'));
  holds(items, [
    [{ some: { command: 'vitest', via: ['npx'], does: 'test', stdin: 'file', stdout: 'pipe', alone: false } }, 'S'],
    [{ some: { command: 'vitest', cwd: '**/api', args: '--coverage', reads: 'api/in.txt' } }, 'S'],
    [{ some: { command: 'tee', stdin: 'pipe', writes: 'api/*.txt', stdout: 'terminal' } }, 'S'],
    [{ some: { command: 'sudo' } }, 'F'],
    [{ some: { command: 'vitest', ok: true } }, 'U'],
  ]);
});

test('a shell call that could not be read leaves open what it ran', () => {
  const { commands: _, ...unread } = shell('x');
  holds(turns(unread), [
    [{ never: { command: 'git' } }, 'U'],
    [{ some: { command: 'git' } }, 'U'],
    [{ count: { command: 'git' }, is: 0 }, 'U'],
    [{ never: { action: 'read' } }, 'S'],
  ]);
});

test('what is said: by text and through tools, parts of a message, reasoning apart', () => {
  const items: Item[] = [
    { query: 'a' },
    { think: 'Hmm: 🎉', say: ['One.', 'Two.'], do: [ask('Which one?')] },
    { do: [plan('exit', 'My plan')] },
    { query: 'b' },
    { say: 'Three.', do: [finish('The end.')] },
    { say: '  ' },
  ];
  holds(items, [
    [{ count: { say: 'any' }, is: 5 }, 'S'],
    [{ some: { say: { equals: 'One.\nTwo.' }, via: 'text', calls: 1, final: false } }, 'S'],
    [{ some: { say: 'My plan', via: 'plan', final: true } }, 'S'],
    [{ last: { say: 'any' }, must: { via: 'finish', text: 'The end.', final: true } }, 'S'],
    [{ some: { think: { emoji: true } } }, 'S'],
    [{ never: { say: { emoji: true } } }, 'S'],
    [{ count: { turn: 'any', empty: true }, is: 1 }, 'S'],
    [{ some: { turn: 'any', kinds: ['finish'], calls: 1 } }, 'S'],
  ]);
});

test('what was given, and the queries', () => {
  const items: Item[] = [
    { query: 'Fix it' },
    { given: 'agents_md', text: 'Use pnpm.', path: 'AGENTS.md' },
    ...turns(read('a')),
    { query: 'Thanks' },
    { say: 'ok' },
  ];
  holds(items, [
    [{ some: { given: 'agents_md', path: '*.md', text: { has: 'pnpm' } } }, 'S'],
    [{ some: { given: 'memory' } }, 'F'],
    [{ count: { query: 'any' }, is: 2 }, 'S'],
    [{ some: { query: 'Thanks', turn: 1 } }, 'S'],
  ]);
  expect(truthOn({ some: { query: { has: 'reworded' } } }, items, { queries: ['Reworded', 'x'] })).toBe('S');
});

describe('tests on paths and on what was seen', () => {
  test('under, inside_workspace, absolute', () => {
    const at = (path: string, rule: unknown): Truth =>
      truthOn({ every: { action: 'read' }, must: { path: rule } }, turns(read(path)));
    expect([at('src/a/b.ts', { under: 'src/*' }), at('src/a', { under: 'src/*' })]).toEqual(['S', 'F']);
    expect(
      ['/workspace/shop/a', 'a/../b', '/workspace/shop/../x', '../x', '~/x', '/etc/x'].map((p) =>
        at(p, { inside_workspace: true }),
      ),
    ).toEqual(['S', 'S', 'F', 'F', 'F', 'F']);
    expect(['/a', '~/a', 'a', './a', 'C:\\a'].map((p) => at(p, { absolute: true }))).toEqual(['S', 'S', 'F', 'F', 'S']);
  });
  test('seen_in looks at what came before', () => {
    const rule = (places: string[]) => ({ every: { action: 'edit' }, must: { path: { seen_in: places } } });
    const items = [{ query: 'Change src/a.ts' }, ...turns(edit('src/a.ts'))];
    expect([truthOn(rule(['query']), items), truthOn(rule(['output']), items)]).toEqual(['S', 'F']);
    expect(truthOn(rule(['output']), turns(shell('ls', true, 'src/b.ts'), edit('src/b.ts')))).toBe('S');
    expect(truthOn(rule(['output']), turns(edit('src/b.ts'), shell('ls', true, 'src/b.ts')))).toBe('F');
  });
});

test('offered: by the names of the tools', () => {
  holds(turns(read('a')), [
    [{ offered: 'Read' }, 'S'],
    [{ offered: { regex: '^todo', flags: 'i' } }, 'S'],
    [{ offered: 'attempt_completion' }, 'F'],
    [{ not: { offered: ['Foo', 'Bar'] } }, 'S'],
  ]);
  expect(truthOn({ offered: 'Read' }, build(turns(read('a')), { tools: null }))).toBe('U');
});

test('changes: from actions and from commands, with what came in and went out', () => {
  const items: Item[] = turns(
    write('new.ts', 'a\nb'),
    edit('old.ts', 'c'),
    shell('rm gone.ts && mv x.ts y.ts'),
    write('/tmp/scratch', 'x'),
  );
  holds(items, [
    [{ some: { change: 'new.ts', status: 'added', added: 'b' } }, 'S'],
    [{ some: { change: 'old.ts', status: 'modified', removed: 'y' } }, 'S'],
    [{ some: { change: 'gone.ts', status: 'deleted' } }, 'S'],
    [{ some: { change: 'y.ts' } }, 'S'],
    [{ never: { change: '/tmp/**' } }, 'S'],
    [{ count: { change: 'any', in: 'subagents' }, is: 0 }, 'S'],
  ]);
  expect(truthOn({ some: { change: 'a.ts' } }, turns(subagent('x', turns(edit('a.ts')))))).toBe('S');
});
