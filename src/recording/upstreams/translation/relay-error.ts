import { isContextOverflow } from '../../../wire/fault.ts';
import type { ReplyError } from '../../../wire/schema.ts';
import type { Near } from './conversation.ts';

const ANTHROPIC_WORDS: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

/** Headers by which a provider tells when to come again; they pass unchanged. */
export const RETRY_HEADERS: readonly string[] = ['retry-after', 'retry-after-ms', 'x-should-retry'];

/**
 * A provider's error in the words that a client of another protocol acts upon. Status and message stay; a context overflow is
 * worded so that the client sees it as one, since it compacts its history then.
 */
export const relayError = (error: ReplyError, near: Near): ReplyError => {
  if (near === 'openai-chat')
    return isContextOverflow(error)
      ? { ...error, type: 'invalid_request_error', code: 'context_length_exceeded' }
      : error;
  const type = ANTHROPIC_WORDS.get(error.status) ?? (error.status >= 500 ? 'api_error' : 'invalid_request_error');
  const overflow = isContextOverflow(error) && !error.message.startsWith('prompt is too long');
  return { ...error, type, message: overflow ? `prompt is too long: ${error.message}` : error.message };
};
