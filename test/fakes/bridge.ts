import type { Problem } from '../../src/core/problem.ts';
import type { IncomingReply, OutgoingRequest, Upstream } from '../../src/recording/schema.ts';
import { translateUpstream } from '../../src/recording/upstreams/translate.ts';
import type { Far, Near } from '../../src/recording/upstreams/translation/conversation.ts';
import { decodeReply } from '../../src/wire/all.ts';
import type { Block, DecodedReply, ReplyPlan, ToolCall } from '../../src/wire/schema.ts';
import { type FakeProvider, startFakeProvider } from './providers/server.ts';

export const PNG = 'iVBORw0KGgo=';
/** A tool's schema with what a translation may lose. */
export const SCHEMA: Record<string, unknown> = {
  type: 'object',
  properties: { path: { type: 'string' }, mode: { $ref: '#/$defs/mode' } },
  required: ['path'],
  additionalProperties: false,
  $defs: { mode: { type: 'string', enum: ['r', 'w'] } },
};
const PATHS: Readonly<Record<Near, string>> = {
  anthropic: '/v1/messages?beta=true',
  'openai-chat': '/v1/chat/completions',
};

/** A translating upstream in front of a fake provider. */
export interface Bridge {
  near: Near;
  fake: FakeProvider;
  upstream: Upstream;
  problems: Problem[];
}
const open: Bridge[] = [];
/** Closes all bridges of a test. */
export const closeBridges = async (): Promise<void> => {
  for (const { fake, upstream } of open.splice(0)) {
    await upstream.close?.();
    await fake.close();
  }
};

export const bridge = async (near: Near, far: Far): Promise<Bridge> => {
  const fake = await startFakeProvider(far);
  const problems: Problem[] = [];
  const upstream = translateUpstream({
    id: 'far',
    protocol: far,
    baseUrl: fake.url,
    key: fake.key,
    onProblem: (p) => problems.push(p),
  });
  const made = { near, fake, upstream, problems };
  open.push(made);
  return made;
};

let call = 0;
export const send = (
  { near, upstream }: Bridge,
  body: unknown,
  signal: AbortSignal = new AbortController().signal,
): Promise<IncomingReply> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request: OutgoingRequest = {
    method: 'POST',
    path: PATHS[near],
    headers: [['content-type', 'application/json']],
    body: (async function* () {
      yield Buffer.from(text);
    })(),
    call: call++,
    tier: 'main',
    model: 'fake-model',
    protocol: near,
  };
  return upstream.send(request, signal);
};
export const read = async (reply: IncomingReply): Promise<Uint8Array[]> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) chunks.push(chunk);
  return chunks;
};
export const ask = async (on: Bridge, body: unknown): Promise<DecodedReply> => {
  const reply = await send(on, body);
  const contentType = reply.headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return decodeReply(on.near, await read(reply), { contentType, status: reply.status });
};

export const plan = (stop: ReplyPlan['stop'], ...blocks: Block[]): ReplyPlan => ({
  id: 'r',
  model: 'fake-model',
  blocks,
  stop,
  usage: { input: 100, output: 20 },
});
export const text = (said: string): Block => ({ type: 'text', text: said });
export const calling = (id: string, input: unknown, signature?: string): ToolCall => ({
  type: 'tool_call',
  id,
  name: 'Read',
  input,
  ...(signature !== undefined && { signature }),
});
export const callsOf = (reply: DecodedReply): ToolCall[] => reply.blocks.filter((block) => block.type === 'tool_call');
