import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import type { CallRecord } from '../recording/schema.ts';
import { checkAtif } from './check-atif.ts';
import { History } from './history.ts';

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Text of a message or a result: a string, or parts. */
const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : list(content)
        .map((part) => (isObject(part) ? (string(part.text) ?? `[${string(part.type) ?? 'part'}]`) : ''))
        .join('\n');

/**
 * Calls of a trajectory in ATIF: every agent step is the reply to the steps before it; embedded trajectories are conversations of the
 * same session. What breaks the format's rules is reported and read as far as it can be.
 */
export function* fromAtif(
  document: unknown,
  options: { onProblem?: (problem: Problem) => void } = {},
): Generator<CallRecord> {
  const root = typeof document === 'string' ? parseJson(document) : document;
  for (const problem of checkAtif(root)) options.onProblem?.(problem);
  let next = 0;
  if (isObject(root))
    yield* trajectoryCalls(root, string(root.session_id) ?? string(root.trajectory_id), () => next++, 0);
}

const DEEPEST = 20;

function* trajectoryCalls(
  root: JsonObject,
  session: string | null,
  ids: () => number,
  depth: number,
): Generator<CallRecord> {
  const steps = list(root.steps).filter(isObject);
  const agent = isObject(root.agent) ? root.agent : {};
  const opening = steps.findIndex((step) => step.source !== 'system' || isObject(step.observation));
  const system = steps
    .slice(0, opening < 0 ? steps.length : opening)
    .map((step) => textOf(step.message))
    .join('\n');
  const history = new History(
    {
      session,
      model: string(agent.model_name),
      system: system === '' ? null : system,
      tools: list(agent.tool_definitions).map(toolOf),
    },
    ids,
  );
  for (const step of opening < 0 ? [] : steps.slice(opening)) {
    if (step.source === 'agent')
      yield history.reply(saidBy(step), { at: timeOf(step), model: string(step.model_name), usage: usageOf(step) });
    else if (textOf(step.message) !== '') history.say('user', [{ type: 'text', text: textOf(step.message) }]);
    const results = isObject(step.observation) ? list(step.observation.results).filter(isObject) : [];
    if (results.length > 0) history.say('user', results.map(resultOf));
  }
  if (depth < DEEPEST)
    for (const child of list(root.subagent_trajectories).filter(isObject))
      yield* trajectoryCalls(child, session, ids, depth + 1);
}

const toolOf = (tool: unknown): unknown =>
  isObject(tool) && isObject(tool.function)
    ? { name: tool.function.name, description: tool.function.description, input_schema: tool.function.parameters }
    : tool;

const saidBy = (step: JsonObject): unknown[] => {
  const reasoning = string(step.reasoning_content);
  const text = textOf(step.message);
  return [
    ...(reasoning === null ? [] : [{ type: 'thinking', thinking: reasoning }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...list(step.tool_calls)
      .filter(isObject)
      .map((call) => ({
        type: 'tool_use',
        id: call.tool_call_id,
        name: call.function_name,
        input: (isObject(call.extra) ? call.extra.raw_arguments : undefined) ?? call.arguments,
      })),
  ];
};

const resultOf = (result: JsonObject): unknown => {
  const extra = isObject(result.extra) ? result.extra : {};
  const id = string(result.source_call_id) ?? string(extra.tool_call_id);
  const text = textOf(result.content);
  if (id === null) return { type: 'text', text };
  return { type: 'tool_result', tool_use_id: id, content: text, ...(extra.is_error === true && { is_error: true }) };
};

const timeOf = (step: JsonObject): number => {
  const at = Date.parse(string(step.timestamp) ?? '');
  return Number.isNaN(at) ? 0 : at;
};

/** `prompt_tokens` holds cached ones; Anthropic's figure does not. */
const usageOf = (step: JsonObject): unknown => {
  const metrics = isObject(step.metrics) ? step.metrics : {};
  const { prompt_tokens: prompt, completion_tokens: completion, cached_tokens: cached } = metrics;
  const whole = typeof prompt === 'number' ? prompt - (typeof cached === 'number' ? cached : 0) : undefined;
  return { input_tokens: whole, output_tokens: completion, cache_read_input_tokens: cached };
};
