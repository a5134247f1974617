import { decodeWith } from '../decode.ts';
import { pathOf } from '../path.ts';
import type { Endpoint, WireProtocol } from '../schema.ts';
import { createAssembler } from './reply.ts';
import { readRequest } from './request.ts';
import { writeError, writeModels, writeReply, writeTokenCount } from './write.ts';

/** What a path is for. A base URL may put folders before `/v1`. */
const endpoint = (method: string, path: string): Endpoint | null => {
  const found = /(?:^|\/)v1\/(messages(?:\/.*)?|models(?:\/.*)?)$/.exec(pathOf(path))?.[1];
  if (found === undefined) return null;
  if (method === 'POST' && found === 'messages') return 'generate';
  if (method === 'POST' && found === 'messages/count_tokens') return 'count_tokens';
  return method === 'GET' && found === 'models' ? 'models' : 'other';
};

/** Anthropic Messages. */
export const anthropic: WireProtocol = {
  id: 'anthropic',
  endpoint,
  modelInPath: () => null,
  readRequest,
  decodeReply: (chunks, options) => decodeWith(createAssembler, chunks, options),
  writeReply,
  writeError,
  writeTokenCount,
  writeModels,
};
