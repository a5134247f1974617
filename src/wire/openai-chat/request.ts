import { readRequestWith } from '../request.ts';
import type { Block, DecodedRequest, WireMessage } from '../schema.ts';
import { createMessageReader, readTool } from './messages.ts';

const CONVERSATION = ['model', 'stream', 'messages', 'tools', 'functions'];

/** Reads a chat completion request (https://platform.openai.com/docs/api-reference/chat/create). */
export const readRequest = (body: unknown): DecodedRequest =>
  readRequestWith(body, CONVERSATION, (fields, notes) => {
    const read = createMessageReader(notes);
    const tools = [...notes.objects(fields.tools, 'tools'), ...notes.objects(fields.functions, 'functions')];
    return {
      ...splitSystem(notes.objects(fields.messages, 'messages').map(({ item, at }) => read(item, at))),
      tools: tools.map(({ item, at }) => readTool(item, at, notes)),
    };
  });

/** System and developer messages at the start are the system prompt; later ones stay where they are. */
export const splitSystem = (messages: WireMessage[]): { system: Block[]; messages: WireMessage[] } => {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const cut = first === -1 ? messages.length : first;
  return { system: messages.slice(0, cut).flatMap(({ blocks }) => blocks), messages: messages.slice(cut) };
};
