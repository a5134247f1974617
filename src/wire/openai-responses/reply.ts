import { isObject, type JsonObject } from '../../core/json.ts';
import { type Assembler, noUsage, tokens } from '../decode.ts';
import { Notes } from '../notes.ts';
import type { Block, Usage } from '../schema.ts';
import { readItem } from './items.ts';

/** An output item while its deltas arrive. */
interface OpenItem {
  item: JsonObject;
  done: boolean;
}

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

// Which list of an item a delta adds to, the index that names its place there, and the type of what is there.
const LIST_DELTAS: ReadonlyMap<string, readonly [list: string, index: string, type: string, field: string]> = new Map([
  ['response.output_text.delta', ['content', 'content_index', 'output_text', 'text']],
  ['response.refusal.delta', ['content', 'content_index', 'refusal', 'refusal']],
  ['response.reasoning_text.delta', ['content', 'content_index', 'reasoning_text', 'text']],
  ['response.reasoning_summary_text.delta', ['summary', 'summary_index', 'summary_text', 'text']],
]);
const FIELD_DELTAS: ReadonlyMap<string, string> = new Map([
  ['response.function_call_arguments.delta', 'arguments'],
  ['response.custom_tool_call_input.delta', 'input'],
]);
const LAST_EVENTS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);
const MOST_PARTS = 10_000;

/** Usage of the Responses API: `input_tokens` include the cached ones. */
const readUsage = (usage: Usage, from: unknown): void => {
  if (!isObject(from)) return;
  const details = isObject(from.input_tokens_details) ? from.input_tokens_details : {};
  usage.input = tokens(from.input_tokens) ?? usage.input;
  usage.output = tokens(from.output_tokens) ?? usage.output;
  usage.cacheRead = tokens(details.cached_tokens) ?? usage.cacheRead;
  usage.cacheWrite = tokens(details.cache_write_tokens) ?? usage.cacheWrite;
};

const addDelta = (open: OpenItem, event: JsonObject): void => {
  const type = string(event.type);
  const delta = string(event.delta);
  const field = FIELD_DELTAS.get(type);
  if (field !== undefined) open.item[field] = string(open.item[field]) + delta;
  const place = LIST_DELTAS.get(type);
  if (place === undefined) return;
  const [list, index, partType, textField] = place;
  const parts: unknown[] = Array.isArray(open.item[list]) ? [...open.item[list]] : [];
  const at = event[index] ?? 0;
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 0 || at > MOST_PARTS) return;
  const part = parts[at];
  const before = isObject(part) ? part : { type: partType };
  parts[at] = { ...before, [textField]: string(before[textField]) + delta };
  open.item[list] = parts;
};

/**
 * Assembles a response (https://platform.openai.com/docs/api-reference/responses-streaming). An item counts as its
 * `output_item.done` or the last event says; without them as its deltas add up.
 */
export const createAssembler = (): Assembler => {
  const items = new Map<number, OpenItem>();
  const usage = noUsage();
  let last: JsonObject | null = null;
  let model: string | null = null;
  let streamed = false;

  const readResponse = (response: JsonObject): void => {
    if (typeof response.model === 'string') model = response.model;
    readUsage(usage, response.usage);
  };
  const place = (given: unknown): OpenItem => {
    const index = typeof given === 'number' ? given : 0;
    const open = items.get(index) ?? { item: { type: 'message' }, done: false };
    items.set(index, open);
    return open;
  };

  return {
    add: (event) => {
      streamed = true;
      const type = string(event.type);
      if (isObject(event.response)) readResponse(event.response);
      if (LAST_EVENTS.has(type)) last = isObject(event.response) ? event.response : {};
      else if (type === 'response.output_item.added' && isObject(event.item))
        place(event.output_index).item = { ...event.item };
      else if (type === 'response.output_item.done' && isObject(event.item))
        Object.assign(place(event.output_index), { item: event.item, done: true });
      else if (FIELD_DELTAS.has(type) || LIST_DELTAS.has(type)) addDelta(place(event.output_index), event);
    },
    done: () => undefined,
    whole: (body) => {
      readResponse(body);
      last = body;
    },
    finish: (broken) => {
      const stop = last === null ? null : stopOf(last);
      const cut = broken || stop !== 'completed';
      return { blocks: readItems(items, last, cut), stop, usage, model, missing: missingOf(last, stop, streamed) };
    },
  };
};

const stopOf = (response: JsonObject): string | null => {
  const details = response.incomplete_details;
  if (isObject(details) && typeof details.reason === 'string') return details.reason;
  return typeof response.status === 'string' ? response.status : null;
};

const missingOf = (last: JsonObject | null, stop: string | null, streamed: boolean): string | null => {
  if (last === null) return 'missing_response_completed';
  if (!streamed && !Array.isArray(last.output)) return 'missing_output';
  return stop === 'in_progress' || stop === 'queued' || stop === 'cancelled' ? `response_${stop}` : null;
};

const readItems = (streamed: ReadonlyMap<number, OpenItem>, last: JsonObject | null, cut: boolean): Block[] => {
  const final = Array.isArray(last?.output) ? last.output.filter(isObject) : [];
  const notes = new Notes();
  if (streamed.size === 0) return final.flatMap((item) => readItem(item, 'output', notes, isCut(item, cut)));
  const ordered = [...streamed].sort(([a], [b]) => a - b);
  return ordered.flatMap(([index, { item, done }]) => {
    const whole = done ? item : final[index];
    return readItem(whole ?? item, 'output', notes, whole === undefined || isCut(whole, cut));
  });
};

// The token limit ends an item as `incomplete`; the others of a reply that was cut are whole.
const isCut = (item: JsonObject, cut: boolean): boolean => cut && item.status === 'incomplete';
