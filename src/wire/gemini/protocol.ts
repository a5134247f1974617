import { decodeWith } from '../decode.ts';
import type { WireProtocol } from '../schema.ts';
import { endpoint, modelInPath } from './path.ts';
import { createAssembler } from './reply.ts';
import { readRequest } from './request.ts';
import { writeError, writeModels, writeReply, writeTokenCount } from './write.ts';

/** Gemini `generateContent`. */
export const gemini: WireProtocol = {
  id: 'gemini',
  endpoint,
  modelInPath,
  readRequest,
  decodeReply: (chunks, options) => decodeWith(createAssembler, chunks, options),
  writeReply,
  writeError,
  writeTokenCount,
  writeModels,
};
