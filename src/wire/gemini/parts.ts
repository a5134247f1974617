import { isObject, type JsonObject } from '../../core/json.ts';
import { base64Size } from '../base64.ts';
import type { Notes } from '../notes.ts';
import type { Block } from '../schema.ts';

/** A field under its camel-case name, or under the snake-case one, which the API takes too. */
export const either = (object: JsonObject, name: string): unknown =>
  object[name] ?? object[name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)];

/** The tool that a part answers, when it gives no id to pair by. */
export const answeredName = (part: unknown): string | null => {
  const response = isObject(part) ? either(part, 'functionResponse') : undefined;
  return isObject(response) && typeof response.name === 'string' && (response.id ?? '') === '' ? response.name : null;
};

/** One part. Calls and responses without an id get `''`: whoever knows the conversation fills it in. */
export const readPart = (part: JsonObject, at: string, notes: Notes): Block => {
  const seal = either(part, 'thoughtSignature');
  const signed = typeof seal === 'string' && seal !== '' ? { signature: seal } : {};
  if (part.text !== undefined) {
    const text = notes.text(part.text, `${at}.text`);
    return { type: part.thought === true ? 'thinking' : 'text', text, ...signed };
  }
  const call = either(part, 'functionCall');
  if (isObject(call)) return { ...readCall(call, `${at}.functionCall`, notes), ...signed };
  const response = either(part, 'functionResponse');
  if (isObject(response)) return readResponse(response, `${at}.functionResponse`, notes);
  const data = either(part, 'inlineData');
  return isObject(data) ? readInlineData(part, data) : { type: 'unknown', raw: part };
};

const readCall = (call: JsonObject, at: string, notes: Notes): Block => ({
  type: 'tool_call',
  id: notes.optionalText(call.id ?? undefined, `${at}.id`),
  name: notes.text(call.name, `${at}.name`),
  input: call.args ?? {},
});

// The only text field of a response (`output`, `result`, `error`) is the result as the tool gave it; anything else is shown as JSON.
const readResponse = (response: JsonObject, at: string, notes: Notes): Block => {
  const body = response.response;
  const fields = isObject(body) ? Object.entries(body) : [];
  const [only] = fields.length === 1 ? fields : [];
  const said =
    typeof only?.[1] === 'string' && ['output', 'result', 'content', 'error'].includes(only[0]) ? only[1] : null;
  const text = said ?? (typeof body === 'string' ? body : JSON.stringify(body ?? {}));
  const parts = notes.objects(response.parts, `${at}.parts`).map(({ item, at: place }) => readPart(item, place, notes));
  return {
    type: 'tool_result',
    id: notes.optionalText(response.id ?? undefined, `${at}.id`),
    blocks: [{ type: 'text', text }, ...parts],
    ...(isObject(body) && body.error !== undefined && body.error !== null && { isError: true as const }),
  };
};

const readInlineData = (part: JsonObject, data: JsonObject): Block => {
  const mediaType = either(data, 'mimeType');
  if (typeof data.data !== 'string' || typeof mediaType !== 'string' || !mediaType.startsWith('image/'))
    return { type: 'unknown', raw: part };
  return { type: 'image', mediaType, bytes: base64Size(data.data) };
};
