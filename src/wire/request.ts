import { isObject, type JsonObject } from '../core/json.ts';
import { Notes } from './notes.ts';
import type { DecodedRequest } from './schema.ts';
import { wellFormed } from './well-formed.ts';

type Conversation = Pick<DecodedRequest, 'system' | 'messages' | 'tools'>;

/**
 * The frame of every `readRequest`: makes the body safe, reads model and stream, hands the rest to `read`, and keeps as
 * parameters what is not named in `conversation`. A body that is no object gives an empty request and a Problem.
 */
export const readRequestWith = (
  body: unknown,
  conversation: readonly string[],
  read: (fields: JsonObject, notes: Notes) => Conversation,
): DecodedRequest => {
  const clean = wellFormed(body);
  const notes = new Notes();
  notes.problems.push(...clean.problems);
  const fields = isObject(clean.value) ? clean.value : {};
  if (!isObject(clean.value)) notes.wrong('body', 'an object', body);
  if (fields.model !== undefined && typeof fields.model !== 'string') notes.wrong('model', 'a string', fields.model);
  return {
    model: typeof fields.model === 'string' ? fields.model : null,
    stream: fields.stream === true,
    ...read(fields, notes),
    params: Object.fromEntries(Object.entries(fields).filter(([name]) => !conversation.includes(name))),
    problems: notes.problems,
  };
};
