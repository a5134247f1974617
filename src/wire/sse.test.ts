import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byByte, everySplit, fixture } from '../../test/fixtures/wire/read.ts';
import { formatSse, parseSse, SseDecoder, type SseEvent } from './sse.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parse = (text: string): SseEvent[] => parseSse([bytes(text)]);

describe('the standard, line by line', () => {
  test.each<[what: string, stream: string, events: SseEvent[]]>([
    ['a name', 'event: a\ndata: 1\n\n', [{ event: 'a', data: '1' }]],
    ['no name', 'data: 1\n\n', [{ event: 'message', data: '1' }]],
    ['an empty name', 'event:\ndata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['one space is dropped', 'data:  1\n\n', [{ event: 'message', data: ' 1' }]],
    ['no space', 'data:1\n\n', [{ event: 'message', data: '1' }]],
    ['a line without a colon', 'data\n\n', [{ event: 'message', data: '' }]],
    ['several lines', 'data: 1\ndata: 2\n\n', [{ event: 'message', data: '1\n2' }]],
    ['empty data', 'data:\n\n', [{ event: 'message', data: '' }]],
    ['comments', ': hi\n\n:\n\ndata: 1\n: x\n\n', [{ event: 'message', data: '1' }]],
    ['neither id, nor retry, nor a name make an event', 'id: 1\n\nretry: 9\n\nevent: x\n\n', []],
    ['a name is forgotten', 'event: x\n\ndata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['an id', 'id: 7\ndata: 1\n\n', [{ event: 'message', data: '1', id: '7' }]],
    ['an id with NUL', 'id: 7\u0000\ndata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['unknown fields', 'foo: 1\ndata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['an event that is not ended', 'data: 1\n\ndata: 2\n', [{ event: 'message', data: '1' }]],
    [
      'CR',
      'data: 1\r\rdata: 2\r\r',
      [
        { event: 'message', data: '1' },
        { event: 'message', data: '2' },
      ],
    ],
    [
      'CRLF',
      'data: 1\r\n\r\ndata: 2\r\n\r\n',
      [
        { event: 'message', data: '1' },
        { event: 'message', data: '2' },
      ],
    ],
    [
      'a mix',
      'data: 1\r\n\ndata: 2\n\rdata: 3\r\r\n',
      [
        { event: 'message', data: '1' },
        { event: 'message', data: '2' },
        { event: 'message', data: '3' },
      ],
    ],
    ['a byte order mark', '\ufeffdata: 1\n\n', [{ event: 'message', data: '1' }]],
    ['only the first one', '\ufeff\ufeffdata: 1\n\n', []],
  ])('%s', (_, stream, events) => {
    expect(parse(stream)).toEqual(events);
    expect(parseSse(byByte(bytes(stream)))).toEqual(events);
  });
});

test('a stream gives the same events however it is cut', () => {
  for (const name of ['anthropic-tools.sse', 'openai-chat-tools.sse', 'gemini-tools.sse']) {
    const stream = fixture(name);
    const whole = parseSse([stream]);
    expect(whole.length).toBeGreaterThan(4);
    const text = JSON.stringify(whole);
    for (const cut of everySplit(stream)) expect(JSON.stringify(parseSse(cut))).toBe(text);
    expect(parseSse(byByte(stream))).toEqual(whole);
  }
});

test('any bytes in any cuts', () => {
  const scrap = fc.constantFrom(
    'data',
    'event',
    'id',
    ':',
    ' ',
    '\n',
    '\r',
    '\r\n',
    '\ufeff',
    'é',
    '🧺',
    '{"a":1}',
    'x',
  );
  const stream = fc.array(scrap, { maxLength: 60 }).map((scraps) => bytes(scraps.join('')));
  fc.assert(
    fc.property(stream, fc.array(fc.nat(200), { maxLength: 6 }), (whole, places) => {
      const cuts = [...new Set(places.filter((at) => at < whole.length))].sort((a, b) => a - b);
      const parts = [...cuts, whole.length].map((end, i) => whole.subarray(cuts[i - 1] ?? 0, end));
      expect(parseSse(parts)).toEqual(parseSse([whole]));
      expect(parseSse(byByte(whole))).toEqual(parseSse([whole]));
    }),
    { numRuns: process.env.OCTOBENCH_LONG === '1' ? 20_000 : 300 },
  );
});

test('what is written is read again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(parse(formatSse(JSON.stringify(text), 'e'))).toEqual([{ event: 'e', data: JSON.stringify(text) }]);
    }),
  );
});

describe('bytes that are no UTF-8', () => {
  const count = (chunks: Uint8Array[]): number => {
    const decoder = new SseDecoder();
    for (const chunk of chunks) decoder.write(chunk);
    decoder.end();
    return decoder.replacementCharacters;
  };
  const stream = (...middle: number[]): Uint8Array =>
    Buffer.concat([bytes('data: a'), Buffer.from(middle), bytes('b\n\n')]);

  test.each<[what: string, middle: number[], replaced: number]>([
    ['none', [], 0],
    ['one', [0xff], 1],
    ['two', [0xff, 0xfe], 2],
    ['a character that was cut', [0xe2, 0x82], 1],
    ['U+FFFD that was sent', [0xef, 0xbf, 0xbd], 0],
    ['U+FFFD that was sent, beside bad bytes', [0xe2, 0xef, 0xbf, 0xbd, 0xff], 2],
    ['half of it', [0xef, 0xbf, 0xef, 0xbf, 0xbd], 1],
  ])('%s', (_, middle, replaced) => {
    const whole = stream(...middle);
    expect(count([whole])).toBe(replaced);
    expect(count(byByte(whole))).toBe(replaced);
    for (const cut of everySplit(whole)) expect(count(cut)).toBe(replaced);
  });

  test('a stream that ends within a character', () => {
    expect(count([bytes('data: '), Uint8Array.of(0xf0, 0x9f)])).toBe(1);
  });
});
