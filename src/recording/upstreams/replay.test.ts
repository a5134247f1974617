import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, proxyOf, recorded, specOf } from '../../../test/fixtures/recording/harness.ts';
import { play, Session, said, TWO_QUERIES } from '../../../test/fixtures/recording/scripted.ts';
import { call } from '../../../test/fixtures/recording/upstream.ts';
import type { Problem } from '../../core/problem.ts';
import { protocols } from '../../wire/all.ts';
import type { ToolCall } from '../../wire/schema.ts';
import type { Proxy as OpenProxy, Upstream } from '../schema.ts';
import { replayUpstream } from './replay.ts';

/** Plays the three queries over HTTP through the proxy; returns what was said and the statuses. */
const session = async (
  proxy: OpenProxy,
  upstream: Upstream,
  name: string,
  results: (c: ToolCall) => { text: string },
): Promise<string[]> => {
  const attempt = await proxy.open(specOf(upstream, { attempt: name, log: join(folder, name, 'calls.jsonl') }));
  const seen: string[] = [];
  const overHttp: Upstream = {
    id: 'http',
    send: async (request) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of request.body) chunks.push(chunk);
      const view = await call(attempt.url, {
        path: request.path,
        headers: { 'x-api-key': attempt.token },
        body: Buffer.concat(chunks),
      });
      seen.push(`${view.status} ${view.clean} ${view.body.toString()}`);
      return {
        status: view.status ?? 599,
        headers: Object.entries(view.headers) as [string, string][],
        body: (async function* () {
          yield view.body;
        })(),
      };
    },
  };
  const s = new Session(overHttp).ask('<system-reminder>the time is now</system-reminder>Fix the cart');
  for (let i = 0; i < 4; i++) await s.turn(results);
  s.ask('And?');
  await s.turn();
  s.ask('Test it');
  await s.turn(results);
  await s.turn();
  await attempt.close();
  return seen;
};

test('a recorded session is answered again, byte for byte, its fault included; drift is listed', async () => {
  const proxy = await proxyOf();
  const script = play(`${TWO_QUERIES}faults: [{ at: [0, 2], kind: 529 }]`);
  const first = await session(proxy, script, 'one', () => ({ text: 'ok' }));
  expect(first.map((s) => s.slice(0, 3))).toEqual(['200', '200', '529', '200', '200', '200', '200']);
  const drift: Problem[] = [];
  const replay = await replayUpstream({
    id: 'replay/one',
    calls: await recorded(join(folder, 'one', 'calls.jsonl')),
    onDrift: (p) => drift.push(p),
  });
  const again = await session(proxy, replay, 'two', (c) => ({ text: c.name === 'Edit' ? 'another result' : 'ok' }));
  expect(again).toEqual(first);
  expect(drift).toMatchObject([
    { kind: 'drift', call: 2, message: expect.stringMatching(/was "ok", and is now "another result"/) },
  ]);
});

test('a thread that the record does not hold fails loudly and ends the attempt', async () => {
  const replay = await replayUpstream({ id: 'replay/none', calls: [] });
  const reply = await new Session(replay).ask('Who are you?').turn();
  expect(reply.error).toMatchObject({
    status: 400,
    message: expect.stringMatching(/no reply to this thread.*Who are you\?/),
  });
  expect(said(reply)).toBe('');
  const answer = await replay.send(
    {
      method: 'POST',
      path: '/v1/messages',
      headers: [],
      call: 0,
      tier: 'main',
      model: 'm',
      protocol: 'anthropic',
      body: (async function* () {
        yield Buffer.from('{"model":"m","messages":[]}');
      })(),
    },
    new AbortController().signal,
  );
  expect(answer.ends).toMatchObject({ outcome: 'scaffold_failed', reason: 'replay_missing' });
  expect(protocols.anthropic.endpoint('POST', '/v1/messages')).toBe('generate');
});

test('a reply that broke off breaks off again', async () => {
  const proxy = await proxyOf();
  const script = play(`${TWO_QUERIES}faults: [{ at: [0, 0], kind: cut }]`);
  const attempt = await proxy.open(specOf(script));
  const body = JSON.stringify(new Session(script).ask('Go').body());
  const cut = await call(attempt.url, { headers: { 'x-api-key': attempt.token }, body });
  await attempt.close();
  expect(cut.clean).toBe(false);
  const replay = await replayUpstream({ id: 'replay/x', calls: await recorded() });
  const second = await proxy.open(specOf(replay, { log: join(folder, 'two', 'calls.jsonl') }));
  const again = await call(second.url, { headers: { 'x-api-key': second.token }, body });
  expect(again.clean).toBe(false);
  expect(again.body).toEqual(cut.body);
});
