import { describe, expect, test } from 'vitest';
import { fixture, json, sse } from '../../test/fixtures/wire/read.ts';
import { decodeReply } from './all.ts';
import { isContextOverflow } from './fault.ts';
import type { Protocol } from './schema.ts';

const STREAM = { contentType: 'text/event-stream' };
const JSON_BODY = { contentType: 'application/json' };
const NONE = { input: null, output: null, cacheRead: null, cacheWrite: null };

describe('errors', () => {
  test.each<[what: string, protocol: Protocol, body: unknown, status: number, error: unknown]>([
    [
      'Anthropic',
      'anthropic',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'r' },
      529,
      { type: 'overloaded_error', status: 529, message: 'Overloaded', retryable: true },
    ],
    [
      'OpenAI',
      'openai-chat',
      {
        error: {
          message: 'too long',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
      400,
      {
        type: 'invalid_request_error',
        code: 'context_length_exceeded',
        status: 400,
        message: 'too long',
        retryable: false,
      },
    ],
    [
      'a spent quota',
      'openai-chat',
      { error: { message: 'pay', type: 'insufficient_quota', code: 'insufficient_quota' } },
      429,
      { type: 'insufficient_quota', status: 429, message: 'pay', retryable: false },
    ],
    [
      'Responses',
      'openai-responses',
      { error: { message: 'wait', type: 'requests', code: 'rate_limit_exceeded' } },
      429,
      { type: 'requests', code: 'rate_limit_exceeded', status: 429, message: 'wait', retryable: true },
    ],
    [
      'Google',
      'gemini',
      { error: { code: 429, message: 'wait', status: 'RESOURCE_EXHAUSTED' } },
      429,
      { type: 'RESOURCE_EXHAUSTED', status: 429, message: 'wait', retryable: true },
    ],
    [
      'Google, in a list',
      'gemini',
      [{ error: { code: 503, message: 'later', status: 'UNAVAILABLE' } }],
      503,
      { type: 'UNAVAILABLE', status: 503, message: 'later', retryable: true },
    ],
    [
      'a text',
      'openai-chat',
      { error: 'no such model' },
      404,
      { type: 'http_404', status: 404, message: 'no such model', retryable: false },
    ],
    [
      'FastAPI',
      'openai-chat',
      { detail: 'bad' },
      422,
      { type: 'http_422', status: 422, message: 'bad', retryable: false },
    ],
    [
      'AWS',
      'anthropic',
      { message: 'denied' },
      403,
      { type: 'http_403', status: 403, message: 'denied', retryable: false },
    ],
  ])('of %s', (_, protocol, body, status, error) => {
    const reply = decodeReply(protocol, json(body), { ...JSON_BODY, status });
    expect(reply).toMatchObject({ outcome: 'error', blocks: [], stop: null, usage: NONE });
    expect(reply.error).toEqual(error);
    expect(reply).not.toHaveProperty('reason');
  });

  test.each<[what: string, protocol: Protocol, events: unknown[], error: unknown]>([
    [
      'Anthropic',
      'anthropic',
      [{ type: 'ping' }, { type: 'error', error: { type: 'api_error', message: 'x' } }],
      { type: 'api_error', status: 500, message: 'x', retryable: true },
    ],
    [
      'OpenRouter',
      'openai-chat',
      [
        {
          id: 'x',
          error: { code: 502, message: 'gone' },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        },
        '[DONE]',
      ],
      { type: 'http_502', status: 502, message: 'gone', retryable: true },
    ],
    [
      'Responses, flat',
      'openai-responses',
      [{ type: 'error', code: 'rate_limit_exceeded', message: 'slow', param: null, sequence_number: 1 }],
      { type: 'rate_limit_exceeded', status: 429, message: 'slow', retryable: true },
    ],
    [
      'Responses, failed',
      'openai-responses',
      [
        {
          type: 'response.failed',
          response: { status: 'failed', error: { code: 'server_error', message: 'x' }, output: [] },
        },
      ],
      { type: 'server_error', status: 500, message: 'x', retryable: true },
    ],
    [
      'Google',
      'gemini',
      [{ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }],
      { type: 'UNAVAILABLE', status: 503, message: 'overloaded', retryable: true },
    ],
  ])('inside a 200: %s', (_, protocol, events, error) => {
    const reply = decodeReply(protocol, sse(...events), { ...STREAM, status: 200 });
    expect(reply.outcome).toBe('error');
    expect(reply.error).toEqual(error);
  });

  test('after content are kept beside it and are not retried unseen', () => {
    const head = fixture('anthropic-tools.sse').subarray(0, 1200);
    const tail = new TextEncoder().encode(
      '\n\nevent: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"o"}}\n\n',
    );
    const reply = decodeReply('anthropic', [head, tail], STREAM);
    expect(reply).toMatchObject({ outcome: 'error', error: { status: 529, retryable: false } });
    expect(reply.blocks[0]).toMatchObject({ type: 'thinking' });
  });

  test('whose data is no JSON', () => {
    const bytes = new TextEncoder().encode('event: error\ndata: upstream connect error\n\n');
    expect(decodeReply('anthropic', [bytes], STREAM).error).toMatchObject({
      message: 'upstream connect error',
      status: 500,
    });
  });

  test('as a page of HTML, by status or under a good one', () => {
    const page = [
      new TextEncoder().encode('<html>\r\n<head><title>502 Bad Gateway</title></head><body>nginx</body></html>'),
    ];
    const bad = decodeReply('openai-chat', page, { contentType: 'text/html', status: 502 });
    expect(bad.error).toEqual({ type: 'http_502', status: 502, message: '502 Bad Gateway', retryable: true });
    const good = decodeReply('openai-chat', page, { contentType: 'text/html', status: 200 });
    expect(good).toMatchObject({ outcome: 'error', error: { status: 502 } });
  });

  test('without a body', () => {
    const reply = decodeReply('anthropic', [], { contentType: '', status: 503 });
    expect(reply).toMatchObject({ outcome: 'error', error: { type: 'http_503', status: 503, retryable: true } });
  });

  test('are not seen in text that looks like one', () => {
    const said = {
      choices: [{ index: 0, delta: { content: '{"error":{"message":"x"}}' }, finish_reason: 'stop' }],
      error: null,
    };
    expect(decodeReply('openai-chat', sse(said, '[DONE]'), STREAM).outcome).toBe('complete');
  });

  test('hold no lone surrogate', () => {
    const body = [new TextEncoder().encode('{"error":{"type":"api_error","message":"\\ud83d"}}')];
    expect(decodeReply('anthropic', body, { ...JSON_BODY, status: 500 }).error?.message).toBe('\ufffd');
  });
});

test.each<[message: string, status: number, code: string | undefined, overflow: boolean]>([
  ['prompt is too long: 213456 tokens > 200000 maximum', 400, undefined, true],
  ['input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000', 400, undefined, true],
  ["This model's maximum context length is 128000 tokens.", 400, 'context_length_exceeded', true],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 400, undefined, true],
  ['x', 400, 'context_length_exceeded', true],
  ['messages: at least one message is required', 400, undefined, false],
  ['context window busy', 529, undefined, false],
])('context overflow: %s', (message, status, code, overflow) => {
  const error = {
    type: 'invalid_request_error',
    ...(code !== undefined && { code }),
    status,
    message,
    retryable: false,
  };
  expect(isContextOverflow(error)).toBe(overflow);
});
