import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isObject, type JsonObject, parseJson } from '../../../src/core/json.ts';
import { protocols } from '../../../src/wire/all.ts';
import type { HttpReply, Protocol, ReplyPlan } from '../../../src/wire/schema.ts';
import { refuseAnthropic } from './anthropic.ts';
import { refuseGemini } from './gemini.ts';
import { refuseOpenaiChat } from './openai-chat.ts';
import { refuseOpenaiResponses } from './openai-responses.ts';
import type { Refusal, Refuse } from './refusal.ts';

/** What a fake does with a request it takes: answer, fail, or answer and break off after so many chunks. */
type Answer =
  | ReplyPlan
  | { status: number; type: string; message: string; headers?: Record<string, string> }
  | { cut: ReplyPlan; after: number; clean?: boolean }
  | { raw: HttpReply };

export interface FakeProvider {
  url: string;
  key: string;
  /** Every request, taken or refused. */
  requests: { path: string; headers: Record<string, string>; body: JsonObject; text: string }[];
  refusals: Refusal[];
  /** Puts answers at the end of the queue; an empty queue answers 500. */
  answer(...answers: Answer[]): void;
  close(): Promise<void>;
}

const REFUSE: Readonly<Record<Protocol, Refuse>> = {
  anthropic: refuseAnthropic,
  'openai-chat': refuseOpenaiChat,
  'openai-responses': refuseOpenaiResponses,
  gemini: refuseGemini,
};

/**
 * A provider that speaks a protocol over real HTTP on 127.0.0.1. It refuses what the real API refuses, in its words, and
 * otherwise answers from a queue. It remembers the signatures it gave out and takes no others.
 */
export const startFakeProvider = async (
  protocol: Protocol,
  { models = ['fake-model'], key = 'fake-key' }: { models?: string[]; key?: string } = {},
): Promise<FakeProvider> => {
  const queue: Answer[] = [];
  const requests: FakeProvider['requests'] = [];
  const refusals: Refusal[] = [];
  const seals = new Map<string, string>();
  const server = http.createServer((request, response) => {
    void read(request).then((taken) => {
      const { path, headers, body } = taken;
      const kind = protocols[protocol].endpoint(request.method ?? 'GET', path);
      if (kind === 'models') return send(response, protocols[protocol].writeModels(models));
      if (kind === null || kind === 'other')
        return send(
          response,
          writeRefusal(protocol, { status: 404, type: 'not_found_error', message: `no such path: ${path}` }),
        );
      requests.push(taken);
      const refusal = REFUSE[protocol]({ body, path, headers, models, key, seals });
      if (refusal !== null) {
        refusals.push(refusal);
        return send(response, writeRefusal(protocol, refusal));
      }
      if (kind === 'count_tokens') return send(response, protocols[protocol].writeTokenCount(42));
      const stream = protocols[protocol].readRequest(body, path).stream;
      return give(
        response,
        protocol,
        queue.shift() ?? { status: 500, type: 'api_error', message: 'the queue is empty' },
        stream,
        seals,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    requests,
    refusals,
    answer: (...answers) => void queue.push(...answers),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};

const read = async (request: IncomingMessage): Promise<FakeProvider['requests'][number]> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = parseJson(text);
  return {
    path: request.url ?? '/',
    headers: request.headers as Record<string, string>,
    body: isObject(body) ? body : {},
    text,
  };
};

const writeRefusal = (protocol: Protocol, refusal: Refusal): HttpReply => {
  if (!protocol.startsWith('openai')) return protocols[protocol].writeError(refusal);
  const { message, type, param = null, code = null } = refusal;
  return {
    status: refusal.status,
    headers: [['content-type', 'application/json']],
    chunks: [Buffer.from(JSON.stringify({ error: { message, type, param, code } }))],
  };
};

const send = async (
  response: ServerResponse,
  reply: HttpReply,
  cut?: { after: number; clean?: boolean },
): Promise<void> => {
  response.writeHead(reply.status, reply.headers.flat());
  for (const chunk of reply.chunks.slice(0, cut?.after)) {
    response.write(chunk);
    // Each chunk on its own, as a model's would be.
    await new Promise(setImmediate);
  }
  if (cut === undefined || cut.clean === true) response.end();
  else response.destroy();
};

const give = (
  response: ServerResponse,
  protocol: Protocol,
  answer: Answer,
  stream: boolean,
  seals: Map<string, string>,
): Promise<void> => {
  if ('raw' in answer) return send(response, answer.raw);
  if ('status' in answer) {
    const reply = protocols[protocol].writeError(answer);
    return send(response, { ...reply, headers: [...reply.headers, ...Object.entries(answer.headers ?? {})] });
  }
  const plan = 'cut' in answer ? answer.cut : answer;
  for (const block of plan.blocks) {
    if (block.type === 'thinking' && block.signature !== undefined) seals.set(block.signature, block.text);
    if (block.type === 'tool_call' && block.signature !== undefined) seals.set(block.signature, block.name);
  }
  return send(response, protocols[protocol].writeReply(plan, stream), 'cut' in answer ? answer : undefined);
};
