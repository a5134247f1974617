import { sha256 } from '../core/ids.ts';
import { canonicalJson } from '../core/json.ts';
import type { ToolCall } from './schema.ts';

/**
 * Ids for tool calls of protocols that may leave them out. An id is made of the call's name and arguments, so a reply and
 * the history that repeats it agree; equal calls of one message get `.1`, `.2`.
 */
export const createCallIds = (): ((call: Pick<ToolCall, 'name' | 'input' | 'rawInput'>) => string) => {
  const seen = new Map<string, number>();
  return ({ name, input, rawInput }) => {
    const id = `call_${sha256(`${name}\n${rawInput ?? canonicalJson(input)}`).slice(0, 16)}`;
    const earlier = seen.get(id) ?? 0;
    seen.set(id, earlier + 1);
    return earlier === 0 ? id : `${id}.${earlier}`;
  };
};
