import { expect, test } from 'vitest';
import { protocols } from '../wire/all.ts';
import type { Protocol } from '../wire/schema.ts';
import { EndWatch, endsWell } from './last-event.ts';

const PLAN = {
  id: 'r1',
  model: 'm',
  blocks: [{ type: 'text' as const, text: 'It says message_stop, [DONE], finishReason.' }],
  stop: 'end' as const,
  usage: { input: 1, output: 2 },
};
const streamOf = (protocol: Protocol): Buffer => Buffer.concat(protocols[protocol].writeReply(PLAN, true).chunks);

test.each(Object.keys(protocols) as Protocol[])(
  '%s: a stream ends well when its last event is whole, and at no byte before',
  (protocol) => {
    const stream = streamOf(protocol);
    expect(endsWell(protocol, stream)).toBe(true);
    const early = Array.from({ length: stream.length - 1 }, (_, i) => i + 1).filter((cut) =>
      endsWell(protocol, stream.subarray(0, cut)),
    );
    // Gemini and Responses may go on after the event that says it is over; nothing of the answer is missing then.
    const last = stream.toString().trimEnd().lastIndexOf('\n\n') + 2;
    expect(early.filter((cut) => cut <= last && protocol !== 'gemini')).toEqual([]);
    expect(endsWell(protocol, Buffer.concat([stream, Buffer.from(': ping\n\n')]))).toBe(true);
    expect(endsWell(protocol, Buffer.from(stream.toString().replaceAll('\n', '\r\n')))).toBe(true);
  },
);

test.each<[Protocol, string]>([
  ['anthropic', 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'],
  ['openai-chat', 'data: {"error":{"message":"quota"}}\n\n'],
  ['openai-responses', 'data: {"type":"response.failed","response":{}}\n\n'],
  ['gemini', 'data: {"promptFeedback":{"blockReason":"SAFETY"}}\n\n'],
])('%s: an error event is an end', (protocol, event) => {
  expect(endsWell(protocol, Buffer.from(event))).toBe(true);
});

test('a last event that repeats the whole reply is found, however long it is', () => {
  const long = `data: {"type":"response.completed","response":{"text":"${'x'.repeat(100_000)}"}}\n\n`;
  expect(endsWell('openai-responses', Buffer.from(`data: {"type":"x"}\n\n${long}`))).toBe(true);
});

test('text that speaks of an end is none', () => {
  const said = 'data: {"type":"content_block_delta","delta":{"text":"message_stop [DONE]"}}\n\n';
  expect(endsWell('anthropic', Buffer.from(said))).toBe(false);
  expect(endsWell('openai-chat', Buffer.from(said))).toBe(false);
});

test.each(Object.keys(protocols) as Protocol[])(
  '%s: the watch sees the last event in whatever pieces it comes',
  (protocol) => {
    const stream = streamOf(protocol);
    for (let size = 1; size < 40; size++) {
      const watch = new EndWatch(protocol);
      let seen = false;
      for (let at = 0; at < stream.length; at += size) seen = watch.push(stream.subarray(at, at + size)) || seen;
      expect(seen).toBe(true);
    }
  },
);
