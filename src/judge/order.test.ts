import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { build, edit, type Item, read, type Step, shell, subagent, write } from '../../test/fixtures/judge/builder.ts';
import { truthOn } from '../../test/fixtures/judge/decide.ts';

const turns = (...steps: Step[]): Item[] => steps.map((s) => ({ do: [s] }));

describe('order', () => {
  const before = { every: { action: 'edit' }, must: { preceded_by: { action: 'read' } } };
  test('an earlier turn comes before; the same message does not', () => {
    expect(truthOn(before, turns(read('a'), edit('b')))).toBe('S');
    expect(truthOn(before, [{ do: [read('a'), edit('b')] }])).toBe('F');
    expect(
      truthOn({ every: { action: 'read' }, must: { alongside: { action: 'edit' } } }, [{ do: [read('a'), edit('b')] }]),
    ).toBe('S');
  });

  test('within counts turns, 1 is the next', () => {
    const soon = (n: number) => ({ every: { action: 'edit' }, must: { followed_by: { command: 'npm' }, within: n } });
    expect(truthOn(soon(1), turns(edit('a'), shell('npm test')))).toBe('S');
    expect(truthOn(soon(1), turns(edit('a'), read('b'), shell('npm test')))).toBe('F');
    expect(truthOn(soon(2), turns(edit('a'), read('b'), shell('npm test')))).toBe('S');
    const after = { every: { given: 'system_reminder' }, must: { followed_by: { action: 'read' }, within: 1 } };
    const reminder: Item = { given: 'system_reminder', text: 'Read it.' };
    expect(truthOn(after, [...turns(edit('a')), reminder, ...turns(read('b'))])).toBe('S');
    expect(truthOn(after, [...turns(edit('a')), reminder, ...turns(edit('b'), read('b'))])).toBe('F');
  });

  test('commands of one call are ordered as they run', () => {
    const rule = { every: { command: 'git', sub: 'commit' }, must: { preceded_by: { command: 'npm', sub: 'test' } } };
    expect(truthOn(rule, turns(shell('npm test && git commit -m x')))).toBe('S');
    expect(truthOn(rule, turns(shell('git commit -m x && npm test')))).toBe('F');
    const since = { never: { command: 'git', sub: 'push', since: { first: { command: 'git', sub: 'commit' } } } };
    expect(truthOn(since, turns(shell('git commit -m x && git push')))).toBe('F');
    expect(truthOn(since, turns(shell('git push && git commit -m x')))).toBe('S');
  });

  test('same compares fields, of other names too; an absent one cannot be told', () => {
    const rule = {
      every: { action: 'edit' },
      must: { preceded_by: { command: 'cat' }, same: [{ reads: 'path' }] },
    };
    expect(truthOn(rule, turns(shell('ls'), edit('a.ts')))).toBe('F');
    const rel = { every: { action: 'edit' }, must: { preceded_by: { action: 'run' }, same: ['rel'] } };
    expect(truthOn(rel, turns(shell('ls'), edit('a.ts')))).toBe('U');
    expect(truthOn(rel, turns(edit('a.ts'), shell('ls')))).toBe('F');
  });
});

describe('subagents', () => {
  const spawn = (...steps: Step[]): Step => subagent('worker', turns(...steps));
  const readBefore = { every: { action: 'edit', in: 'all' }, must: { preceded_by: { action: 'read', in: 'all' } } };

  test('stand at the turn of the call that started them', () => {
    expect(truthOn(readBefore, turns(read('a'), spawn(edit('a'))))).toBe('S');
    expect(truthOn(readBefore, turns(spawn(edit('a')), read('a')))).toBe('F');
    expect(truthOn(readBefore, turns(spawn(read('a')), edit('a')))).toBe('S');
  });

  test('what the parent does beside the starting call is concurrent', () => {
    expect(truthOn(readBefore, [{ do: [read('a'), spawn(edit('a'))] }])).toBe('F');
  });

  test('siblings are concurrent, later ones are later', () => {
    expect(truthOn(readBefore, [{ do: [spawn(read('a')), spawn(edit('a'))] }])).toBe('F');
    expect(truthOn(readBefore, turns(spawn(read('a')), spawn(edit('a'))))).toBe('S');
  });

  test('an inner event looks in the thread of the outer one unless it says where', () => {
    const own = { every: { action: 'edit', in: 'all' }, must: { preceded_by: { action: 'read' } } };
    expect(truthOn(own, turns(read('a'), spawn(edit('a'))))).toBe('F');
    expect(truthOn(own, turns(spawn(read('a'), edit('a'))))).toBe('S');
  });

  test('a subagent of a subagent', () => {
    expect(truthOn(readBefore, turns(read('a'), spawn(subagent('x', turns(edit('a'))))))).toBe('S');
    expect(truthOn({ count: { action: 'edit', in: 'subagents' }, is: 1 }, turns(spawn(edit('a')), edit('b')))).toBe(
      'S',
    );
  });
});

describe('queries as anchors', () => {
  const items: Item[] = [{ query: 'a' }, ...turns(edit('a')), { query: 'b' }, ...turns(read('a'))];
  test('since and until a query', () => {
    expect(truthOn({ never: { action: 'edit', since: { query: 1 } } }, items)).toBe('S');
    expect(truthOn({ never: { action: 'edit', until: { query: 1 } } }, items)).toBe('F');
    expect(truthOn({ never: { action: 'edit', since: { query: 0 } } }, items)).toBe('F');
    expect(truthOn({ some: { query: 'any', since: { query: 1 } } }, items)).toBe('F');
    expect(truthOn({ some: { query: 'any', since: { query: 0 } } }, items)).toBe('S');
  });
  test('what comes with a query belongs to it', () => {
    const on: Item[] = [
      { query: 'a' },
      ...turns(edit('a')),
      { query: 'b' },
      { given: 'system_reminder', text: 'x' },
      ...turns(read('a')),
    ];
    expect(truthOn({ some: { given: 'system_reminder', since: { query: 1 } } }, on)).toBe('S');
    expect(truthOn({ some: { given: 'system_reminder', until: { query: 1 } } }, on)).toBe('F');
  });
  test('an event of a subagent belongs to the query under which it was started', () => {
    const deep = subagent('x', [{ query: 'sub' }, ...turns(subagent('y', turns(edit('a'))))]);
    const on: Item[] = [{ query: 'a' }, ...turns(read('a')), { query: 'b' }, ...turns(deep)];
    expect(truthOn({ some: { action: 'edit', in: 'all', query: 1 } }, on)).toBe('S');
    expect(truthOn({ some: { action: 'edit', in: 'all', query: 0 } }, on)).toBe('F');
  });
  test('for a subagent the queries are those of the user', () => {
    const late: Item[] = [
      { query: 'a' },
      ...turns(read('a')),
      { query: 'b' },
      ...turns(subagent('x', [{ query: 'sub' }, ...turns(edit('a'))])),
    ];
    expect(truthOn({ never: { action: 'edit', in: 'all', since: { query: 1 } } }, late)).toBe('F');
    expect(truthOn({ never: { action: 'edit', in: 'all', until: { query: 1 } } }, late)).toBe('S');
  });
});

/* The definition, pair by pair, against the index. */
const bruteForce = (steps: readonly Step[][]): boolean => {
  const flat = steps.flatMap((message, turn) => message.map((s) => ({ ...s, turn })));
  return flat
    .filter((s) => s.kind === 'edit')
    .every((e) => flat.some((r) => r.kind === 'read' && r.rel === e.rel && r.turn < e.turn));
};

test('preceded_by with same agrees with its definition', () => {
  const step = fc.constantFrom(read('a'), read('b'), edit('a'), edit('b'), write('c', 'x'));
  const rule = { every: { action: 'edit' }, must: { preceded_by: { action: 'read' }, same: ['rel'] } };
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 6 }), (messages) => {
      const edits = messages.flat().some((s) => s.kind === 'edit');
      const expected = edits ? (bruteForce(messages) ? 'S' : 'F') : 'N';
      expect(truthOn(rule, build(messages.map((steps) => ({ do: steps }))))).toBe(expected);
    }),
  );
});

test('a long thread takes work that grows with its length, not with its square', () => {
  const looks = (length: number): number => {
    let count = 0;
    const steps = Array.from({ length }, (_, i) => (i % 2 === 0 ? read(`f${i % 500}`) : edit(`f${(i - 1) % 500}`)));
    const on = build(turns(...steps));
    for (const action of on.threads[0]?.actions ?? []) {
      const { rel } = action;
      Object.defineProperty(action, 'rel', { get: () => [rel, count++][0] });
    }
    expect(truthOn({ use: 'read_before_edit' }, on)).toBe('S');
    return count;
  };
  expect(looks(4000)).toBeLessThan(11 * looks(400));
});
