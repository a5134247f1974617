import { pathOf } from '../path.ts';
import type { Endpoint } from '../schema.ts';

const METHOD = /\/((?:models|tunedModels)\/[^/:]+):(\w+)$/;
const GENERATE = new Set(['generateContent', 'streamGenerateContent']);

/** What a path is for: `/v1beta/models/<model>:<method>`, also behind Vertex's folders. */
export const endpoint = (method: string, path: string): Endpoint | null => {
  const clean = pathOf(path);
  const verb = METHOD.exec(clean)?.[2];
  if (verb !== undefined) {
    if (method !== 'POST') return 'other';
    return GENERATE.has(verb) ? 'generate' : verb === 'countTokens' ? 'count_tokens' : 'other';
  }
  const list = /(?:^|\/)v1(?:beta|alpha)?\/models(\/[^/:]+)?$/.exec(clean);
  if (list === null) return null;
  return method === 'GET' && list[1] === undefined ? 'models' : 'other';
};

/** The model that a path names, without `models/`; null when it names none. */
export const modelInPath = (path: string): string | null => {
  const found = METHOD.exec(pathOf(path))?.[1]?.replace(/^models\//, '');
  if (found === undefined) return null;
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
};
