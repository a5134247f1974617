import type { HttpReply, ReplyPlan, ToolCall } from '../schema.ts';
import { argumentsText, errorReply, jsonReply, pieces, type StopWords, streamReply } from '../write.ts';

const STOP: StopWords = { end: 'stop', tool: 'tool_calls', length: 'length' };
/** Replies of scripts carry a fixed date: the same script gives the same bytes. */
const CREATED = 1_735_689_600;

/**
 * A reply as chat completions give it, streamed (with the usage chunk that `include_usage` asks for) or whole. The protocol
 * has one text and one reasoning a message: several blocks of a kind are joined; signatures are not carried.
 */
export const writeReply = (plan: ReplyPlan, stream: boolean): HttpReply =>
  stream ? writeStream(plan) : writeWhole(plan);

/** An error body of the OpenAI API. */
export const writeError = (error: { status: number; type: string; message: string }): HttpReply =>
  errorReply(error.status, { error: { message: error.message, type: error.type, param: null, code: null } });

/** There is no such endpoint; the figure is given in the words of the Responses API. */
export const writeTokenCount = (tokens: number): HttpReply =>
  jsonReply(200, { object: 'response.input_tokens', input_tokens: tokens });

export const writeModels = (models: readonly string[]): HttpReply =>
  jsonReply(200, {
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'octobench' })),
  });

const textOf = (plan: ReplyPlan, type: 'text' | 'thinking'): string =>
  plan.blocks.map((block) => (block.type === type ? block.text : '')).join('');

const callsOf = (plan: ReplyPlan): ToolCall[] => plan.blocks.filter((block) => block.type === 'tool_call');

const usageOf = ({ usage }: ReplyPlan): Record<string, unknown> => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
});

const writeWhole = (plan: ReplyPlan): HttpReply => {
  const [text, reasoning, calls] = [textOf(plan, 'text'), textOf(plan, 'thinking'), callsOf(plan)];
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: 'function',
        function: { name: call.name, arguments: argumentsText(call) },
      })),
    }),
  };
  return jsonReply(200, {
    id: plan.id,
    object: 'chat.completion',
    created: CREATED,
    model: plan.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: STOP[plan.stop] }],
    usage: usageOf(plan),
  });
};

const writeStream = (plan: ReplyPlan): HttpReply => {
  const head = { id: plan.id, object: 'chat.completion.chunk', created: CREATED, model: plan.model };
  const chunk = (delta: unknown, finish: string | null = null): { data: unknown } => ({
    data: { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null },
  });
  return streamReply([
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...pieces(textOf(plan, 'thinking')).map((text) => chunk({ reasoning_content: text })),
    ...pieces(textOf(plan, 'text')).map((text) => chunk({ content: text })),
    ...callsOf(plan).flatMap((call, index) => [
      chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...pieces(argumentsText(call)).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
    ]),
    chunk({}, STOP[plan.stop]),
    { data: { ...head, choices: [], usage: usageOf(plan) } },
    { data: '[DONE]' },
  ]);
};
