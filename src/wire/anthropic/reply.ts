import { isObject, type JsonObject } from '../../core/json.ts';
import { readArguments } from '../arguments.ts';
import { type Assembled, type Assembler, noUsage, tokens } from '../decode.ts';
import { Notes } from '../notes.ts';
import type { Block } from '../schema.ts';
import { readBlock, readContent } from './blocks.ts';

/** A content block while its deltas arrive. */
interface OpenBlock {
  /** The block as it started, with the texts that were added to it. */
  raw: JsonObject;
  /** Fragments of the tool's input; null while there was none. */
  json: string | null;
  closed: boolean;
}

const USAGE_FIELDS = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
] as const;

// The field of a block that a delta of this type adds to.
const TEXT_DELTAS: ReadonlyMap<string, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
]);

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Assembles an Anthropic message (https://docs.anthropic.com/en/api/messages-streaming). Usage figures are cumulative:
 * per field the last one that is a number stands, nothing is added up.
 */
export const createAssembler = (): Assembler => {
  const open = new Map<unknown, OpenBlock>();
  const usage = noUsage();
  let stop: string | null = null;
  let model: string | null = null;
  let ended = false;
  // The content of a reply that was not streamed; undefined while there is no such reply.
  let content: Block[] | null | undefined;

  const readUsage = (from: unknown): void => {
    if (!isObject(from)) return;
    for (const [field, name] of USAGE_FIELDS) usage[field] = tokens(from[name]) ?? usage[field];
  };
  const readMessage = (message: JsonObject): void => {
    if (typeof message.model === 'string') model = message.model;
    if (typeof message.stop_reason === 'string') stop = message.stop_reason;
    readUsage(message.usage);
  };
  const addDelta = (block: OpenBlock, delta: JsonObject): void => {
    const field = TEXT_DELTAS.get(string(delta.type));
    if (field !== undefined) block.raw[field] = string(block.raw[field]) + string(delta[field]);
    else if (delta.type === 'input_json_delta') block.json = (block.json ?? '') + string(delta.partial_json);
  };

  return {
    add: (event) => {
      const { type, index } = event;
      if (type === 'message_start' && isObject(event.message)) readMessage(event.message);
      else if (type === 'content_block_start' && isObject(event.content_block))
        open.set(index, { raw: { ...event.content_block }, json: null, closed: false });
      else if (type === 'content_block_delta' && isObject(event.delta)) {
        const block = open.get(index);
        if (block !== undefined) addDelta(block, event.delta);
      } else if (type === 'content_block_stop') {
        const block = open.get(index);
        if (block !== undefined) block.closed = true;
      } else if (type === 'message_delta') {
        if (isObject(event.delta)) readMessage(event.delta);
        readUsage(event.usage);
      } else if (type === 'message_stop') ended = true;
    },
    done: () => undefined,
    whole: (body) => {
      readMessage(body);
      // The notes are for requests: a block that is no object is left out here.
      content = Array.isArray(body.content) ? readContent(body.content, 'content', new Notes()) : null;
    },
    finish: (): Assembled => {
      if (content !== undefined)
        return { blocks: content ?? [], stop, usage, model, missing: content === null ? 'missing_content' : null };
      const blocks = [...open.values()].map((block, i, all) =>
        closeBlock(block, !block.closed || (stop === 'max_tokens' && i === all.length - 1)),
      );
      const missing = ended ? (stop === null ? 'missing_stop_reason' : null) : 'missing_message_stop';
      return { blocks, stop, usage, model, missing };
    },
  };
};

const closeBlock = ({ raw, json }: OpenBlock, cut: boolean): Block => {
  if (raw.type === 'tool_use') {
    const started = isObject(raw.input) && Object.keys(raw.input).length > 0;
    const input = json === null && started ? { input: raw.input } : readArguments(json ?? '', cut);
    return { type: 'tool_call', id: string(raw.id), name: string(raw.name), ...input };
  }
  if (json !== null) return { type: 'unknown', raw: { ...raw, ...readArguments(json, cut) } };
  return readBlock(raw, 'content', new Notes());
};
