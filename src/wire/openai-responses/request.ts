import { isObject, type JsonObject } from '../../core/json.ts';
import type { Notes } from '../notes.ts';
import { splitSystem } from '../openai-chat/request.ts';
import { readRequestWith } from '../request.ts';
import type { DecodedRequest, ToolSchema, WireMessage } from '../schema.ts';
import { readItem, roleOfItem } from './items.ts';

const CONVERSATION = ['model', 'stream', 'instructions', 'input', 'tools'];

/** Reads a request to `/v1/responses` (https://platform.openai.com/docs/api-reference/responses/create). */
export const readRequest = (body: unknown): DecodedRequest =>
  readRequestWith(body, CONVERSATION, (fields, notes) => {
    const { system, messages } = splitSystem(readInput(fields.input, notes));
    const given = fields.instructions ?? '';
    const instructions = notes.text(given, 'instructions');
    return {
      system: [...(instructions === '' ? [] : [{ type: 'text' as const, text: instructions }]), ...system],
      messages,
      tools: notes.objects(fields.tools, 'tools').map(({ item, at }) => readTool(item, at, notes)),
    };
  });

// What the model produced between two things it was given is one turn: reasoning, text and calls are one message.
const readInput = (input: unknown, notes: Notes): WireMessage[] => {
  if (typeof input === 'string') return [{ role: 'user', blocks: [{ type: 'text', text: input }] }];
  const messages: WireMessage[] = [];
  for (const { item, at } of notes.objects(input, 'input')) {
    const role = roleOfItem(item);
    const blocks = readItem(item, at, notes);
    const last = messages.at(-1);
    if (role === 'assistant' && last?.role === 'assistant') last.blocks.push(...blocks);
    else messages.push({ role, blocks });
  }
  return messages;
};

const readTool = (tool: JsonObject, at: string, notes: Notes): ToolSchema => ({
  name: notes.text(tool.type === 'function' ? tool.name : (tool.name ?? tool.type), `${at}.name`),
  description: notes.optionalText(tool.description ?? undefined, `${at}.description`),
  ...(isObject(tool.parameters)
    ? { schema: tool.parameters }
    : { schema: null, ...(tool.type !== 'function' && { raw: tool }) }),
});
