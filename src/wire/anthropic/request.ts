import { isObject, type JsonObject } from '../../core/json.ts';
import type { Notes } from '../notes.ts';
import { readRequestWith } from '../request.ts';
import type { Block, DecodedRequest, ToolSchema, WireMessage } from '../schema.ts';
import { readContent } from './blocks.ts';

const ROLES = new Set(['system', 'user', 'assistant', 'tool']);
/** What is no parameter: the conversation itself. */
const CONVERSATION = ['model', 'stream', 'system', 'messages', 'tools'];

/** Reads a request to `/v1/messages` or `count_tokens` (https://docs.anthropic.com/en/api/messages). */
export const readRequest = (body: unknown): DecodedRequest =>
  readRequestWith(body, CONVERSATION, (fields, notes) => ({
    system: readSystem(fields.system, notes),
    messages: notes.objects(fields.messages, 'messages').map(({ item, at }) => readMessage(item, at, notes)),
    tools: notes.objects(fields.tools, 'tools').map(({ item, at }) => readTool(item, at, notes)),
  }));

const readSystem = (system: unknown, notes: Notes): Block[] =>
  system === undefined ? [] : readContent(system, 'system', notes);

const readMessage = (message: JsonObject, at: string, notes: Notes): WireMessage => {
  const role = typeof message.role === 'string' && ROLES.has(message.role) ? message.role : null;
  if (role === null) notes.add('unknown_role', `${at}.role`, `no such role: ${JSON.stringify(message.role)}`);
  return {
    role: (role ?? 'user') as WireMessage['role'],
    blocks: readContent(message.content, `${at}.content`, notes),
  };
};

/** A tool as offered; what the provider runs itself has no `input_schema`. */
const readTool = (tool: JsonObject, at: string, notes: Notes): ToolSchema => ({
  name: notes.text(tool.name, `${at}.name`),
  description: notes.optionalText(tool.description, `${at}.description`),
  ...(isObject(tool.input_schema) ? { schema: tool.input_schema } : { schema: null, raw: tool }),
});
