import { decodeWith } from '../decode.ts';
import { pathOf } from '../path.ts';
import type { Endpoint, WireProtocol } from '../schema.ts';
import { createAssembler } from './reply.ts';
import { readRequest } from './request.ts';
import { writeError, writeModels, writeReply, writeTokenCount } from './write.ts';

const endpoint = (method: string, path: string): Endpoint | null => {
  const found = /(?:^|\/)(responses(?:\/.*)?)$/.exec(pathOf(path))?.[1];
  if (found === undefined) return null;
  if (method === 'POST' && found === 'responses') return 'generate';
  return method === 'POST' && found === 'responses/input_tokens' ? 'count_tokens' : 'other';
};

/** OpenAI Responses. */
export const openaiResponses: WireProtocol = {
  id: 'openai-responses',
  endpoint,
  modelInPath: () => null,
  readRequest,
  decodeReply: (chunks, options) => decodeWith(createAssembler, chunks, options),
  writeReply,
  writeError,
  writeTokenCount,
  writeModels,
};
