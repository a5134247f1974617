import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { build, check, edit, plan, read, run, type Step, TOOLS, write } from '../../test/fixtures/judge/builder.ts';
import { outcomeOf, truthOn } from '../../test/fixtures/judge/decide.ts';
import { allOf, anyOf, opposite, type Truth } from './truth.ts';
import { verify } from './verify.ts';

/* Reads that a filter `ok: true` finds true, false, or cannot tell of. */
const yes = read('a.ts', { ok: true });
const no = read('a.ts', { ok: false });
const maybe = read('a.ts', { ok: null });
const reading = { action: 'read', ok: true };
const doing = (...steps: Step[]) => [{ do: steps }];
const elsewhere = { action: 'read', rel: 'b.ts' };

describe('never', () => {
  test.each<[string, Step[], Truth]>([
    ['an event true', [yes, maybe], 'F'],
    ['no event true or unknown', [no], 'S'],
    ['no event at all', [], 'S'],
    ['only unknown events', [maybe, no], 'U'],
  ])('%s', (_, steps, truth) => {
    expect(truthOn({ never: reading }, doing(...steps))).toBe(truth);
  });

  test('since and while that never came make it not applicable', () => {
    const since = { first: { action: 'write' } };
    expect(truthOn({ never: { ...reading, since } }, doing(yes))).toBe('N');
    const span = { from: { action: 'plan', phase: 'enter' }, to: { action: 'plan', phase: 'exit' } };
    expect(truthOn({ never: { ...reading, while: span } }, doing(yes))).toBe('N');
    expect(truthOn({ never: { ...reading, until: since } }, doing(yes))).toBe('F');
  });
});

describe('some', () => {
  test.each<[string, Step[], Truth]>([
    ['an event true', [maybe, yes], 'S'],
    ['no event true or unknown', [no], 'F'],
    ['only unknown events', [maybe], 'U'],
  ])('%s', (_, steps, truth) => {
    expect(truthOn({ some: reading }, doing(...steps))).toBe(truth);
  });

  test('nothing of the kind was offered', () => {
    const without = build([{ do: [yes] }], { tools: TOOLS.filter((t) => t.name !== 'TodoWrite') });
    expect(truthOn({ some: { todo: 'any' } }, without)).toBe('N');
    expect(truthOn({ some: { todo: 'any' } }, doing(yes))).toBe('F');
    expect(truthOn({ some: { call: 'Nothing' } }, doing(yes))).toBe('N');
    expect(truthOn({ some: { todo: 'any' } }, build([{ do: [yes] }], { tools: null }))).toBe('F');
  });

  test('an import that stops in the middle of its work', () => {
    const asked = { some: { action: 'write' } };
    expect(truthOn(asked, doing(yes), { imported: true })).toBe('U');
    expect(truthOn(asked, [{ do: [yes] }, { say: 'All done.' }], { imported: true })).toBe('F');
    expect(truthOn(asked, doing(yes))).toBe('F');
  });

  test('an anchor that never came', () => {
    expect(truthOn({ some: { ...reading, since: { last: { action: 'write' } } } }, doing(yes))).toBe('N');
    expect(truthOn({ some: { ...reading, until: { last: { action: 'write' } } } }, doing(yes))).toBe('S');
    expect(truthOn({ some: { ...reading, since: { query: 3 } } }, doing(yes))).toBe('N');
  });
});

describe('every', () => {
  const rule = { every: { action: 'edit' }, must: { ok: true } };
  const good = edit('a.ts');
  const bad = edit('a.ts', 'x', { ok: false });
  const untold = edit('a.ts', 'x', { ok: null });
  test.each<[string, Step[], Truth]>([
    ['one fails', [good, untold, bad], 'F'],
    ['one holds, nothing fails', [good, good], 'S'],
    ['one cannot be told', [good, untold], 'U'],
    ['no pair', [yes], 'N'],
  ])('%s', (_, steps, truth) => {
    expect(truthOn(rule, doing(...steps))).toBe(truth);
  });

  test('an unknown filter counts only where it could become a failure', () => {
    const created = (must: boolean) => ({ every: { action: 'edit', existed: true }, must: { ok: must } });
    const perhaps = edit('a.ts', 'x', { existed: null });
    expect(truthOn(created(true), doing(good, perhaps))).toBe('S');
    expect(truthOn(created(false), doing(perhaps))).toBe('U');
  });

  test('a must that is not applicable drops the event', () => {
    const language = { every: { say: 'any' }, must: { text: { language: 'en' } } };
    expect(truthOn(language, [{ say: 'ok' }])).toBe('N');
    expect(truthOn(language, [{ say: 'ok' }, { say: 'I will read the file and then fix it.' }])).toBe('S');
  });

  test('share: too few can pass, enough pass, it depends', () => {
    const share = (range: string) => ({ ...rule, share: range });
    const nine = Array.from({ length: 9 }, () => good);
    expect(truthOn(share('>=0.9'), doing(...nine, bad))).toBe('S');
    expect(truthOn(share('>=0.9'), doing(...nine, bad, bad))).toBe('F');
    expect(truthOn(share('>=0.9'), doing(...nine, bad, untold))).toBe('U');
    expect(truthOn(share('>=0.5'), doing(good, untold))).toBe('S');
    expect(truthOn(share('>=0.5'), doing(yes))).toBe('N');
  });
});

describe('first and last', () => {
  const rule = (pick: 'first' | 'last') => ({ [pick]: reading, must: { rel: 'a.ts' } });
  const other = read('b.ts');
  test('the chosen one decides', () => {
    expect(truthOn(rule('first'), [{ do: [yes] }, { do: [other] }])).toBe('S');
    expect(truthOn(rule('last'), [{ do: [yes] }, { do: [other] }])).toBe('F');
  });
  test('no event, and a choice that cannot be told', () => {
    expect(truthOn(rule('first'), doing(no))).toBe('N');
    expect(truthOn(rule('first'), [{ do: [maybe] }, { do: [yes] }])).toBe('U');
    expect(truthOn(rule('last'), [{ do: [maybe] }, { do: [yes] }])).toBe('S');
  });
});

describe('count', () => {
  const rule = (is: string | number) => ({ count: reading, is });
  test.each<[string | number, Step[], Truth]>([
    [2, [yes, yes], 'S'],
    [2, [yes], 'F'],
    ['1..2', [yes, maybe], 'S'],
    ['>=2', [yes, maybe], 'U'],
    ['<=1', [yes, yes, maybe], 'F'],
    [0, [], 'S'],
  ])('is %s', (is, steps, truth) => {
    expect(truthOn(rule(is), doing(...steps))).toBe(truth);
  });
  test('not offered, anchor never came', () => {
    const without = build([{ do: [yes] }], { tools: TOOLS.filter((t) => t.name !== 'Skill') });
    expect(truthOn({ count: { action: 'skill' }, is: 0 }, without)).toBe('N');
    expect(truthOn({ count: { ...reading, since: { first: { action: 'write' } } }, is: 1 }, doing(yes))).toBe('N');
  });
});

const S = { some: reading };
const F = { some: elsewhere };
const U = { judge: 'Is it good?' };
const N = { first: elsewhere, must: { ok: true } };
const rules: Record<Truth, unknown> = { S, F, U, N };

test('and, or, not: every row', () => {
  const of = (rule: unknown): Truth => truthOn(rule, doing(yes));
  for (const [truth, rule] of Object.entries(rules)) expect(of(rule)).toBe(truth);
  expect(of({ and: [S, U, F] })).toBe('F');
  expect(of({ and: [S, N] })).toBe('S');
  expect(of({ and: [S, U] })).toBe('U');
  expect(of({ and: [N, N] })).toBe('N');
  expect(of({ or: [F, U, S] })).toBe('S');
  expect(of({ or: [F, N] })).toBe('F');
  expect(of({ or: [F, U] })).toBe('U');
  expect(of({ or: [N, N] })).toBe('N');
  expect([S, F, U, N].map((rule) => of({ not: rule }))).toEqual(['F', 'S', 'U', 'N']);
});

test('when: S lets verify count, F and N make it not applicable, U leaves it open', () => {
  const on = build(doing(yes));
  const verdict = (verifyRule: unknown, when: unknown) => verify(on, check(verifyRule, when)).verdict;
  expect(verdict(S, S)).toBe('success');
  expect(verdict(F, S)).toBe('fail');
  expect(verdict(F, F)).toBe('not_applicable');
  expect(verdict(F, N)).toBe('not_applicable');
  expect(verdict(N, U)).toBe('not_applicable');
  expect(verdict(F, U)).toBe('unscored');
  expect(verdict(S, U)).toBe('unscored');
});

test('a main thread without an assistant turn leaves everything unscored', () => {
  expect(verify(build([{ query: 'Hello' }]), check(S)).verdict).toBe('unscored');
  expect(verify(build([{ query: 'Hello' }]), check({ never: reading })).verdict).toBe('unscored');
});

test('while covers every interval, an open one reaches the end, anchors are outside', () => {
  const span = { from: { action: 'plan', phase: 'enter' }, to: { action: 'plan', phase: 'exit' } };
  const inside = { count: { action: 'write', while: span }, is: 2 };
  const items = [
    { do: [write('0.md', '')] },
    { do: [plan('enter'), write('1.md', '')] },
    { do: [write('2.md', '')] },
    { do: [plan('exit'), write('3.md', '')] },
    { do: [write('4.md', '')] },
    { do: [plan('enter')] },
    { do: [write('5.md', '')] },
  ];
  expect(outcomeOf(inside, items)).toMatchObject({ truth: 'S' });
});

describe('laws', () => {
  const step = fc.constantFrom(yes, no, maybe, read('b.ts'), edit('a.ts'), write('b.ts', 'x'), run({ name: 'ls' }));
  const items = fc.array(fc.record({ do: fc.array(step, { maxLength: 3 }) }), { minLength: 1, maxLength: 5 });
  const event = fc.constantFrom<Record<string, unknown>[]>(
    reading,
    elsewhere,
    { action: ['edit', 'write'] },
    { command: 'any' },
  );
  const must = fc.constantFrom<Record<string, unknown>[]>(
    { ok: true },
    { rel: 'a.ts' },
    { preceded_by: reading, same: ['rel'] },
    { alongside: { action: 'any' } },
  );

  const isOf = (e: Record<string, unknown>): boolean => !('command' in e);

  test('not not x is x; never is the opposite of some where nothing is missing', () => {
    fc.assert(
      fc.property(items, event, (on, e) => {
        const never = truthOn({ never: e }, on);
        expect(truthOn({ not: { not: { never: e } } }, on)).toBe(never);
        expect(opposite(truthOn({ some: e }, on))).toBe(never);
      }),
    );
  });

  test('every with an impossible must is never, but for the empty set', () => {
    fc.assert(
      fc.property(items, event, (on, e) => {
        const never = truthOn({ never: e }, on);
        const every = truthOn({ every: e, must: { turn: '<0' } }, on);
        const empty = truthOn({ count: { ...e }, is: 0 }, on) === 'S';
        expect(every).toBe(empty ? 'N' : never);
      }),
    );
  });

  test('what one more turn cannot mend: a broken never and a broken every stay broken, a found some stays found', () => {
    fc.assert(
      fc.property(items, items, event, must, (on, more, e, m) => {
        const condition = isOf(e) ? m : { turn: '>1' };
        const longer = [...on, ...more];
        if (truthOn({ never: e }, on) === 'F') expect(truthOn({ never: e }, longer)).toBe('F');
        if (truthOn({ some: e }, on) === 'S') expect(truthOn({ some: e }, longer)).toBe('S');
        if (truthOn({ every: e, must: condition }, on) === 'F') {
          expect(truthOn({ every: e, must: condition }, longer)).toBe('F');
        }
      }),
    );
  });

  test('allOf and anyOf are each the other through not, in any order', () => {
    const truth = fc.constantFrom<Truth[]>('S', 'F', 'N', 'U');
    fc.assert(
      fc.property(fc.array(truth, { maxLength: 5 }), (parts) => {
        expect(anyOf(parts)).toBe(opposite(allOf(parts.map(opposite))));
        expect(allOf([...parts].reverse())).toBe(allOf(parts));
      }),
    );
  });
});
