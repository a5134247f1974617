import { anthropic } from './anthropic/protocol.ts';
import { gemini } from './gemini/protocol.ts';
import { openaiChat } from './openai-chat/protocol.ts';
import { openaiResponses } from './openai-responses/protocol.ts';
import type { DecodedReply, Protocol, WireProtocol } from './schema.ts';

/** All protocols by id. */
export const protocols: Readonly<Record<Protocol, WireProtocol>> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
};

/**
 * One reply of a provider from its bytes as they arrived, decompressed and cut anywhere. `contentType` may be empty: the
 * body tells. Never throws; what is wrong is the outcome and the reason.
 */
export const decodeReply = (
  protocol: Protocol,
  chunks: Iterable<Uint8Array>,
  options: { contentType: string; status?: number },
): DecodedReply => protocols[protocol].decodeReply(chunks, options);

/**
 * The protocol that a request belongs to, null when its path is of none. The list of models is at one path for all: there
 * `anthropic-version` and `x-goog-api-key` decide, and without either it is OpenAI's.
 */
export const protocolOf = (
  method: string,
  path: string,
  headers: readonly (readonly [name: string, value: string])[] = [],
): Protocol | null => {
  const claims = Object.values(protocols).filter((protocol) => protocol.endpoint(method, path) !== null);
  if (claims.length < 2) return claims[0]?.id ?? null;
  const has = (name: string): boolean => headers.some(([header]) => header.toLowerCase() === name);
  const likely: Protocol = has('anthropic-version')
    ? 'anthropic'
    : has('x-goog-api-key') || /\/v1(beta|alpha)\/models|[?&]key=/.test(path)
      ? 'gemini'
      : 'openai-chat';
  return claims.some(({ id }) => id === likely) ? likely : (claims[0]?.id ?? null);
};
