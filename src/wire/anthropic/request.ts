import { isObject, type JsonObject } from '../../core/json.ts';
import type { Notes } from '../notes.ts';
import { createMessageReader, readTool as readChatTool } from '../openai-chat/messages.ts';
import { readRequestWith } from '../request.ts';
import type { Block, DecodedRequest, ToolSchema, WireMessage } from '../schema.ts';
import { readContent } from './blocks.ts';

const isRole = (role: unknown): role is 'system' | 'user' | 'assistant' =>
  role === 'system' || role === 'user' || role === 'assistant';

/** What is no parameter: the conversation itself. */
const CONVERSATION = ['model', 'stream', 'system', 'messages', 'tools'];

/** Reads a request to `/v1/messages` or `count_tokens` (https://docs.anthropic.com/en/api/messages). */
export const readRequest = (body: unknown): DecodedRequest =>
  readRequestWith(body, CONVERSATION, (fields, notes) => ({
    system: readSystem(fields.system, notes),
    messages: readMessages(fields.messages, notes),
    tools: notes.objects(fields.tools, 'tools').map(({ item, at }) => readTool(item, at, notes)),
  }));

const readSystem = (system: unknown, notes: Notes): Block[] =>
  system === undefined ? [] : readContent(system, 'system', notes);

// Gateways and logs put messages and tools of chat completions into this API's fields: these are read as what they are.
const readMessages = (messages: unknown, notes: Notes): WireMessage[] => {
  const readChat = createMessageReader(notes);
  return notes.objects(messages, 'messages').map(({ item, at }) => {
    const { role, content } = item;
    const foreign = role === 'tool' || item.tool_calls !== undefined || (content === null && role === 'assistant');
    if (foreign) return readChat(item, at);
    if (!isRole(role)) notes.add('unknown_role', `${at}.role`, `no such role: ${JSON.stringify(role)}`);
    return { role: isRole(role) ? role : 'user', blocks: readContent(content, `${at}.content`, notes) };
  });
};

/** A tool as offered; what the provider runs itself has no `input_schema`. */
const readTool = (tool: JsonObject, at: string, notes: Notes): ToolSchema => {
  if (isObject(tool.function)) return readChatTool(tool, at, notes);
  return {
    name: notes.text(tool.name, `${at}.name`),
    description: notes.optionalText(tool.description, `${at}.description`),
    ...(isObject(tool.input_schema) ? { schema: tool.input_schema } : { schema: null, raw: tool }),
  };
};
