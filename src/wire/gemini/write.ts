import type { Block, HttpReply, ReplyPlan } from '../schema.ts';
import { errorReply, jsonReply, pieces, type StopWords, streamReply } from '../write.ts';

const STOP: StopWords = { end: 'STOP', tool: 'STOP', length: 'MAX_TOKENS' };
const WORDS: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]);

type Part = Record<string, unknown>;

/** A reply as `generateContent` gives it, or as `streamGenerateContent?alt=sse` does. */
export const writeReply = (plan: ReplyPlan, stream: boolean): HttpReply => {
  if (!stream) return jsonReply(200, chunkOf(plan, plan.blocks.flatMap(wholeParts), true));
  const parts = plan.blocks.flatMap(streamParts);
  return streamReply([
    ...parts.map((part) => ({ data: chunkOf(plan, [part], false) })),
    { data: chunkOf(plan, [{ text: '' }], true) },
  ]);
};

/** An error body of Google's APIs: `type` when it is one of its words, else the word for the status. */
export const writeError = (error: { status: number; type: string; message: string }): HttpReply => {
  const word = /^[A-Z_]+$/.test(error.type) ? error.type : (WORDS.get(error.status) ?? 'UNKNOWN');
  return errorReply(error.status, { error: { code: error.status, message: error.message, status: word } });
};

export const writeTokenCount = (tokens: number): HttpReply => jsonReply(200, { totalTokens: tokens });

export const writeModels = (models: readonly string[]): HttpReply =>
  jsonReply(200, {
    models: models.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    })),
  });

const chunkOf = (plan: ReplyPlan, parts: readonly Part[], last: boolean): Record<string, unknown> => ({
  candidates: [{ content: { parts, role: 'model' }, ...(last && { finishReason: STOP[plan.stop] }), index: 0 }],
  usageMetadata: {
    promptTokenCount: plan.usage.input,
    candidatesTokenCount: last ? plan.usage.output : 1,
    totalTokenCount: plan.usage.input + (last ? plan.usage.output : 1),
  },
  modelVersion: plan.model,
  responseId: plan.id,
});

const sealOf = (block: { signature?: string }): Part =>
  block.signature === undefined ? {} : { thoughtSignature: block.signature };

const wholeParts = (block: Block): Part[] => {
  switch (block.type) {
    case 'text':
      return [{ text: block.text, ...sealOf(block) }];
    case 'thinking':
      return [{ text: block.text, thought: true, ...sealOf(block) }];
    case 'tool_call':
      return [{ functionCall: { id: block.id, name: block.name, args: block.input ?? {} }, ...sealOf(block) }];
    default:
      return [];
  }
};

// A call comes whole; a text in pieces, of which the last bears the seal.
const streamParts = (block: Block): Part[] => {
  if (block.type !== 'text' && block.type !== 'thinking') return wholeParts(block);
  const thought = block.type === 'thinking' ? { thought: true } : {};
  const texts = pieces(block.text);
  return (texts.length === 0 ? [''] : texts).map((text, i, all) => ({
    text,
    ...thought,
    ...(i === all.length - 1 && sealOf(block)),
  }));
};
