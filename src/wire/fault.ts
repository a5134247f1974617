import { isObject, type JsonObject } from '../core/json.ts';
import { oneLine } from '../core/text.ts';
import type { ReplyError } from './schema.ts';

// What an error's own word stands for in HTTP: inside a stream that began with 200 it is all there is.
const STATUS_OF: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    // Anthropic
    invalid_request_error: 400,
    authentication_error: 401,
    billing_error: 402,
    permission_error: 403,
    not_found_error: 404,
    request_too_large: 413,
    rate_limit_error: 429,
    api_error: 500,
    timeout_error: 504,
    overloaded_error: 529,
    // OpenAI and those who speak like it
    invalid_prompt: 400,
    context_length_exceeded: 400,
    invalid_api_key: 401,
    model_not_found: 404,
    insufficient_quota: 429,
    rate_limit_exceeded: 429,
    requests: 429,
    tokens: 429,
    server_error: 500,
    internal_error: 500,
    server_is_overloaded: 503,
    slow_down: 503,
    // Google
    INVALID_ARGUMENT: 400,
    FAILED_PRECONDITION: 400,
    UNAUTHENTICATED: 401,
    PERMISSION_DENIED: 403,
    NOT_FOUND: 404,
    RESOURCE_EXHAUSTED: 429,
    INTERNAL: 500,
    UNAVAILABLE: 503,
    DEADLINE_EXCEEDED: 504,
  }),
);
/** 429s that waiting does not mend. */
const SPENT = new Set(['insufficient_quota', 'billing_hard_limit_reached', 'billing_error']);

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/**
 * The error object in a payload of any provider, null when there is none: `{error: {...}}`, `{error: "..."}`, a list of one
 * (Google), `{type: "error", ...}` (Responses), `{type: "response.failed", response: {error}}`.
 */
export const findFault = (payload: unknown): JsonObject | null => {
  if (Array.isArray(payload)) return payload.map(findFault).find((fault) => fault !== null) ?? null;
  if (!isObject(payload)) return null;
  const { error } = payload;
  if (isObject(error)) return error;
  if (typeof error === 'string') return { message: error, ...(text(payload.message) && { message: payload.message }) };
  if (payload.type === 'error') return { ...payload, type: payload.code ?? 'error' };
  if (payload.type === 'response.failed' || payload.status === 'failed')
    return isObject(payload.response)
      ? (findFault(payload.response) ?? { type: 'response.failed' })
      : { type: 'failed' };
  return null;
};

const statusFrom = (fault: JsonObject, http: number): number => {
  if (http >= 400) return http;
  for (const figure of [fault.code, fault.status, fault.status_code])
    if (typeof figure === 'number' && figure >= 400 && figure < 600) return figure;
  for (const word of [fault.code, fault.type, fault.status]) {
    const status = STATUS_OF.get(word);
    if (status !== undefined) return status;
  }
  return 500;
};

/** True when the same request may succeed later: 408, 409, 429 and 5xx, quota that is used up apart. */
const passing = (status: number, words: readonly (string | undefined)[]): boolean =>
  (status === 408 || status === 409 || status === 429 || status >= 500) &&
  !words.some((w) => w !== undefined && SPENT.has(w));

/**
 * A provider's error object as a `ReplyError`. `http` is the HTTP status (200 for an error inside a stream);
 * `delivered` says that content had gone out before.
 */
export const describeFault = (fault: JsonObject, http: number, delivered: boolean): ReplyError => {
  const status = statusFrom(fault, http);
  const code = text(fault.code);
  const type = text(fault.type) ?? text(fault.status) ?? code ?? `http_${status}`;
  return {
    type,
    ...(code !== undefined && code !== type && { code }),
    status,
    message: text(fault.message) ?? text(fault.detail) ?? JSON.stringify(fault).slice(0, 500),
    retryable: !delivered && passing(status, [type, code]),
  };
};

/**
 * An error whose body is no JSON: a gateway's HTML page or plain text, shortened to its title.
 * Such a body under a good status is the gateway's fault too (502).
 */
export const describePage = (body: string, http: number): ReplyError => {
  const status = http >= 300 ? http : 502;
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1] ?? body.replace(/<[^>]*>/g, ' ');
  return {
    type: `http_${status}`,
    status,
    message: oneLine(title, 200) || `HTTP ${status} without a body`,
    retryable: passing(status, []),
  };
};

const OVERFLOW =
  /prompt is too long|context[ _]length|context window|maximum context|exceed(s|ed)? (the )?context limit|input token count .* exceeds/i;

/** True when a request was refused since it no longer fits the model's context. */
export const isContextOverflow = (error: ReplyError): boolean =>
  error.status >= 400 &&
  error.status < 500 &&
  error.status !== 429 &&
  (error.code === 'context_length_exceeded' || OVERFLOW.test(error.message));
