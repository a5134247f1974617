import { isObject, parseJson } from '../core/json.ts';
import type { ToolCall } from './schema.ts';

/**
 * The arguments of a tool call from their text. No text at all is `{}` (a tool without arguments).
 * `cut`: the reply ended while this call may have been unfinished, so what is not a whole object is marked incomplete.
 */
export const readArguments = (text: string, cut = false): Pick<ToolCall, 'input' | 'rawInput' | 'incomplete'> => {
  if (text.trim() === '' && !cut) return { input: {} };
  const value = parseJson(text);
  if (value === undefined || (cut && !isObject(value)))
    return { input: null, rawInput: text, ...(cut && { incomplete: true as const }) };
  return { input: value };
};
