import { isObject, type JsonObject } from '../../../core/json.ts';
import type { Problem } from '../../../core/problem.ts';
import type { Conversation, Far, Near } from './conversation.ts';
import { hasTopUnion, repairSchema } from './schema-repair.ts';

type Choice = { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string };

/** Settings of a call in the AI SDK's words, what its body has to be mended to, and what could not be said. */
export interface Settings {
  options: {
    maxOutputTokens?: number;
    temperature?: number;
    topP?: number;
    topK?: number;
    stopSequences?: string[];
    seed?: number;
    presencePenalty?: number;
    frequencyPenalty?: number;
    toolChoice?: Choice;
    providerOptions?: Record<
      string,
      Record<string, string | number | boolean | { [key: string]: string | number | boolean }>
    >;
  };
  tools: { type: 'function'; name: string; description: string; inputSchema: JsonObject }[];
  parallel: boolean | null;
  problems: Problem[];
}

const lost = (kind: string, message: string): Problem => ({ kind, severity: 'warning', message });

/** Parameters that say nothing to the model, or are put in anew on the far side. */
const SILENT = new Set(['metadata', 'user', 'stream_options', 'store', 'service_tier', 'n', 'prompt_cache_key']);
const EFFORTS: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 16_384],
  ['xhigh', 32_768],
]);

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

const stopsOf = (value: unknown): string[] | undefined => {
  const stops = (Array.isArray(value) ? value : [value]).filter((stop) => typeof stop === 'string');
  return stops.length > 0 ? stops : undefined;
};

const choiceOf = (choice: unknown): Choice | undefined => {
  const type = isObject(choice) ? choice.type : choice;
  if (type === 'auto' || type === 'none') return { type };
  if (type === 'any' || type === 'required') return { type: 'required' };
  const named =
    isObject(choice) && isObject(choice.function) ? choice.function.name : isObject(choice) ? choice.name : null;
  return typeof named === 'string' ? { type: 'tool', toolName: named } : undefined;
};

/** Thinking tokens asked for, null when it was not asked to think. */
const budgetOf = (params: JsonObject): number | null => {
  if (isObject(params.thinking) && params.thinking.type === 'enabled')
    return number(params.thinking.budget_tokens) ?? 8192;
  return EFFORTS.get(params.reasoning_effort) ?? null;
};

/** Reads a conversation's parameters and tools for a provider. */
export const toSettings = ({ params, tools }: Conversation, near: Near, far: Far): Settings => {
  const problems: Problem[] = [];
  const seen = new Set(SILENT);
  const take = (...names: string[]): unknown => {
    for (const name of names) seen.add(name);
    return names.map((name) => params[name]).find((value) => value !== undefined && value !== null);
  };
  const raw = {
    maxOutputTokens: number(take('max_completion_tokens', 'max_tokens')),
    temperature: number(take('temperature')),
    topP: number(take('top_p')),
    topK: far === 'openai-chat' ? undefined : number(take('top_k')),
    stopSequences: stopsOf(take('stop', 'stop_sequences')),
    seed: far === 'anthropic' ? undefined : number(take('seed')),
    presencePenalty: far === 'anthropic' ? undefined : number(take('presence_penalty')),
    frequencyPenalty: far === 'anthropic' ? undefined : number(take('frequency_penalty')),
    toolChoice: choiceOf(take('tool_choice')),
    providerOptions: thinkingOptions(far, budgetOf(params), take),
  };
  const parallel = take('parallel_tool_calls');
  for (const name of Object.keys(params).filter((param) => !seen.has(param)))
    problems.push(lost('parameter_not_forwarded', `\`${name}\` has no place in the provider's protocol`));
  const options = Object.fromEntries(Object.entries(raw).filter(([, value]) => value !== undefined));
  const choice = near === 'anthropic' && isObject(params.tool_choice) ? params.tool_choice : {};
  return {
    options,
    tools: toTools(tools, problems),
    parallel: choice.disable_parallel_tool_use === true ? false : typeof parallel === 'boolean' ? parallel : null,
    problems,
  };
};

const thinkingOptions = (
  far: Far,
  budget: number | null,
  take: (...names: string[]) => unknown,
): Settings['options']['providerOptions'] => {
  // Chat completions have no common word for it: it is left to be reported.
  if (far === 'openai-chat') return undefined;
  take('thinking', 'reasoning_effort');
  if (budget === null) return undefined;
  return far === 'anthropic'
    ? { anthropic: { thinking: { type: 'enabled', budgetTokens: budget } } }
    : { google: { thinkingConfig: { includeThoughts: true, thinkingBudget: budget } } };
};

const toTools = (tools: Conversation['tools'], problems: Problem[]): Settings['tools'] =>
  tools.flatMap(({ name, description, schema, raw }) => {
    // A custom tool or one without a schema of its own can still be called; what the provider runs itself cannot.
    if (schema === null && raw !== undefined) {
      problems.push(lost('tool_not_forwarded', `\`${name}\` is run by the provider it was meant for`));
      return [];
    }
    if (hasTopUnion(schema))
      problems.push(lost('schema_rewritten', `the union in the schema of \`${name}\` was loosened`));
    return [{ type: 'function' as const, name, description, inputSchema: repairSchema(schema) }];
  });
