import { isObject, type JsonObject, parseJson } from '../core/json.ts';

/*
 * The reference toolkit's logger writes Anthropic's form around whatever its client spoke: OpenAI's messages and tools stand where
 * Anthropic's should. These rewrite one into the other; what they do not know is left as it is.
 */

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const blocksOf = (content: unknown): unknown[] => {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return list(content).map((part) => (isObject(part) && part.type === 'image_url' ? imageOf(part) : part));
};

const imageOf = (part: JsonObject): unknown => {
  const url = isObject(part.image_url) ? part.image_url.url : part.image_url;
  const data = typeof url === 'string' ? /^data:([^;,]+);base64,(.*)$/s.exec(url) : null;
  return data === null ? part : { type: 'image', source: { type: 'base64', media_type: data[1], data: data[2] } };
};

const toolUse = (call: unknown): unknown => {
  if (!isObject(call) || !isObject(call.function)) return call;
  const { name, arguments: text } = call.function;
  const input = typeof text === 'string' ? (parseJson(text.trim() === '' ? '{}' : text) ?? text) : text;
  return { type: 'tool_use', id: call.id, name, input };
};

const assistant = (message: JsonObject): JsonObject => {
  const reasoning = [message.reasoning_content, message.reasoning].find((r) => typeof r === 'string' && r !== '');
  return {
    role: 'assistant',
    content: [
      ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning }]),
      ...blocksOf(message.content),
      ...list(message.tool_calls).map(toolUse),
    ],
  };
};

const toolResult = (message: JsonObject): JsonObject => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content ?? '' }],
});

const messageOf = (message: unknown): unknown => {
  if (!isObject(message)) return message;
  if (message.role === 'tool') return toolResult(message);
  if (message.role === 'assistant' && (Array.isArray(message.tool_calls) || message.content === null))
    return assistant(message);
  return message.role === 'developer' ? { ...message, role: 'system' } : message;
};

const toolOf = (tool: unknown): unknown =>
  isObject(tool) && isObject(tool.function)
    ? { name: tool.function.name, description: tool.function.description, input_schema: tool.function.parameters }
    : tool;

/** A request whose messages or tools may be OpenAI's, as Anthropic's. */
export const toAnthropicRequest = (body: JsonObject): JsonObject => ({
  ...body,
  ...(Array.isArray(body.messages) && { messages: body.messages.map(messageOf) }),
  ...(Array.isArray(body.tools) && { tools: body.tools.map(toolOf) }),
});

/** A reply that may be OpenAI's, as Anthropic's. */
export const toAnthropicReply = (reply: JsonObject): JsonObject => {
  const choice = list(reply.choices)[0];
  if (!isObject(choice) || !isObject(choice.message)) return reply;
  const usage = isObject(reply.usage) ? reply.usage : {};
  return {
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: assistant(choice.message).content,
    stop_reason: choice.finish_reason,
    usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens },
  };
};
