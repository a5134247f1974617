import type { JsonObject } from '../../../src/core/json.ts';
import { checkOpenaiHead, checkSchema } from './openai-chat.ts';
import { type Asked, first, objects, type Refusal, type Refuse } from './refusal.ts';

const invalid = (message: string, param: string | null = 'input', code: string | null = null): Refusal => ({
  status: 400,
  type: 'invalid_request_error',
  message,
  param,
  code,
});

/** Refuses what the Responses API refuses. */
export const refuseOpenaiResponses: Refuse = (asked) =>
  first(
    () => checkOpenaiHead(asked),
    () => checkTools(asked.body),
    () => checkPairs(objects(asked.body.input)),
    () => checkReasoning(asked),
  );

const checkTools = (body: JsonObject): Refusal | null => {
  for (const [i, tool] of objects(body.tools).entries()) {
    if (tool.type === undefined) return invalid(`Missing required parameter: 'tools[${i}].type'.`, `tools[${i}].type`);
    if (tool.type !== 'function') continue;
    const refusal = checkSchema(tool.name, tool.parameters, `tools[${i}].parameters`);
    if (refusal !== null) return refusal;
  }
  return null;
};

const idsOf = (items: readonly JsonObject[], ending: RegExp): unknown[] =>
  items.filter(({ type }) => ending.test(String(type))).map(({ call_id }) => call_id);

const checkPairs = (items: readonly JsonObject[]): Refusal | null => {
  const calls = idsOf(items, /^(function|custom_tool)_call$/);
  const outputs = idsOf(items, /_call_output$/);
  const stray = outputs.find((id) => !calls.includes(id));
  if (stray !== undefined) return invalid(`No tool call found for function call output with call_id ${stray}.`);
  const open = calls.find((id) => !outputs.includes(id));
  return open === undefined ? null : invalid(`No tool output found for function call ${open}.`);
};

const checkReasoning = ({ body, seals }: Asked): Refusal | null => {
  const items = objects(body.input);
  for (const [i, item] of items.entries()) {
    if (item.type !== 'reasoning') continue;
    const next = items[i + 1];
    if (next === undefined || next.role === 'user' || /output$/.test(String(next.type)))
      return invalid(`Item '${item.id}' of type 'reasoning' was provided without its required following item.`);
    if (typeof item.encrypted_content === 'string' && !seals.has(item.encrypted_content))
      return invalid(
        `The encrypted content for item ${item.id} could not be verified.`,
        null,
        'invalid_encrypted_content',
      );
  }
  return null;
};
