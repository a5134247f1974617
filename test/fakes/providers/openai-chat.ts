import { isObject, type JsonObject, parseJson } from '../../../src/core/json.ts';
import { type Asked, first, objects, type Refusal, type Refuse } from './refusal.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

const invalid = (message: string, param: string, code: string | null = null): Refusal => ({
  status: 400,
  type: 'invalid_request_error',
  message,
  param,
  code,
});

/** Refuses what chat completions refuse. */
export const refuseOpenaiChat: Refuse = (asked) =>
  first(
    () => checkOpenaiHead(asked),
    () => checkTools(asked.body),
    () => checkMessages(objects(asked.body.messages)),
    () => checkPairs(objects(asked.body.messages)),
  );

/** Key and model, the same for chat completions and Responses. */
export const checkOpenaiHead = ({ headers, body, key, models }: Asked): Refusal | null => {
  const given = headers.authorization?.replace(/^Bearer /, '');
  const denied = { status: 401, type: 'invalid_request_error', param: null };
  if (given === undefined) return { ...denied, message: "You didn't provide an API key.", code: null };
  if (given !== key) return { ...denied, message: 'Incorrect API key provided.', code: 'invalid_api_key' };
  if (models.includes(String(body.model))) return null;
  const message = `The model \`${body.model}\` does not exist or you do not have access to it.`;
  return { status: 404, type: 'invalid_request_error', message, param: null, code: 'model_not_found' };
};

/** A function's parameters have to be a JSON Schema of an object with properties. */
export const checkSchema = (name: unknown, schema: unknown, param: string): Refusal | null => {
  if (schema === undefined) return null;
  const wrong = (why: string): Refusal =>
    invalid(`Invalid schema for function '${name}': ${why}`, param, 'invalid_function_parameters');
  if (!isObject(schema) || schema.type !== 'object')
    return wrong(
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${isObject(schema) ? (schema.type ?? 'None') : 'None'}"'.`,
    );
  return isObject(schema.properties) ? null : wrong('In context=(), object schema missing properties.');
};

const checkTools = (body: JsonObject): Refusal | null => {
  for (const [i, tool] of objects(body.tools).entries()) {
    if (!isObject(tool.function))
      return invalid(`Missing required parameter: 'tools[${i}].function'.`, `tools[${i}].function`);
    const refusal = checkSchema(tool.function.name, tool.function.parameters, `tools[${i}].function.parameters`);
    if (refusal !== null) return refusal;
  }
  return null;
};

const checkMessages = (messages: readonly JsonObject[]): Refusal | null => {
  if (messages.length === 0) return invalid("Invalid 'messages': empty array.", 'messages', 'empty_array');
  for (const [i, message] of messages.entries()) {
    const param = `messages[${i}].content`;
    if (!ROLES.includes(String(message.role)))
      return invalid(
        `Invalid value: '${message.role}'. Supported values are: ${ROLES.join(', ')}.`,
        `messages[${i}].role`,
        'invalid_value',
      );
    const calls = objects(message.tool_calls);
    if ((message.content === null || message.content === undefined) && calls.length === 0)
      return invalid("Invalid value for 'content': expected a string, got null.", param);
    if (message.role !== 'user' && objects(message.content).some(({ type }) => type === 'image_url'))
      return invalid(
        `Invalid '${param}'. Image URLs are only allowed for messages with role 'user', but this message with role '${message.role}' contains an image URL.`,
        param,
        'invalid_value',
      );
    if (
      calls.some(
        (call) =>
          !isObject(call.function) ||
          typeof call.function.arguments !== 'string' ||
          parseJson(call.function.arguments) === undefined,
      )
    )
      return invalid(
        `Invalid type for 'messages[${i}].tool_calls[0].function.arguments': expected a JSON string.`,
        param,
        'invalid_type',
      );
  }
  return null;
};

const checkPairs = (messages: readonly JsonObject[]): Refusal | null => {
  let open = new Set<unknown>();
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id))
        return invalid(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          `messages.[${i}].role`,
        );
      continue;
    }
    if (open.size > 0) return unanswered(open, i);
    open = new Set(objects(message.tool_calls).map(({ id }) => id));
  }
  return open.size > 0 ? unanswered(open, messages.length) : null;
};

const unanswered = (ids: ReadonlySet<unknown>, at: number): Refusal =>
  invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    `messages.[${at}].role`,
  );
