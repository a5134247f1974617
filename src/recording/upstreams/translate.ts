import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isObject } from '../../core/json.ts';
import type { Problem } from '../../core/problem.ts';
import { decodeReply, protocols } from '../../wire/all.ts';
import type { DecodedReply, HttpReply, ReplyError } from '../../wire/schema.ts';
import { formatSse } from '../../wire/sse.ts';
import { headerOf } from '../headers.ts';
import type { IncomingReply, OutgoingRequest, Upstream } from '../schema.ts';
import { asUpstreamError, UpstreamError } from './error.ts';
import { type ProviderOptions, providerUpstream } from './provider.ts';
import { type Conversation, type Far, type Near, readConversation } from './translation/conversation.ts';
import { parseExactly } from './translation/exact.ts';
import { mendBody } from './translation/mend.ts';
import type { FarPart } from './translation/part.ts';
import { toPrompt } from './translation/prompt.ts';
import { RETRY_HEADERS, relayError } from './translation/relay-error.ts';
import { Seals } from './translation/seals.ts';
import { type Settings, toSettings } from './translation/settings.ts';
import { createAnthropicWriter } from './translation/to-anthropic.ts';
import { createChatWriter } from './translation/to-chat.ts';
import { toWhole } from './translation/whole.ts';
import type { NearWriter, WireEvent } from './translation/writer.ts';

export interface TranslateOptions extends ProviderOptions {
  /** What the provider speaks. */
  protocol: Far;
  /** Told of everything that a call's translation could not carry over. */
  onProblem?: (problem: Problem) => void;
}

type Model = ReturnType<ReturnType<typeof createAnthropic>>;
type Fetch = typeof globalThis.fetch;

/** One call on its way through. */
interface Crossing {
  near: Near;
  far: Far;
  request: OutgoingRequest;
  conversation: Conversation;
  settings: Settings;
  signal: AbortSignal;
  /** What the provider sent, once it is known. */
  reply: { value: DecodedReply | null };
}

const encoder = new TextEncoder();
const NEARS: ReadonlySet<string> = new Set(['anthropic', 'openai-chat']);

/**
 * A provider that speaks another protocol than the client: the request is translated, and the reply back, as it streams.
 * Anthropic and chat clients; Anthropic, chat and Google providers, through the AI SDK, whose losses are mended. Errors stay
 * errors with their status and `retry-after`, a cut connection stays a cut, and nothing is tried twice. What was lost stands
 * in the header `x-octobench-lost` of the reply, so it is in the record.
 */
export const translateUpstream = (options: TranslateOptions): Upstream => {
  const provider = providerUpstream(options);
  const seals = new Seals();
  return {
    id: options.id,
    send: async (request, signal) => {
      const near = request.protocol;
      const body = await readBody(request);
      if (!NEARS.has(near)) return refuse('openai-chat', 501, `a client that speaks ${near} cannot be translated`);
      const client = near as Near;
      if (protocols[client].endpoint(request.method, request.path) !== 'generate')
        return refuse(client, 404, `${request.method} ${request.path} has no counterpart at this provider`);
      const conversation = readConversation(client, body);
      if (conversation === null) return refuse(client, 400, 'the request body is no JSON object');
      const settings = toSettings(conversation, client, options.protocol);
      const crossing: Crossing = {
        near: client,
        far: options.protocol,
        request,
        conversation,
        settings,
        signal,
        reply: { value: null },
      };
      const { prompt, problems } = toPrompt(conversation, options.protocol, seals);
      const lost = [...conversation.problems, ...settings.problems, ...problems];
      for (const problem of lost) options.onProblem?.({ ...problem, call: request.call });
      const model = createModel(options, request.model, farFetch(provider, crossing));
      return cross(crossing, model, prompt, seals, lost);
    },
    close: async () => provider.close?.(),
  };
};

const readBody = async (request: OutgoingRequest): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const asReply = ({ status, headers, chunks }: HttpReply, more: [string, string][] = []): IncomingReply => ({
  status,
  headers: [...headers, ...more],
  body: (async function* () {
    yield* chunks;
  })(),
});

const refuse = (near: Near, status: number, message: string): IncomingReply =>
  asReply(
    protocols[near].writeError({ status, type: status === 404 ? 'not_found_error' : 'invalid_request_error', message }),
  );

/** The SDK's model. Its address and key are only for form: `farFetch` sends the request by way of the provider. */
const createModel = (options: TranslateOptions, model: string, fetch: Fetch): Model => {
  const form = { apiKey: 'none', fetch };
  switch (options.protocol) {
    case 'anthropic':
      return createAnthropic({ ...form, baseURL: 'http://far/v1' })(model);
    case 'openai-chat':
      return createOpenAICompatible({ ...form, name: 'far', baseURL: 'http://far/v1', includeUsage: true })(model);
    case 'gemini':
      return createGoogleGenerativeAI({ ...form, baseURL: 'http://far/v1beta' })(model);
  }
};

const ADDED_BY_SDK = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'anthropic-beta',
  'user-agent',
  'content-length',
]);

/** A `fetch` that mends the SDK's body, sends it by the provider upstream, and fails where the reply is not whole. */
const farFetch =
  (provider: Upstream, crossing: Crossing): Fetch =>
  async (input, init) => {
    const url = new URL(String(input));
    const body = parseExactly(String(init?.body));
    if (isObject(body)) mendBody(body, crossing.far, crossing.settings);
    const bytes = encoder.encode(JSON.stringify(body));
    const headers = [...new Headers(init?.headers as Record<string, string>)].filter(
      ([name]) => !ADDED_BY_SDK.has(name),
    );
    const reply = await provider.send(
      {
        ...crossing.request,
        method: init?.method ?? 'POST',
        path: url.pathname + url.search,
        headers: [...headers, ['content-length', String(bytes.length)]],
        body: asReply({ status: 200, headers: [], chunks: [bytes] }).body,
        protocol: crossing.far,
      },
      crossing.signal,
    );
    const contentType = headerOf(reply.headers, 'content-type') ?? '';
    return new Response(ReadableStream.from(watched(reply, contentType, crossing)), {
      status: reply.status,
      headers: reply.headers,
    });
  };

/** A reply's bytes; at their end it is known whether they were the whole reply, and if not, they end in an error. */
async function* watched(
  reply: IncomingReply,
  contentType: string,
  { far, reply: seen }: Crossing,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of reply.body) {
    chunks.push(chunk);
    yield chunk;
  }
  seen.value = decodeReply(far, chunks, { contentType, status: reply.status });
  if (seen.value.outcome === 'incomplete') throw new UpstreamError('reset', seen.value.reason ?? 'incomplete');
}

const cross = async (
  crossing: Crossing,
  model: Model,
  prompt: ReturnType<typeof toPrompt>['prompt'],
  seals: Seals,
  lost: readonly Problem[],
): Promise<IncomingReply> => {
  const kinds = [...new Set(lost.map(({ kind }) => kind))];
  const told: [string, string][] = kinds.length > 0 ? [['x-octobench-lost', kinds.join(', ')]] : [];
  const { options, tools } = crossing.settings;
  let stream: ReadableStream<FarPart>;
  try {
    const call = { prompt, ...options, ...(tools.length > 0 && { tools }), abortSignal: crossing.signal };
    stream = (await model.doStream(call as Parameters<Model['doStream']>[0])).stream as ReadableStream<FarPart>;
  } catch (e) {
    return failed(crossing, e, told);
  }
  const events = translate(crossing, stream, seals.watch());
  if (!crossing.conversation.stream) return toWhole(crossing.near, nameOf(crossing), await collect(events), told);
  const headers: [string, string][] = [
    ['content-type', 'text/event-stream; charset=utf-8'],
    ['cache-control', 'no-cache'],
  ];
  return { status: 200, headers: [...headers, ...told], body: events };
};

const collect = async (events: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of events) chunks.push(chunk);
  return chunks;
};

/** An answer of the provider that is an error, as the client's protocol words it; anything else was no answer. */
const failed = (crossing: Crossing, e: unknown, told: [string, string][]): IncomingReply => {
  const thrown = isObject(e) ? e : {};
  const status = typeof thrown.statusCode === 'number' ? thrown.statusCode : null;
  const error = crossing.reply.value?.error;
  if (status === null || error === undefined) throw asUpstreamError(causeOf(e));
  const headers = isObject(thrown.responseHeaders) ? thrown.responseHeaders : {};
  const passed = RETRY_HEADERS.flatMap((name): [string, string][] =>
    typeof headers[name] === 'string' ? [[name, headers[name]]] : [],
  );
  const reply = writeFault(crossing.near, relayError(error, crossing.near));
  const own = reply.headers.filter(([name]) => !passed.some(([other]) => other === name));
  return asReply({ ...reply, headers: own }, [...passed, ...told]);
};

const writeFault = (near: Near, error: ReplyError): HttpReply => protocols[near].writeError(error);

/** The innermost reason of a failure: the SDK wraps what the connection said. */
const causeOf = (e: unknown): unknown => {
  let inner = e;
  for (let depth = 0; depth < 5 && !(inner instanceof UpstreamError); depth++) {
    if (!(inner instanceof Error) || inner.cause === undefined) break;
    inner = inner.cause;
  }
  return inner;
};

async function* translate(
  crossing: Crossing,
  stream: ReadableStream<FarPart>,
  watch: (part: FarPart) => void,
): AsyncGenerator<Uint8Array> {
  const writer = createWriter(crossing);
  yield* write(writer.start());
  let finish: FarPart | null = null;
  try {
    for await (const part of stream) {
      watch(part);
      if (part.type === 'finish') finish = part;
      else if (part.type !== 'error') yield* write(writer.part(part));
    }
  } catch (e) {
    throw asUpstreamError(causeOf(e));
  }
  const error = crossing.reply.value?.error;
  if (error !== undefined) yield* write(writer.error(relayError(error, crossing.near)));
  else if (finish === null) throw new UpstreamError('reset', 'missing_finish');
  else yield* write(writer.finish(finish));
}

const nameOf = ({ near, request }: Crossing): { id: string; model: string } => ({
  id: `${near === 'anthropic' ? 'msg' : 'chatcmpl'}_${request.call}`,
  model: request.model,
});

const createWriter = (crossing: Crossing): NearWriter =>
  crossing.near === 'anthropic'
    ? createAnthropicWriter(nameOf(crossing))
    : createChatWriter({ ...nameOf(crossing), created: Math.floor(Date.now() / 1000) });

const write = (events: readonly WireEvent[]): Uint8Array[] =>
  events.map(({ event, data }) =>
    encoder.encode(formatSse(typeof data === 'string' ? data : JSON.stringify(data), event)),
  );
