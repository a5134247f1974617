import { isObject, type JsonObject } from '../../../core/json.ts';
import { protocols } from '../../../wire/all.ts';
import type { Block, DecodedRequest, Protocol, ToolCall } from '../../../wire/schema.ts';
import { parseExactly } from './exact.ts';

/** The clients that are understood here, and the providers that can be spoken to. */
export type Near = Extract<Protocol, 'anthropic' | 'openai-chat'>;
export type Far = Extract<Protocol, 'anthropic' | 'openai-chat' | 'gemini'>;

/** An image with its bytes in base64, or its address. */
export interface Picture {
  type: 'picture';
  mediaType: string;
  source: string | URL;
}

/** A block as it is translated: images with what they show, results with their pieces. */
export type Piece =
  | Exclude<Block, { type: 'image' } | { type: 'tool_result' }>
  | Picture
  | { type: 'result'; id: string; pieces: Piece[]; isError: boolean };

/** A request, whole: what `readRequest` gives, and the images that it tells the size of only. */
export interface Conversation extends Omit<DecodedRequest, 'messages'> {
  messages: { role: DecodedRequest['messages'][number]['role']; pieces: Piece[] }[];
}

/** Reads a client's request body; null when it is no JSON object. */
export const readConversation = (near: Near, body: string): Conversation | null => {
  const value = parseExactly(body);
  if (!isObject(value)) return null;
  const request = protocols[near].readRequest(value, '');
  const rawMessages = Array.isArray(value.messages) ? value.messages.filter(isObject) : [];
  const pictures = rawMessages.flatMap(({ content }) => picturesOf(content)).values();
  const inputs = exactInputs(rawMessages);
  return {
    ...request,
    params: JSON.parse(JSON.stringify(request.params)) as Record<string, unknown>,
    messages: request.messages.map(({ role, blocks }) => ({ role, pieces: toPieces(blocks, pictures, inputs) })),
  };
};

/** The images of a content in the order in which `readRequest` meets them. */
const picturesOf = (content: unknown): Picture[] => {
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).flatMap((block) => {
    if (block.type === 'tool_result') return picturesOf(block.content);
    const picture = readPicture(block);
    return picture === null ? [] : [picture];
  });
};

const readPicture = (block: JsonObject): Picture | null => {
  if (block.type === 'image' && isObject(block.source) && typeof block.source.data === 'string') {
    const { media_type: mediaType, data: source } = block.source;
    return { type: 'picture', mediaType: typeof mediaType === 'string' ? mediaType : 'image/*', source };
  }
  const url = addressOf(block);
  if (url === null) return null;
  const data = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(url);
  if (data !== null) return { type: 'picture', mediaType: data[1] ?? '', source: data[2] ?? '' };
  return URL.canParse(url) ? { type: 'picture', mediaType: 'image/*', source: new URL(url) } : null;
};

const addressOf = (block: JsonObject): string | null => {
  const place = block.type === 'image' ? block.source : block.type === 'image_url' ? block.image_url : null;
  const url = isObject(place) ? place.url : place;
  return typeof url === 'string' ? url : null;
};

/** Arguments of chat calls, by id, with their numbers as they were written. */
const exactInputs = (messages: readonly JsonObject[]): Map<unknown, unknown> =>
  new Map(
    messages
      .flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []))
      .flatMap(({ id, function: fn }) =>
        isObject(fn) && typeof fn.arguments === 'string' ? [[id, parseExactly(fn.arguments)] as const] : [],
      ),
  );

const toPieces = (blocks: readonly Block[], pictures: Iterator<Picture>, inputs: Map<unknown, unknown>): Piece[] =>
  blocks.map((block): Piece => {
    switch (block.type) {
      case 'tool_result':
        return {
          type: 'result',
          id: block.id,
          pieces: toPieces(block.blocks, pictures, inputs),
          isError: block.isError === true,
        };
      case 'tool_call':
        return exactCall(block, inputs);
      case 'image':
        return pictures.next().value ?? { type: 'unknown', raw: block };
      case 'unknown':
        // An image by address: `readRequest` keeps it as it was sent.
        return isObject(block.raw) && readPicture(block.raw) !== null ? (pictures.next().value ?? block) : block;
      default:
        return block;
    }
  });

const exactCall = (call: ToolCall, inputs: Map<unknown, unknown>): ToolCall => {
  const input = inputs.get(call.id);
  return input === undefined || call.rawInput !== undefined ? call : { ...call, input };
};
