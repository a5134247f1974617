import { expect, test } from 'vitest';
import { stratifiedSample } from './sample.ts';

const ITEMS = Array.from({ length: 100 }, (_, i) => ({ i, of: i < 60 ? 'big' : i < 90 ? 'middle' : 'small' }));
const draw = (size: number, seed: string): typeof ITEMS => stratifiedSample(ITEMS, (x) => x.of, size, seed);

test('each stratum has its share', () => {
  const counts = (size: number): number[] =>
    ['big', 'middle', 'small'].map((of) => draw(size, 's').filter((x) => x.of === of).length);
  expect(counts(10)).toEqual([6, 3, 1]);
  // 4.2, 2.1, 0.7: the largest remainder takes what rounding leaves.
  expect(counts(7)).toEqual([4, 2, 1]);
  expect(counts(200)).toEqual([60, 30, 10]);
  expect(counts(0)).toEqual([0, 0, 0]);
});

test('the same seed draws the same, another one other checks', () => {
  expect(draw(20, 'x')).toEqual(draw(20, 'x'));
  expect(draw(20, 'x')).not.toEqual(draw(20, 'y'));
  expect(new Set(draw(20, 'x')).size).toBe(20);
});
