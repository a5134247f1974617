import { isObject, type JsonObject } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';

/* The published rules of ATIF up to 1.7: fields and their types, numbering, references. No field but the published ones may stand. */

type Kind = 'string' | 'object' | 'list' | 'number' | 'count' | 'boolean' | 'content' | 'source' | 'date' | 'any';
type Shape = Readonly<Record<string, readonly [Kind, 'required' | 'optional']>>;

const shape = (required: Record<string, Kind>, optional: Record<string, Kind>): Shape => ({
  ...Object.fromEntries(Object.entries(required).map(([k, v]) => [k, [v, 'required'] as const])),
  ...Object.fromEntries(Object.entries(optional).map(([k, v]) => [k, [v, 'optional'] as const])),
});

const ROOT = shape(
  { schema_version: 'string', agent: 'object', steps: 'list' },
  {
    session_id: 'string',
    trajectory_id: 'string',
    notes: 'string',
    final_metrics: 'object',
    continued_trajectory_ref: 'string',
    subagent_trajectories: 'list',
    extra: 'object',
  },
);
const AGENT = shape(
  { name: 'string', version: 'string' },
  { model_name: 'string', tool_definitions: 'list', extra: 'object' },
);
const STEP = shape(
  { step_id: 'count', source: 'source', message: 'content' },
  {
    timestamp: 'date',
    model_name: 'string',
    reasoning_effort: 'any',
    reasoning_content: 'string',
    tool_calls: 'list',
    observation: 'object',
    metrics: 'object',
    is_copied_context: 'boolean',
    llm_call_count: 'count',
    extra: 'object',
  },
);
const CALL = shape({ tool_call_id: 'string', function_name: 'string', arguments: 'object' }, { extra: 'object' });
const OBSERVATION = shape({ results: 'list' }, {});
const RESULT = shape(
  {},
  { source_call_id: 'string', content: 'content', subagent_trajectory_ref: 'list', extra: 'object' },
);
const REF = shape({}, { trajectory_id: 'string', session_id: 'string', trajectory_path: 'string', extra: 'object' });
const METRICS = shape(
  {},
  {
    prompt_tokens: 'count',
    completion_tokens: 'count',
    cached_tokens: 'count',
    cost_usd: 'number',
    prompt_token_ids: 'list',
    completion_token_ids: 'list',
    logprobs: 'list',
    extra: 'object',
  },
);
const TOTALS = shape(
  {},
  {
    total_prompt_tokens: 'count',
    total_completion_tokens: 'count',
    total_cached_tokens: 'count',
    total_cost_usd: 'number',
    total_steps: 'count',
    extra: 'object',
  },
);
/** Only what an agent does has these. */
const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'];
const VERSION = /^ATIF-v1\.[0-7]$/;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

const FITS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (v) => typeof v === 'string',
  object: isObject,
  list: Array.isArray,
  number: (v) => typeof v === 'number' && Number.isFinite(v),
  count: (v) => Number.isInteger(v) && (v as number) >= 0,
  boolean: (v) => typeof v === 'boolean',
  content: (v) =>
    typeof v === 'string' || (Array.isArray(v) && v.every((part) => isObject(part) && typeof part.type === 'string')),
  source: (v) => v === 'system' || v === 'user' || v === 'agent',
  date: (v) => typeof v === 'string' && DATE.test(v) && !Number.isNaN(Date.parse(v)),
  any: () => true,
};

/** What in a document breaks the rules of ATIF; an empty list = it is valid. */
export const checkAtif = (document: unknown): Problem[] => {
  const checker = new Checker();
  checker.trajectory(document, '', false);
  return checker.problems;
};

class Checker {
  readonly problems: Problem[] = [];
  #refs: { id: string; at: string }[] = [];

  #wrong(field: string, message: string): void {
    this.problems.push({ kind: 'invalid_atif', severity: 'error', field, message });
  }

  /** Null is the same as absent. */
  #shape(value: unknown, shaped: Shape, at: string): JsonObject | null {
    if (!isObject(value)) {
      this.#wrong(at, 'must be an object');
      return null;
    }
    for (const [key, [kind, needed]] of Object.entries(shaped)) {
      const given = value[key] ?? undefined;
      if (given === undefined) {
        if (needed === 'required') this.#wrong(`${at}.${key}`, 'is missing');
      } else if (!FITS[kind](given)) this.#wrong(`${at}.${key}`, `must be of the kind ${kind}`);
    }
    for (const key of Object.keys(value))
      if (!Object.hasOwn(shaped, key)) this.#wrong(`${at}.${key}`, 'is no field of the format');
    return value;
  }

  trajectory(value: unknown, at: string, embedded: boolean): void {
    const root = this.#shape(value, ROOT, at);
    if (root === null) return;
    if (typeof root.schema_version === 'string' && !VERSION.test(root.schema_version))
      this.#wrong(`${at}.schema_version`, 'must be ATIF-v1.0 to ATIF-v1.7');
    if (embedded && typeof root.trajectory_id !== 'string')
      this.#wrong(`${at}.trajectory_id`, 'an embedded trajectory needs one');
    if (isObject(root.agent)) this.#shape(root.agent, AGENT, `${at}.agent`);
    if (isObject(root.final_metrics)) this.#shape(root.final_metrics, TOTALS, `${at}.final_metrics`);
    const steps = Array.isArray(root.steps) ? root.steps : [];
    if (steps.length === 0) this.#wrong(`${at}.steps`, 'must hold a step');
    const outer = this.#refs;
    this.#refs = [];
    for (const [i, step] of steps.entries()) this.#step(step, i, `${at}.steps[${i}]`);
    this.#embedded(root, at);
    this.#refs = outer;
  }

  #embedded(root: JsonObject, at: string): void {
    const refs = this.#refs;
    const children = Array.isArray(root.subagent_trajectories) ? root.subagent_trajectories : [];
    const ids = children.map((child) => (isObject(child) ? child.trajectory_id : undefined));
    for (const [i, child] of children.entries()) {
      if (ids.indexOf(ids[i]) !== i) this.#wrong(`${at}.subagent_trajectories[${i}].trajectory_id`, 'stands twice');
      this.trajectory(child, `${at}.subagent_trajectories[${i}]`, true);
    }
    for (const { id, at: place } of refs) if (!ids.includes(id)) this.#wrong(place, 'refers to no embedded trajectory');
  }

  #step(value: unknown, index: number, at: string): void {
    const step = this.#shape(value, STEP, at);
    if (step === null) return;
    if (step.step_id !== index + 1) this.#wrong(`${at}.step_id`, `must be ${index + 1}: steps are numbered from 1`);
    if (step.source !== 'agent')
      for (const key of AGENT_ONLY)
        if ((step[key] ?? undefined) !== undefined) this.#wrong(`${at}.${key}`, 'only an agent step has it');
    if (isObject(step.metrics)) this.#shape(step.metrics, METRICS, `${at}.metrics`);
    const calls = Array.isArray(step.tool_calls) ? step.tool_calls : [];
    for (const [i, call] of calls.entries()) this.#shape(call, CALL, `${at}.tool_calls[${i}]`);
    const ids = new Set(calls.map((call) => (isObject(call) ? call.tool_call_id : undefined)));
    if (!isObject(step.observation)) return;
    const observation = this.#shape(step.observation, OBSERVATION, `${at}.observation`);
    const results = Array.isArray(observation?.results) ? observation.results : [];
    for (const [i, result] of results.entries()) this.#result(result, ids, `${at}.observation.results[${i}]`);
  }

  #result(value: unknown, calls: ReadonlySet<unknown>, at: string): void {
    const result = this.#shape(value, RESULT, at);
    if (result === null) return;
    if (typeof result.source_call_id === 'string' && !calls.has(result.source_call_id))
      this.#wrong(`${at}.source_call_id`, 'refers to no call of its step');
    const refs = Array.isArray(result.subagent_trajectory_ref) ? result.subagent_trajectory_ref : [];
    for (const [i, ref] of refs.entries()) {
      const place = `${at}.subagent_trajectory_ref[${i}]`;
      const found = this.#shape(ref, REF, place);
      if (found === null) continue;
      if (typeof found.trajectory_id === 'string') this.#refs.push({ id: found.trajectory_id, at: place });
      else if (typeof found.trajectory_path !== 'string' && typeof found.session_id !== 'string')
        this.#wrong(place, 'must name a trajectory');
    }
  }
}
