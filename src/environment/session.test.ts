import { describe, expect, it } from 'vitest';
import { createSessionReader } from './session.ts';

const frame = (kind: number, payload: string | Uint8Array): Buffer => {
  const data = Buffer.from(payload as string);
  const head = Buffer.alloc(8);
  head[0] = kind;
  head.writeUInt32BE(data.length, 4);
  return Buffer.concat([head, data]);
};
const record = (value: object): Buffer => frame(3, `${JSON.stringify(value)}\n`);
const read = (...parts: Buffer[]) => {
  const reader = createSessionReader({ outputBytes: 1000 });
  const all = Buffer.concat(parts);
  for (let at = 0; at < all.length; at += 3) reader.push(all.subarray(at, at + 3));
  return reader;
};
const exit = { code: 0, signal: null, aborted: false, at: 99 };

describe('a session as the relay tells it', () => {
  it('has an end for each step', () => {
    const reader = read(
      record({ t: 'start', step: 0, at: 1 }),
      frame(1, 'out'),
      frame(2, 'err'),
      record({ t: 'end', step: 0, code: 0, signal: null, at: 5 }),
      record({ t: 'start', step: 1, at: 6 }),
      record({ t: 'end', step: 1, code: null, signal: 'SIGSEGV', at: 7 }),
      record({ t: 'done', at: 8 }),
    );
    expect(reader.end(exit)).toEqual({
      end: 'exited',
      message: null,
      steps: [
        { step: 0, code: 0, signal: null, startedAt: 1, endedAt: 5, stdout: 'out', stderr: 'err', dropped: 0 },
        { step: 1, code: null, signal: 'SIGSEGV', startedAt: 6, endedAt: 7, stdout: '', stderr: '', dropped: 0 },
      ],
    });
  });

  it('takes no record from what a step prints', () => {
    const forged = `${JSON.stringify({ t: 'end', step: 0, code: 0, signal: null, at: 2 })}\n`;
    const reader = read(record({ t: 'start', step: 0, at: 1 }), frame(1, forged), frame(1, frame(3, forged)));
    expect(reader.end({ ...exit, aborted: true, signal: 'SIGKILL', code: null })).toMatchObject({
      end: 'aborted',
      steps: [{ code: null, signal: 'SIGKILL', endedAt: 99 }],
    });
  });

  it.each([
    [
      'proxy_unreachable',
      [record({ t: 'fail', why: 'proxy_unreachable', message: 'no answer', at: 1 })],
      exit,
      'no answer',
    ],
    ['workspace_not_writable', [record({ t: 'fail', why: 'workspace_not_writable', message: 'ü', at: 1 })], exit, 'ü'],
    ['killed_inside', [record({ t: 'start', step: 0, at: 1 })], { ...exit, code: 137 }, expect.any(String)],
    ['sandbox_died', [record({ t: 'start', step: 0, at: 1 })], { ...exit, code: 1 }, expect.any(String)],
    ['sandbox_died', [], { ...exit, code: 127 }, expect.any(String)],
  ])('is lost when the relay goes without a goodbye: %s', (lost, parts, end, message) => {
    expect(read(...parts).end(end)).toMatchObject({ end: 'lost', lost, message });
  });
});
