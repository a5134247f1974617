import { isObject, type JsonObject } from '../../core/json.ts';
import { readArguments } from '../arguments.ts';
import { createCallIds } from '../call-id.ts';
import { type Assembler, noUsage, tokens } from '../decode.ts';
import { Notes } from '../notes.ts';
import type { Block, ToolCall, Usage } from '../schema.ts';
import { readAnswer } from './messages.ts';
import { readContent } from './parts.ts';
import { Reasoning } from './reasoning.ts';

/** A tool call while its fragments arrive. */
interface OpenCall {
  index: unknown;
  id: string;
  name: string;
  text: string;
  custom: boolean;
}

const string = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Usage as chat completions count it: `prompt_tokens` include the cached ones. Per field the last figure stands; some
 * servers repeat a growing usage in every chunk.
 */
const readUsage = (usage: Usage, from: unknown): void => {
  if (!isObject(from)) return;
  const details = isObject(from.prompt_tokens_details) ? from.prompt_tokens_details : {};
  usage.input = tokens(from.prompt_tokens) ?? usage.input;
  usage.output = tokens(from.completion_tokens) ?? usage.output;
  usage.cacheRead = tokens(details.cached_tokens) ?? tokens(from.prompt_cache_hit_tokens) ?? usage.cacheRead;
  usage.cacheWrite = tokens(details.cache_write_tokens) ?? usage.cacheWrite;
};

/** Puts tool calls together from fragments: a new one starts with a new index, or with another id under an index in use. */
class CallCollector {
  readonly calls: OpenCall[] = [];

  add(fragment: JsonObject, place: number): void {
    const call = this.#find(fragment, place);
    const part = isObject(fragment.custom)
      ? fragment.custom
      : isObject(fragment.function)
        ? fragment.function
        : fragment;
    call.custom ||= isObject(fragment.custom);
    call.id ||= string(fragment.id);
    // A name comes whole; servers that repeat it in each fragment must not double it.
    call.name ||= string(part.name);
    const text = part.arguments ?? part.input;
    call.text += isObject(text) ? JSON.stringify(text) : string(text);
  }

  #find(fragment: JsonObject, place: number): OpenCall {
    const id = string(fragment.id);
    const index = fragment.index ?? (id === '' ? this.calls.at(-1)?.index : id) ?? place;
    const open = this.calls.findLast((call) => call.index === index);
    if (open !== undefined && (id === '' || open.id === '' || open.id === id)) return open;
    const call: OpenCall = { index, id: '', name: '', text: '', custom: false };
    this.calls.push(call);
    return call;
  }
}

/** Assembles a chat completion (https://platform.openai.com/docs/api-reference/chat-streaming): first choice only. */
export const createAssembler = (): Assembler => {
  const usage = noUsage();
  const reasoning = new Reasoning();
  const collector = new CallCollector();
  const parts: Block[] = [];
  let text = '';
  let stop: string | null = null;
  let model: string | null = null;
  let sentinel = false;
  let answer: Block[] | null | undefined;

  const readHead = (body: JsonObject): JsonObject | null => {
    if (typeof body.model === 'string') model = body.model;
    readUsage(usage, body.usage);
    const choices = Array.isArray(body.choices) ? body.choices.filter(isObject) : [];
    const choice = choices.find((candidate) => (candidate.index ?? 0) === 0) ?? null;
    if (typeof choice?.finish_reason === 'string') stop = choice.finish_reason;
    return choice;
  };
  const addDelta = (delta: JsonObject): void => {
    reasoning.add(delta);
    text += string(delta.content) + string(delta.refusal);
    for (const part of Array.isArray(delta.content) ? readContent(delta.content, 'content', new Notes()) : [])
      if (part.type === 'text') text += part.text;
      else if (part.type === 'thinking') reasoning.add({ reasoning: part.text });
      else parts.push(part);
    if (Array.isArray(delta.tool_calls))
      for (const [i, call] of delta.tool_calls.entries()) if (isObject(call)) collector.add(call, i);
    if (isObject(delta.function_call)) collector.add({ index: 'legacy', function: delta.function_call }, 0);
  };

  return {
    add: (chunk) => {
      const choice = readHead(chunk);
      if (isObject(choice?.delta)) addDelta(choice.delta);
      // A whole message in the place of a delta: some servers do so for replies they did not stream.
      else if (isObject(choice?.message)) addDelta(choice.message);
    },
    done: () => {
      sentinel = true;
    },
    whole: (body) => {
      const choice = readHead(body);
      answer = isObject(choice?.message) ? readAnswer(choice.message, 'message', new Notes()) : null;
    },
    finish: (broken) => {
      if (answer !== undefined) {
        const blocks = (answer ?? []).map((block) => markCut(block, stop === 'length'));
        return { blocks, stop, usage, model, missing: answer === null ? 'missing_content' : null };
      }
      const missing = stop === null ? 'missing_finish_reason' : sentinel ? null : 'missing_done';
      const cut = broken || stop === null || stop === 'length';
      const said: Block[] = text === '' ? [] : [{ type: 'text', text }];
      const blocks = [...reasoning.blocks(), ...said, ...parts, ...closeCalls(collector.calls, cut)];
      return { blocks, stop, usage, model, missing };
    },
  };
};

const markCut = (block: Block, cut: boolean): Block =>
  cut && block.type === 'tool_call' && block.rawInput !== undefined ? { ...block, incomplete: true } : block;

const closeCalls = (calls: readonly OpenCall[], cut: boolean): ToolCall[] => {
  const newId = createCallIds();
  return calls.map(({ id, name, text, custom }, i) => {
    // Calls come one after the other: only the last can have been cut while its arguments were still empty.
    const mayBeCut = cut && (text.trim() !== '' || i === calls.length - 1);
    const call: ToolCall = {
      type: 'tool_call',
      id,
      name,
      ...(custom ? { input: text } : readArguments(text, mayBeCut)),
    };
    return id === '' ? { ...call, id: newId(call) } : call;
  });
};
