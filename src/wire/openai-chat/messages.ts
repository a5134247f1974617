import { isObject, type JsonObject } from '../../core/json.ts';
import { readArguments } from '../arguments.ts';
import { createCallIds } from '../call-id.ts';
import type { Notes } from '../notes.ts';
import type { Block, ToolCall, ToolSchema, WireMessage } from '../schema.ts';
import { readContent } from './parts.ts';
import { Reasoning } from './reasoning.ts';

const ROLES: ReadonlyMap<unknown, WireMessage['role']> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** Reads the messages of a conversation one after the other. */
export const createMessageReader = (notes: Notes): ((message: JsonObject, at: string) => WireMessage) => {
  // Of the old function calls, which had no ids: the name of each and the id it was given here.
  const legacyIds = new Map<string, string>();
  return (message, at) => {
    const role = ROLES.get(message.role);
    if (role === undefined) notes.add('unknown_role', `${at}.role`, `no such role: ${JSON.stringify(message.role)}`);
    if (role === 'tool') return { role, blocks: [readResult(message, at, notes, legacyIds)] };
    if (role !== 'assistant')
      return { role: role ?? 'user', blocks: readContent(message.content, `${at}.content`, notes) };
    const blocks = readAnswer(message, at, notes);
    if (isObject(message.function_call))
      for (const block of blocks) if (block.type === 'tool_call') legacyIds.set(block.name, block.id);
    return { role, blocks };
  };
};

/** What an assistant message holds, in a history or in a reply: thinking, text, tool calls, in this order. */
export const readAnswer = (message: JsonObject, at: string, notes: Notes): Block[] => {
  const reasoning = new Reasoning();
  reasoning.add(message);
  const refusal = typeof message.refusal === 'string' && message.refusal !== '' ? message.refusal : null;
  return [
    ...reasoning.blocks(),
    // An empty answer is how some write null.
    ...readContent(message.content === '' ? null : message.content, `${at}.content`, notes),
    ...(refusal === null ? [] : [{ type: 'text' as const, text: refusal }]),
    ...readCalls(message, at, notes),
  ];
};

const readCalls = (message: JsonObject, at: string, notes: Notes): ToolCall[] => {
  const newId = createCallIds();
  const calls =
    message.tool_calls === null
      ? []
      : notes
          .objects(message.tool_calls, `${at}.tool_calls`)
          .map(({ item, at: place }) => readCall(item, place, notes));
  const { function_call: legacy } = message;
  if (isObject(legacy)) calls.push({ ...readFunction(legacy, `${at}.function_call`, notes), id: '' });
  return calls.map((call) => (call.id === '' ? { ...call, id: newId(call) } : call));
};

const readCall = (call: JsonObject, at: string, notes: Notes): ToolCall => {
  const id = notes.optionalText(call.id, `${at}.id`);
  if (isObject(call.custom)) {
    const name = notes.text(call.custom.name, `${at}.custom.name`);
    return { type: 'tool_call', id, name, input: notes.text(call.custom.input, `${at}.custom.input`) };
  }
  if (!isObject(call.function)) notes.wrong(`${at}.function`, 'an object', call.function);
  return { ...readFunction(isObject(call.function) ? call.function : {}, `${at}.function`, notes), id };
};

const readFunction = (fn: JsonObject, at: string, notes: Notes): ToolCall => {
  const name = notes.text(fn.name, `${at}.name`);
  // Some servers send the arguments as an object already.
  if (isObject(fn.arguments)) return { type: 'tool_call', id: '', name, input: fn.arguments };
  const read = readArguments(notes.optionalText(fn.arguments, `${at}.arguments`));
  if (read.rawInput !== undefined) notes.add('invalid_arguments', `${at}.arguments`, 'the arguments are no JSON');
  return { type: 'tool_call', id: '', name, ...read };
};

const readResult = (message: JsonObject, at: string, notes: Notes, legacyIds: Map<string, string>): Block => {
  const legacy = typeof message.name === 'string' ? legacyIds.get(message.name) : undefined;
  const id = message.role === 'function' ? (legacy ?? '') : notes.text(message.tool_call_id, `${at}.tool_call_id`);
  return { type: 'tool_result', id, blocks: readContent(message.content, `${at}.content`, notes) };
};

/** A tool as chat completions offer it: `{type: "function", function}`, a custom tool, or the old bare function. */
export const readTool = (tool: JsonObject, at: string, notes: Notes): ToolSchema => {
  const described = isObject(tool.function) ? tool.function : isObject(tool.custom) ? tool.custom : tool;
  const known = described !== tool || tool.type === undefined || tool.type === 'function';
  const name = known
    ? notes.text(described.name, `${at}.name`)
    : notes.optionalText(tool.name ?? tool.type, `${at}.name`);
  const schema = described.parameters;
  return {
    name,
    description: notes.optionalText(described.description ?? undefined, `${at}.description`),
    ...(isObject(schema) ? { schema } : { schema: null, ...((!known || tool.custom !== undefined) && { raw: tool }) }),
  };
};
