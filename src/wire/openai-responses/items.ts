import { isObject, type JsonObject } from '../../core/json.ts';
import { readArguments } from '../arguments.ts';
import type { Notes } from '../notes.ts';
import { readImage } from '../openai-chat/parts.ts';
import type { Block } from '../schema.ts';

const CALL = /^(\w+)_call$/;
const RESULT = /_call_output$/;

/** Whose an item is: the model's, a tool's, or that of the role it names. */
export const roleOfItem = (item: JsonObject): 'system' | 'user' | 'assistant' | 'tool' => {
  if (typeof item.type === 'string' && RESULT.test(item.type)) return 'tool';
  if (item.type !== undefined && item.type !== 'message') return 'assistant';
  if (item.role === 'assistant') return 'assistant';
  return item.role === 'system' || item.role === 'developer' ? 'system' : 'user';
};

/**
 * The blocks of one item of `input` or `output`. Calls that the client has to answer (functions, custom tools, local shell,
 * patches) become tool calls; a custom tool's input is its text. Calls that the provider answers itself are kept whole.
 * `cut`: the reply ended while this item may have been unfinished.
 */
export const readItem = (item: JsonObject, at: string, notes: Notes, cut = false): Block[] => {
  const { type } = item;
  if (type === 'message' || type === undefined) return readContent(item.content, `${at}.content`, notes);
  if (type === 'reasoning') return [readReasoning(item)];
  if (typeof type !== 'string') {
    notes.wrong(`${at}.type`, 'a string', type);
    return [{ type: 'unknown', raw: item }];
  }
  if (RESULT.test(type)) {
    const id = notes.text(item.call_id, `${at}.call_id`);
    return [{ type: 'tool_result', id, blocks: readContent(item.output, `${at}.output`, notes) }];
  }
  return [readCall(type, item, at, notes, cut) ?? { type: 'unknown', raw: item }];
};

const readCall = (type: string, item: JsonObject, at: string, notes: Notes, cut: boolean): Block | null => {
  const builtIn = CALL.exec(type)?.[1];
  if (builtIn === undefined || item.call_id === undefined) return null;
  const id = notes.text(item.call_id, `${at}.call_id`);
  if (type === 'function_call') {
    const read = readArguments(notes.optionalText(item.arguments, `${at}.arguments`), cut);
    if (read.rawInput !== undefined) notes.add('invalid_arguments', `${at}.arguments`, 'the arguments are no JSON');
    return { type: 'tool_call', id, name: notes.text(item.name, `${at}.name`), ...read };
  }
  if (type === 'custom_tool_call') {
    const input = notes.optionalText(item.input, `${at}.input`);
    const name = notes.text(item.name, `${at}.name`);
    return { type: 'tool_call', id, name, input, ...(cut && { incomplete: true as const }) };
  }
  return { type: 'tool_call', id, name: builtIn, input: item.action ?? item.operation ?? item.arguments ?? {} };
};

const textsOf = (parts: unknown): string[] =>
  Array.isArray(parts)
    ? parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))
    : [];

// The reasoning itself where a model shows it, else its summary.
const readReasoning = (item: JsonObject): Block => {
  const shown = textsOf(item.content);
  const text = (shown.length > 0 ? shown : textsOf(item.summary)).join('\n\n');
  const signature = item.encrypted_content;
  return { type: 'thinking', text, ...(typeof signature === 'string' && signature !== '' && { signature }) };
};

const readContent = (content: unknown, at: string, notes: Notes): Block[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return notes.objects(content, at).map(({ item, at: place }): Block => {
    if (item.type === 'input_image') return readImage(item, item.image_url);
    if (item.type === 'refusal') return { type: 'text', text: notes.text(item.refusal, `${place}.refusal`) };
    if (item.type === 'input_text' || item.type === 'output_text' || item.type === 'text')
      return { type: 'text', text: notes.text(item.text, `${place}.text`) };
    return { type: 'unknown', raw: item };
  });
};
