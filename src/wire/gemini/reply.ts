import { isObject, type JsonObject } from '../../core/json.ts';
import { type Assembler, noUsage, tokens } from '../decode.ts';
import { Notes } from '../notes.ts';
import type { Block, Usage } from '../schema.ts';
import { readPart } from './parts.ts';
import { nameCalls } from './request.ts';

/** `candidatesTokenCount` leaves thoughts out, which are output too; `promptTokenCount` includes the cached tokens. */
const readUsage = (usage: Usage, from: unknown): void => {
  if (!isObject(from)) return;
  const [said, thought] = [tokens(from.candidatesTokenCount), tokens(from.thoughtsTokenCount)];
  usage.input = tokens(from.promptTokenCount) ?? usage.input;
  usage.cacheRead = tokens(from.cachedContentTokenCount) ?? usage.cacheRead;
  if (said !== null || thought !== null) usage.output = (said ?? 0) + (thought ?? 0);
};

/**
 * Assembles a reply of `generateContent` or `streamGenerateContent` (https://ai.google.dev/api/generate-content): first
 * candidate only. A stream cuts a text into parts; neighbours of a kind are one block.
 */
export const createAssembler = (): Assembler => {
  const usage = noUsage();
  const blocks: Block[] = [];
  let stop: string | null = null;
  let model: string | null = null;

  const add = (chunk: JsonObject): void => {
    if (typeof chunk.modelVersion === 'string') model = chunk.modelVersion;
    readUsage(usage, chunk.usageMetadata);
    // A prompt that is refused gets no candidate.
    if (isObject(chunk.promptFeedback) && typeof chunk.promptFeedback.blockReason === 'string')
      stop = chunk.promptFeedback.blockReason;
    const candidates = Array.isArray(chunk.candidates) ? chunk.candidates.filter(isObject) : [];
    const candidate = candidates.find(({ index }) => (index ?? 0) === 0);
    if (typeof candidate?.finishReason === 'string') stop = candidate.finishReason;
    const parts = isObject(candidate?.content) ? candidate.content.parts : undefined;
    const notes = new Notes();
    for (const { item, at } of notes.objects(parts, 'parts')) addBlock(blocks, readPart(item, at, notes));
  };

  return {
    add,
    done: () => undefined,
    whole: add,
    finish: () => ({
      blocks: nameCalls(blocks),
      stop,
      usage,
      model,
      missing: stop === null ? 'missing_finish_reason' : null,
    }),
  };
};

const addBlock = (blocks: Block[], block: Block): void => {
  const last = blocks.at(-1);
  const isText = block.type === 'text' || block.type === 'thinking';
  if (isText && last?.type === block.type) {
    last.text += block.text;
    if (block.signature !== undefined) last.signature = block.signature;
  } else if (!isText || block.text !== '' || block.signature !== undefined) blocks.push(block);
};
