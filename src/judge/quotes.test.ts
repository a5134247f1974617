import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { build, read, write } from '../../test/fixtures/judge/builder.ts';
import { judgingView } from '../trajectory/view.ts';
import { markOf } from './canary.ts';
import { recordText } from './prompt.ts';
import { PROMPT, promptDigest } from './prompts/all.ts';
import { quoteIndex } from './quotes.ts';
import { planOf, windowsOf } from './windows.ts';

const LONG = 'x'.repeat(30_000);
const trajectory = build([
  { query: 'Mend the cart.' },
  {
    say: 'I  read\n the cart.',
    do: [read('/workspace/shop/a.ts', { output: `${LONG} hidden in the middle ${LONG}` })],
  },
  { say: 'Now I write.', do: [write('/workspace/shop/b.ts', 'const a = "b";\nexport { a };')] },
  { say: 'Now I write.' },
]);
const index = quoteIndex(trajectory, []);
const find = (quote: string, turn: number | null = null) => index.find({ quote, turn });

describe('quotes', () => {
  it.each([
    ['as they stand', 'Now I write.'],
    ['white space folded', 'I read the\n\tcart.'],
    ['invisible signs apart', 'I re\u200bad the cart.'],
    ['in quotation marks', '“I read the cart.”'],
    ['of what was cut for the judge', 'hidden in the middle'],
    ['of arguments, as they are in JSON', 'const a = \\"b\\";\\nexport'],
    ['of arguments, as they are in the file', 'const a = "b";\nexport { a };'],
  ])('%s', (_, quote) => expect(find(quote)).not.toBeNull());

  it.each(['I read the cart!', 'i read the cart.', '', ' ', 'a', '""'])('%j is not found', (quote) =>
    expect(find(quote)).toBeNull(),
  );

  it('stand in their own turn where they can, else where they are', () => {
    expect(find('Now I write.', 2)?.turn).toBe(2);
    expect(find('Now I write.', 0)?.turn).toBe(1);
    expect(find('Mend the cart.', 5)?.turn).toBe(0);
  });
});

describe('windows', () => {
  it('hold the whole record, none longer than the size, cut between turns where that can be done', () => {
    const { sections, text } = judgingView(trajectory);
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 20_000 }), (size) => {
        const windows = windowsOf(sections, size);
        expect(windows.every((w) => w.length <= size)).toBe(true);
        expect(windows.join('').replaceAll('\n', '')).toBe(text.replaceAll('\n', ''));
      }),
      { numRuns: 50 },
    );
    expect(windowsOf(sections, text.length)).toEqual([text]);
    expect(windowsOf([], 10)).toEqual(['']);
    expect(planOf(sections).split('\n')).toHaveLength(sections.length);
  });
});

describe('the record', () => {
  it('stands between marks that depend on all of it', () => {
    expect(markOf('a')).not.toBe(markOf('b'));
    expect(markOf('a')).toBe(markOf('a'));
    const text = recordText(PROMPT, 'it says {mark} and {plan}', 'm1');
    expect(text).toContain('it says {mark} and {plan}');
    expect(text.match(/=== record m1 (begins|ends) ===/g)).toHaveLength(2);
  });

  it('is asked about in words that nobody changed: a new wording is a new version', () => {
    expect([PROMPT.id, promptDigest(PROMPT)]).toEqual(['verdicts-1', '4d357963d4d1d451']);
  });
});
