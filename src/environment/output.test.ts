import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keepOutput } from './output.ts';

const keep = (limit: number, chunks: readonly Uint8Array[]) => {
  const kept = keepOutput(limit);
  for (const chunk of chunks) kept.push(chunk);
  return { text: kept.text(), dropped: kept.dropped() };
};

describe('output that is kept', () => {
  it('is whole when it fits', () => {
    expect(keep(10, [Buffer.from('hello'), Buffer.from('world')])).toEqual({ text: 'helloworld', dropped: 0 });
  });

  it('is head and tail with a mark when it does not', () => {
    expect(keep(6, [Buffer.from('abcdefghij')])).toEqual({
      text: 'abc\n[octobench: 4 bytes left out]\nhij',
      dropped: 4,
    });
  });

  it('does not depend on how the stream was cut, and counts what it dropped', () => {
    const stream = fc.uint8Array({ maxLength: 400 });
    fc.assert(
      fc.property(
        stream,
        fc.integer({ min: 2, max: 60 }),
        fc.array(fc.nat(50), { maxLength: 30 }),
        (bytes, limit, cuts) => {
          const chunks: Uint8Array[] = [];
          let at = 0;
          for (const size of cuts) {
            chunks.push(bytes.subarray(at, at + size));
            at += size;
          }
          chunks.push(bytes.subarray(at));
          const kept = keep(limit, chunks);
          expect(kept).toEqual(keep(limit, [bytes]));
          expect(kept.dropped).toBe(Math.max(0, bytes.length - limit));
        },
      ),
    );
  });

  it('cuts no character in half at the border', () => {
    expect(keep(8, [Buffer.from('ééé-----ééé')]).text).toBe('éé\n[octobench: 9 bytes left out]\néé');
    expect(keep(6, [Buffer.from('aéé-----ééa')]).text).toBe('aé\n[octobench: 9 bytes left out]\néa');
    expect(keep(10, [Buffer.from('é€-----------€é')]).text).toBe('é€\n[octobench: 11 bytes left out]\n€é');
    expect(keep(8, [Buffer.from('é€-----------€é')]).text).toBe('é\n[octobench: 13 bytes left out]\né');
  });
});
