import type { Block, HttpReply, ReplyPlan } from '../schema.ts';
import { argumentsText, jsonReply, pieces, streamReply } from '../write.ts';

export { writeError, writeModels, writeTokenCount } from '../openai-chat/write.ts';

type Json = Record<string, unknown>;

/** Replies of scripts carry a fixed date: the same script gives the same bytes. */
const CREATED = 1_735_689_600;

/**
 * A reply as the Responses API gives it, streamed or whole. A tool call whose input is text is one of a custom tool;
 * thinking becomes a reasoning summary, its signature the encrypted content.
 */
export const writeReply = (plan: ReplyPlan, stream: boolean): HttpReply => {
  const items = plan.blocks.map((block, i) => writeItem(block, plan, i)).filter((item) => item !== null);
  const cut = plan.stop === 'length';
  const response = {
    ...envelope(plan),
    status: cut ? 'incomplete' : 'completed',
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    output: items.map(({ whole }) => whole),
    usage: usageOf(plan),
  };
  return stream ? streamReply(number(streamEvents(plan, items, response))) : jsonReply(200, response);
};

const envelope = (plan: ReplyPlan): Json => ({
  id: plan.id,
  object: 'response',
  created_at: CREATED,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  model: plan.model,
  output: [],
  usage: null,
});

const usageOf = ({ usage }: ReplyPlan): Json => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: usage.input + usage.output,
});

/** An output item: as it starts, what happens to it between start and end, and as it is when whole. */
interface Item {
  start: Json;
  events: Json[];
  whole: Json;
}

const writeItem = (block: Block, plan: ReplyPlan, index: number): Item | null => {
  const last = index === plan.blocks.length - 1;
  const status = plan.stop === 'length' && last ? 'incomplete' : 'completed';
  const id = `${plan.id}_${index}`;
  switch (block.type) {
    case 'text':
      return messageItem(`msg_${id}`, block.text, status);
    case 'thinking':
      return reasoningItem(`rs_${id}`, block.text, block.signature);
    case 'tool_call':
      return typeof block.input === 'string'
        ? callItem(
            { type: 'custom_tool_call', id: `ctc_${id}`, call_id: block.id, name: block.name },
            'input',
            block.input,
            status,
          )
        : callItem(
            { type: 'function_call', id: `fc_${id}`, call_id: block.id, name: block.name },
            'arguments',
            argumentsText(block),
            status,
          );
    default:
      return null;
  }
};

const messageItem = (id: string, text: string, status: string): Item => {
  const at = { item_id: id, content_index: 0 };
  const part = (said: string): Json => ({ type: 'output_text', text: said, annotations: [], logprobs: [] });
  const whole = { id, type: 'message', status, role: 'assistant', content: [part(text)] };
  return {
    start: { ...whole, status: 'in_progress', content: [] },
    events: [
      { type: 'response.content_part.added', ...at, part: part('') },
      ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part: part(text) },
    ],
    whole,
  };
};

const reasoningItem = (id: string, text: string, signature: string | undefined): Item => {
  const at = { item_id: id, summary_index: 0 };
  const part = (said: string): Json => ({ type: 'summary_text', text: said });
  const sealed = signature === undefined ? {} : { encrypted_content: signature };
  const whole = { id, type: 'reasoning', summary: text === '' ? [] : [part(text)], ...sealed };
  const told = [
    { type: 'response.reasoning_summary_part.added', ...at, part: part('') },
    ...pieces(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part: part(text) },
  ];
  return { start: { id, type: 'reasoning', summary: [] }, events: text === '' ? [] : told, whole };
};

const callItem = (
  call: Json & { type: string; id: string },
  field: 'arguments' | 'input',
  text: string,
  status: string,
): Item => {
  const event = field === 'input' ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
  return {
    start: { ...call, status: 'in_progress', [field]: '' },
    events: [
      ...pieces(text).map((delta) => ({ type: `${event}.delta`, item_id: call.id, delta })),
      { type: `${event}.done`, item_id: call.id, [field]: text },
    ],
    whole: { ...call, status, [field]: text },
  };
};

const streamEvents = (plan: ReplyPlan, items: readonly Item[], response: Json): Json[] => [
  { type: 'response.created', response: envelope(plan) },
  { type: 'response.in_progress', response: envelope(plan) },
  ...items.flatMap(({ start, events, whole }, output_index) => [
    { type: 'response.output_item.added', output_index, item: start },
    ...events.map((event) => ({ ...event, output_index })),
    { type: 'response.output_item.done', output_index, item: whole },
  ]),
  { type: `response.${response.status}`, response },
];

const number = (events: readonly Json[]): { event: string; data: Json }[] =>
  events.map((event, sequence_number) => ({ event: String(event.type), data: { ...event, sequence_number } }));
