import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearDuplicates } from './near-duplicates.ts';

const pairs = (...texts: string[]): string[] =>
  nearDuplicates(texts.map((text, i) => ({ id: String(i), text }))).map(
    (p) => `${p.a}${p.b} ${p.similarity.toFixed(2)}`,
  );

test('wordings that differ in a word are alike, those that share the opening only are not', () => {
  expect(
    pairs(
      'Check whether the assistant ran all tests of the library before each commit.',
      'Check whether the assistant ran all tests of the library before every commit.',
      'Check whether the assistant used no emoji.',
    ),
  ).toEqual(['01 0.60']);
  expect(pairs('Check whether the assistant used no emoji.', 'Check whether the assistant USED no emoji')).toEqual([
    '01 1.00',
  ]);
});

test('it finds what comparing all pairs finds', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((w) => w.join(' '));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.constantFrom(0.2, 0.5, 0.6, 1), (texts, threshold) => {
      const key = (p: { a: string; b: string }): string => [p.a, p.b].sort().join();
      const own = nearDuplicates(
        texts.map((t, i) => ({ id: String(i), text: t })),
        threshold,
      ).map(key);
      const each = texts.flatMap((t, i) =>
        texts.slice(i + 1).flatMap((u, k) => {
          const two = [
            { id: String(i), text: t },
            { id: String(i + 1 + k), text: u },
          ];
          return nearDuplicates(two, Number.MIN_VALUE)
            .filter((p) => p.similarity >= threshold)
            .map(key);
        }),
      );
      expect(own.toSorted()).toEqual(each.toSorted());
    }),
    { numRuns: 100 },
  );
});
