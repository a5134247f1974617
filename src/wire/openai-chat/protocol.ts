import { decodeWith } from '../decode.ts';
import { pathOf } from '../path.ts';
import type { Endpoint, WireProtocol } from '../schema.ts';
import { createAssembler } from './reply.ts';
import { readRequest } from './request.ts';
import { writeError, writeModels, writeReply, writeTokenCount } from './write.ts';

/** What a path is for. Base URLs differ in whether and where they have a `v1`. */
const endpoint = (method: string, path: string): Endpoint | null => {
  const found = /(?:^|\/)(chat\/completions|models(?:\/[^:]*)?)$/.exec(pathOf(path))?.[1];
  if (found === undefined) return null;
  if (method === 'POST' && found === 'chat/completions') return 'generate';
  return method === 'GET' && found === 'models' ? 'models' : 'other';
};

/** OpenAI chat completions, and the many servers that speak like it. */
export const openaiChat: WireProtocol = {
  id: 'openai-chat',
  endpoint,
  modelInPath: () => null,
  readRequest,
  decodeReply: (chunks, options) => decodeWith(createAssembler, chunks, options),
  writeReply,
  writeError,
  writeTokenCount,
  writeModels,
};
