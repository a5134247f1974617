import { isObject, type JsonObject } from '../../core/json.ts';
import { readArguments } from '../arguments.ts';
import { base64Size } from '../base64.ts';
import type { Notes } from '../notes.ts';
import type { Block } from '../schema.ts';

/** The blocks of a `content`: a string is one text block, an absent one is none. */
export const readContent = (content: unknown, at: string, notes: Notes): Block[] =>
  typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : notes.objects(content, at).map(({ item, at: place }) => readBlock(item, place, notes));

/** One content block of a message, in a request or in a reply. Types that are not known are kept whole. */
export const readBlock = (block: JsonObject, at: string, notes: Notes): Block => {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: notes.text(block.text, `${at}.text`) };
    case 'thinking': {
      const signature = notes.optionalText(block.signature, `${at}.signature`);
      const text = notes.text(block.thinking, `${at}.thinking`);
      return { type: 'thinking', text, ...(signature !== '' && { signature }) };
    }
    case 'redacted_thinking':
      return { type: 'redacted_thinking', data: notes.text(block.data, `${at}.data`) };
    case 'tool_use':
      return {
        type: 'tool_call',
        id: notes.text(block.id, `${at}.id`),
        name: notes.text(block.name, `${at}.name`),
        ...readInput(block.input, `${at}.input`, notes),
      };
    case 'tool_result':
      return {
        type: 'tool_result',
        id: notes.text(block.tool_use_id, `${at}.tool_use_id`),
        blocks: readContent(block.content, `${at}.content`, notes),
        ...(block.is_error === true && { isError: true as const }),
      };
    case 'image':
      return readImage(block);
    default:
      return { type: 'unknown', raw: block };
  }
};

// The API wants an object; a client that sends text has sent arguments it could not parse.
const readInput = (input: unknown, at: string, notes: Notes): { input: unknown; rawInput?: string } => {
  if (typeof input !== 'string') {
    if (!isObject(input)) notes.wrong(at, 'an object', input);
    return { input: input === undefined ? {} : input };
  }
  notes.add('invalid_arguments', at, 'the arguments of a tool call were sent as text');
  const read = readArguments(input);
  return { input: isObject(read.input) ? read.input : null, rawInput: input };
};

// An image by address has no size that could be told: it is kept as it was sent.
const readImage = (block: JsonObject): Block => {
  const { source } = block;
  if (!isObject(source) || typeof source.data !== 'string') return { type: 'unknown', raw: block };
  const mediaType = typeof source.media_type === 'string' ? source.media_type : 'application/octet-stream';
  return { type: 'image', mediaType, bytes: base64Size(source.data) };
};
