import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BaseBudget, Bases } from './bases.ts';
import { findShared, onBase, rebuild } from './delta.ts';
import { Rope } from './rope.ts';

/** A buffer in pieces of the given sizes, over and over. */
const inPieces = (bytes: Buffer, sizes: readonly number[]): Rope => {
  const pieces: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return new Rope(pieces);
};
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

test('what is shared and the bytes between rebuild the body, in whatever pieces it came', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'grapheme' }),
      fc.string(),
      sizes,
      sizes,
      (head, a, tail, b, sizesA, sizesB) => {
        const base = Buffer.from(head + a + tail);
        const next = Buffer.from(head + b + tail);
        const rope = inPieces(next, sizesB);
        const shared = findShared(inPieces(base, sizesA), rope);
        const middle = rope.bytes(shared.prefix, next.length - shared.suffix);
        expect(rebuild(base, shared, middle)).toEqual(next);
        expect(onBase(inPieces(base, sizesA), shared, middle).bytes()).toEqual(next);
        // The common ends are found whole, up to the character they may stop in.
        const least = Math.min(base.length, next.length, Buffer.byteLength(head + tail));
        expect(shared.prefix + shared.suffix).toBeGreaterThan(least - 8);
      },
    ),
  );
});

test('no character is cut: the bytes between are text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), sizes, (a, b, some) => {
      const next = inPieces(Buffer.from(b), some);
      const shared = findShared(inPieces(Buffer.from(a), some), next);
      const middle = next.bytes(shared.prefix, next.length - shared.suffix);
      expect(Buffer.from(middle.toString('utf8'))).toEqual(middle);
    }),
  );
});

test('a delta that reaches outside its base is refused', () => {
  expect(() => rebuild(Buffer.from('abc'), { prefix: 2, suffix: 2 }, Buffer.alloc(0))).toThrow(RangeError);
});

const rope = (text: string): Rope => new Rope([Buffer.from(text)]);
const history = (thread: string, turns: number): string =>
  `{"model":"m","messages":[${Array.from({ length: turns }, (_, i) => `"${thread} ${i} ${'x'.repeat(200)}"`).join(',')}],"tools":["${thread}"]}`;

test('threads that interleave each find their own last request', () => {
  const bases = new Bases(new BaseBudget(1 << 20));
  for (let turn = 1; turn < 6; turn++) {
    for (const [i, thread] of ['main', 'agent one', 'agent two'].entries()) {
      const call = (turn - 1) * 3 + i;
      const next = rope(history(thread, turn));
      if (turn > 1) expect(bases.best(next)?.call).toBe(call - 3);
      bases.add(call, next, true);
    }
  }
});

test('logs share the budget, and each keeps its last request', () => {
  const budget = new BaseBudget(3000);
  const logs = [new Bases(budget), new Bases(budget), new Bases(budget)];
  for (let call = 0; call < 4; call++) {
    for (const [i, log] of logs.entries()) log.add(call, rope(`${i} ${'y'.repeat(1000)}`), true);
  }
  expect(budget.used).toBeLessThanOrEqual(3 * 1002);
  for (const [i, log] of logs.entries()) expect(log.best(rope(`${i} ${'y'.repeat(1000)}`))?.call).toBe(3);
  for (const log of logs) log.clear();
  expect(budget.used).toBe(0);
});
