import { BenchError } from '../core/errors.ts';
import { suggestion } from '../core/nearest.ts';
import { decodeReply, protocols } from '../wire/all.ts';
import type { Protocol } from '../wire/schema.ts';
import { readBytes } from './store.ts';

const isProtocol = (name: string): name is Protocol => Object.hasOwn(protocols, name);

/**
 * Decodes a captured reply (the bytes of an HTTP body) into blocks, stop, usage and errors.
 * @throws BenchError('usage') when the file or the protocol is none
 */
export const decodeFile = async (file: string, protocol: string, status: number): Promise<unknown> => {
  if (!isProtocol(protocol)) {
    throw new BenchError(
      'usage',
      'decode',
      `unknown protocol "${protocol}"${suggestion(protocol, Object.keys(protocols))}`,
    );
  }
  const bytes = await readBytes(file);
  if (bytes === null) throw new BenchError('usage', 'decode', `there is no file ${file}`);
  const isJson = /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, 200)));
  return decodeReply(protocol, [bytes], { contentType: isJson ? 'application/json' : 'text/event-stream', status });
};
