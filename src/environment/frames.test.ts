import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFrameReader, type Frame } from './frames.ts';

const framed = (kind: number, payload: Uint8Array): Buffer => {
  const head = Buffer.alloc(8);
  head[0] = kind;
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
};

/** The bytes of each kind, however they were cut. */
const byKind = (frames: readonly Frame[]): Record<number, string> => {
  const all: Record<number, string> = {};
  for (const { kind, payload } of frames) all[kind] = (all[kind] ?? '') + Buffer.from(payload).toString('hex');
  return all;
};

describe('frames', () => {
  it('are the same wherever the stream is cut', () => {
    const frame = fc.record({ kind: fc.constantFrom(1, 2, 3), payload: fc.uint8Array({ maxLength: 40 }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 6 }), fc.array(fc.nat(20), { maxLength: 40 }), (frames, cuts) => {
        const stream = Buffer.concat(frames.map((f) => framed(f.kind, f.payload)));
        const got: Frame[] = [];
        const read = createFrameReader((f) => got.push({ ...f, payload: Uint8Array.from(f.payload) }));
        let at = 0;
        for (const size of cuts) {
          read(stream.subarray(at, at + size));
          at += size;
        }
        read(stream.subarray(at));
        expect(byKind(got)).toEqual(byKind(frames.filter((f) => f.payload.length > 0)));
      }),
    );
  });

  it('are refused when the stream is none', () => {
    const read = createFrameReader(() => undefined);
    expect(() => read(Buffer.from('Hello, this is plain text'))).toThrow('not a framed stream');
  });
});
