import { expect, test } from 'vitest';
import { billedTokens, costOf } from './cost.ts';
import type { Usage } from './schema.ts';

const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const usage = (
  input: number | null,
  output: number | null,
  cacheRead: number | null = null,
  cacheWrite: number | null = null,
): Usage => ({ input, output, cacheRead, cacheWrite });

test('a token is billed once, whichever way the provider counts', () => {
  const billed = { input: 10, output: 5, cacheRead: 100, cacheWrite: 7 };
  expect(billedTokens(usage(10, 5, 100, 7), 'anthropic')).toEqual(billed);
  for (const protocol of ['openai-chat', 'openai-responses', 'gemini'] as const)
    expect(billedTokens(usage(117, 5, 100, 7), protocol)).toEqual(billed);
});

test('the cost is per million tokens', () => {
  expect(costOf(usage(1e6, 1e6, 1e6, 1e6), price, 'anthropic')).toBeCloseTo(3 + 15 + 0.3 + 3.75, 10);
  expect(costOf(usage(1e6, 0, 1e6), price, 'openai-chat')).toBeCloseTo(0.3, 10);
});

test('cached tokens without a price cost what input costs', () => {
  expect(costOf(usage(0, 0, 1e6, 1e6), { input: 2, output: 9 }, 'anthropic')).toBeCloseTo(4, 10);
});

test('no figure without a usage or a price', () => {
  expect(costOf(usage(null, null), price, 'anthropic')).toBeNull();
  expect(costOf(usage(1, 1), undefined, 'anthropic')).toBeNull();
});

test('more cached than given is no negative cost', () => {
  expect(costOf(usage(5, 0, 10), price, 'openai-chat')).toBeGreaterThan(0);
});
