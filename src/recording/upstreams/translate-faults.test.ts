import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, bridge, closeBridges, plan, read, send, text } from '../../../test/fakes/bridge.ts';
import { decodeReply, protocols } from '../../wire/all.ts';
import type { OutgoingRequest } from '../schema.ts';
import { translateUpstream } from './translate.ts';
import type { Far, Near } from './translation/conversation.ts';

afterEach(closeBridges);

describe.each<[Near, Far]>([
  ['anthropic', 'openai-chat'],
  ['anthropic', 'gemini'],
  ['openai-chat', 'anthropic'],
])('faults of %s -> %s', (near, far) => {
  const body = { model: 'm', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
  const hello = plan('end', text('Hello, this is a longer answer than the others.'));

  test('a status, its message and retry-after pass', async () => {
    const on = await bridge(near, far);
    on.fake.answer({ status: 429, type: 'rate_limit_error', message: 'slow down', headers: { 'retry-after': '7' } });
    const reply = await send(on, body);
    expect(reply.status).toBe(429);
    expect(reply.headers).toContainEqual(['retry-after', '7']);
    const { error } = decodeReply(near, await read(reply), { contentType: 'application/json', status: 429 });
    expect(error).toMatchObject({ status: 429, message: 'slow down', retryable: true });
    if (near === 'anthropic') expect(error?.type).toBe('rate_limit_error');
    expect(on.fake.requests).toHaveLength(1);
  });

  test('an overloaded provider is asked once', async () => {
    const on = await bridge(near, far);
    on.fake.answer({ status: 529, type: 'overloaded_error', message: 'Overloaded' });
    expect((await ask(on, body)).error).toMatchObject({ status: 529, message: 'Overloaded' });
    expect(on.fake.requests).toHaveLength(1);
  });

  test('a context overflow is worded as the client knows it', async () => {
    const on = await bridge(near, far);
    on.fake.answer({
      status: 400,
      type: 'invalid_request_error',
      message: 'The input token count (9) exceeds the maximum',
    });
    const { error } = await ask(on, body);
    if (near === 'anthropic') expect(error?.message).toMatch(/^prompt is too long: /);
    expect(error?.status).toBe(400);
  });

  test.each([true, false])('a stream that ends early never ends well (clean end: %s)', async (clean) => {
    const on = await bridge(near, far);
    on.fake.answer({ cut: hello, after: 2, clean });
    const reply = await send(on, body);
    await expect(read(reply)).rejects.toMatchObject({ name: 'UpstreamError', kind: 'reset' });
  });

  test('an error inside the stream is an error inside the stream', async () => {
    const on = await bridge(near, far);
    const words = {
      anthropic: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'openai-chat': { error: { type: 'server_error', message: 'Overloaded' } },
      gemini: { error: { code: 503, status: 'UNAVAILABLE', message: 'Overloaded' } },
    };
    const head = protocols[far].writeReply(hello, true).chunks.slice(0, far === 'anthropic' ? 4 : 2);
    const chunks = [
      ...head,
      Buffer.from(`${far === 'anthropic' ? 'event: error\n' : ''}data: ${JSON.stringify(words[far])}\n\n`),
    ];
    on.fake.answer({ raw: { status: 200, headers: [['content-type', 'text/event-stream']], chunks } });
    const reply = await ask(on, body);
    expect(reply).toMatchObject({ outcome: 'error', error: { message: 'Overloaded' } });
    expect(reply.error?.status).toBeGreaterThanOrEqual(500);
  });

  test('a provider that is not there is a reset', async () => {
    const on = await bridge(near, far);
    await on.fake.close();
    await expect(send(on, body)).rejects.toMatchObject({ name: 'UpstreamError', reason: 'ECONNREFUSED' });
  });

  test('numbers arrive as they were written', async () => {
    const on = await bridge(near, far);
    on.fake.answer(hello);
    const exact = '{"ratio":1.0,"id":12345678901234567890}';
    const messages =
      near === 'anthropic'
        ? `[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${exact}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ok"}]}]`
        : `[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":${JSON.stringify(exact)}}}]},{"role":"tool","tool_call_id":"a","content":"ok"}]`;
    await read(await send(on, `{"model":"m","stream":true,"max_tokens":9.0,"messages":${messages}}`));
    expect(on.fake.requests[0]?.text.replaceAll('\\"', '"')).toContain(exact);
  });
});

test('paths and protocols without a counterpart are refused in the client’s words', async () => {
  const { upstream } = await bridge('anthropic', 'openai-chat');
  const request: OutgoingRequest = {
    method: 'POST',
    path: '/v1/messages/count_tokens',
    headers: [],
    body: (async function* () {})(),
    call: 0,
    tier: 'main',
    model: 'm',
    protocol: 'anthropic',
  };
  expect(await upstream.send(request, new AbortController().signal)).toMatchObject({ status: 404 });
  expect(await upstream.send({ ...request, protocol: 'gemini' }, new AbortController().signal)).toMatchObject({
    status: 501,
  });
});

describe('while a reply streams', () => {
  const body = { model: 'm', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
  const hello = plan('end', text('Hello, this is a longer answer than the others.'));

  /** A provider that sends the first chunks of a reply and then says nothing more. */
  const startSilent = async (): Promise<{ url: string; gone: Promise<void>; close: () => void }> => {
    const { promise: gone, resolve } = Promise.withResolvers<void>();
    const server = http.createServer((request, response) => {
      response.on('close', resolve);
      request.resume().on('end', () => {
        const reply = protocols['openai-chat'].writeReply(hello, true);
        response.writeHead(200, reply.headers.flat());
        for (const chunk of reply.chunks.slice(0, 2)) response.write(chunk);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      gone,
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  };

  test('text arrives before the provider is done, and a client that leaves ends its call', async () => {
    const silent = await startSilent();
    const on = await bridge('anthropic', 'openai-chat');
    const upstream = translateUpstream({ id: 'far', protocol: 'openai-chat', baseUrl: silent.url, key: 'k' });
    const leave = new AbortController();
    const reply = await send({ ...on, upstream }, body, leave.signal);
    let seen = '';
    const reading = (async () => {
      for await (const chunk of reply.body) {
        seen += Buffer.from(chunk).toString();
        if (seen.includes('text_delta')) leave.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ name: 'UpstreamError' });
    await silent.gone;
    expect(seen).toContain('"text":"Hello, this is a');
    expect(seen).not.toContain('message_stop');
    await upstream.close?.();
    silent.close();
  });
});
