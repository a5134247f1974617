import { isObject, type JsonObject } from '../../core/json.ts';
import { readDataUrl } from '../base64.ts';
import type { Notes } from '../notes.ts';
import type { Block } from '../schema.ts';

/** The parts of a `content`: a string is one text block; null and absent are none. */
export const readContent = (content: unknown, at: string, notes: Notes): Block[] => {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (content === null || content === undefined) return [];
  return notes.objects(content, at).map(({ item, at: place }) => readPart(item, place, notes));
};

const readPart = (part: JsonObject, at: string, notes: Notes): Block => {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: notes.text(part.text, `${at}.text`) };
    case 'refusal':
      return { type: 'text', text: notes.text(part.refusal, `${at}.refusal`) };
    case 'image_url':
      return readImage(part, isObject(part.image_url) ? part.image_url.url : part.image_url);
    case 'thinking':
      // Mistral: a list of text parts.
      return { type: 'thinking', text: joinTexts(part.thinking) };
    default:
      return { type: 'unknown', raw: part };
  }
};

/** An image given as a `data:` URL; one by address has no size that could be told and is kept as sent. */
export const readImage = (part: JsonObject, url: unknown): Block => {
  const image = typeof url === 'string' ? readDataUrl(url) : null;
  return image === null ? { type: 'unknown', raw: part } : { type: 'image', ...image };
};

const joinTexts = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('')
      : '';
