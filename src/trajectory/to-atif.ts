import type { Block, ToolResult, ToolSchema } from '../wire/schema.ts';
import { ATIF_VERSION, type AtifMetrics, type AtifResult, type AtifStep, type AtifTrajectory } from './atif.ts';
import type { Message, Segment, Thread, Trajectory } from './schema.ts';

/**
 * A trajectory as ATIF: the main thread's kept line as steps, subagents as embedded trajectories, referred to from the result of the
 * call that started them. Results stand with the step that asked for them; what no field of ATIF holds is in `extra`.
 * Auxiliary threads and abandoned replies are left out, and counted in `extra`.
 */
export const toAtif = (t: Trajectory): AtifTrajectory => {
  const main = t.threads.find((thread) => thread.role === 'main');
  const abandoned = t.threads.flatMap((x) => x.segments.flatMap((s) => s.messages.filter((m) => m.abandoned))).length;
  const whole = main === undefined ? emptyTrajectory(t) : threadToAtif(t, main);
  // Subagents whose call is not known are the main thread's.
  const orphans = t.threads.filter((thread) => thread.role === 'subagent' && thread.parent === null);
  const subagents = [...(whole.subagent_trajectories ?? []), ...orphans.map((thread) => threadToAtif(t, thread))];
  return {
    ...whole,
    ...(subagents.length > 0 && { subagent_trajectories: subagents }),
    extra: {
      ...whole.extra,
      run: t.run,
      labels: t.labels,
      auxiliary_threads: t.threads.filter((thread) => thread.role === 'auxiliary').length,
      abandoned_messages: abandoned,
    },
  };
};

const idOf = (t: Trajectory, thread: Thread): string => `${t.session}/${t.run}/${thread.id}`;

const emptyTrajectory = (t: Trajectory): AtifTrajectory => ({
  schema_version: ATIF_VERSION,
  session_id: t.session,
  agent: { name: t.dialect?.id ?? 'unknown', version: 'unknown' },
  steps: [{ step_id: 1, source: 'system', message: '' }],
});

const threadToAtif = (t: Trajectory, thread: Thread): AtifTrajectory => {
  const writer = new Writer(t, thread);
  const steps = writer.steps();
  const children = t.threads.filter((x) => x.role === 'subagent' && x.parent?.thread === thread.id);
  const tools = t.toolsets[writer.toolset ?? -1]?.tools ?? [];
  return {
    schema_version: ATIF_VERSION,
    session_id: t.session,
    trajectory_id: idOf(t, thread),
    agent: {
      name: t.dialect?.id ?? 'unknown',
      version: t.labels.scaffold_version ?? 'unknown',
      ...(writer.model !== undefined && { model_name: writer.model }),
      ...(tools.length > 0 && { tool_definitions: tools.map(toolOf) }),
    },
    steps: steps.length > 0 ? steps : [{ step_id: 1, source: 'system', message: '' }],
    final_metrics: totals(steps),
    ...(children.length > 0 && { subagent_trajectories: children.map((child) => threadToAtif(t, child)) }),
    ...(thread.parent !== null && { extra: { parent_tool_call_id: thread.parent.toolCall } }),
  };
};

const toolOf = (tool: ToolSchema): unknown =>
  tool.raw ?? {
    type: 'function',
    function: { name: tool.name, description: tool.description, parameters: tool.schema },
  };

class Writer {
  model: string | undefined;
  toolset: number | undefined;
  readonly #t: Trajectory;
  readonly #thread: Thread;
  #steps: AtifStep[] = [];
  /** The step that made a call, by the call's id. */
  #callers = new Map<string, AtifStep>();

  constructor(t: Trajectory, thread: Thread) {
    this.#t = t;
    this.#thread = thread;
  }

  steps(): AtifStep[] {
    for (const segment of this.#thread.segments) {
      const system = textOf(segment.system);
      if (system !== '')
        this.#add({
          source: 'system',
          message: system,
          ...(segment.because !== 'start' && { extra: { because: segment.because } }),
        });
      for (const message of segment.messages) if (message.abandoned !== true) this.#message(segment, message);
    }
    return this.#steps;
  }

  #add(step: Omit<AtifStep, 'step_id'>): AtifStep {
    const whole = { step_id: this.#steps.length + 1, ...step };
    this.#steps.push(whole);
    return whole;
  }

  #message(segment: Segment, message: Message): void {
    if (message.role === 'assistant') this.#turn(segment, message);
    else if (message.role === 'user')
      this.#add({
        source: 'user',
        message: textOf(message.blocks),
        ...(message.query !== null && { extra: { query: message.query } }),
      });
    else for (const block of message.blocks) if (block.type === 'tool_result') this.#result(block);
  }

  #turn(segment: Segment, message: Message): void {
    const calls = message.blocks.flatMap((b) => (b.type === 'tool_call' ? [b] : []));
    const reasoning = message.blocks.flatMap((b) => (b.type === 'thinking' ? [b.text] : [])).join('\n');
    const metrics = metricsOf(segment, message);
    this.model = message.model ?? this.model;
    this.toolset = message.toolset ?? this.toolset;
    const step = this.#add({
      ...(isEpoch(message.at) && { timestamp: new Date(message.at).toISOString() }),
      source: 'agent',
      message: textOf(message.blocks),
      ...(message.model !== undefined && { model_name: message.model }),
      ...(reasoning !== '' && { reasoning_content: reasoning }),
      ...(calls.length > 0 && {
        tool_calls: calls.map((b) => {
          const whole = isRecord(b.input);
          const args = whole ? (b.input as Record<string, unknown>) : {};
          const extra = whole && b.rawInput === undefined ? {} : { extra: { raw_arguments: b.rawInput ?? b.input } };
          return { tool_call_id: b.id, function_name: b.name, arguments: args, ...extra };
        }),
      }),
      ...(metrics !== null && { metrics }),
      extra: {
        turn: message.turn,
        call: message.call,
        ...(message.incomplete !== undefined && { incomplete: message.incomplete }),
      },
    });
    for (const call of calls) this.#callers.set(call.id, step);
  }

  /** A result whose call is not in the thread stands in a step of its own. */
  #result(block: ToolResult): void {
    const caller = this.#callers.get(block.id);
    const children = this.#t.threads.filter(
      (x) => x.role === 'subagent' && x.parent?.thread === this.#thread.id && x.parent.toolCall === block.id,
    );
    const extra = {
      ...(block.isError === true && { is_error: true }),
      ...(caller === undefined && { tool_call_id: block.id }),
    };
    const result: AtifResult = {
      ...(caller !== undefined && { source_call_id: block.id }),
      content: textOf(block.blocks),
      ...(children.length > 0 && {
        subagent_trajectory_ref: children.map((x) => ({ trajectory_id: idOf(this.#t, x) })),
      }),
      ...(Object.keys(extra).length > 0 && { extra }),
    };
    const step = caller ?? this.#add({ source: 'system', message: '' });
    step.observation = { results: [...(step.observation?.results ?? []), result] };
  }
}

const isRecord = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Times of imported logs are dates; those of our own count from the opening of the log. */
const isEpoch = (at: number | undefined): at is number => at !== undefined && at > 1e12 && at < 8e15;

const textOf = (blocks: readonly Block[]): string =>
  blocks
    .flatMap((b) =>
      b.type === 'text'
        ? [b.text]
        : b.type === 'image'
          ? [`[image ${b.mediaType} ${b.bytes} bytes]`]
          : b.type === 'unknown'
            ? [JSON.stringify(b.raw)]
            : [],
    )
    .join('\n');

/** `prompt_tokens` holds cached ones, which Anthropic counts apart. */
const metricsOf = (segment: Segment, message: Message): AtifMetrics | null => {
  const { usage } = message;
  if (usage === undefined || (usage.input === null && usage.output === null)) return null;
  const apart = segment.protocol === undefined || segment.protocol === 'anthropic';
  const prompt =
    usage.input === null ? null : usage.input + (apart ? (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) : 0);
  return {
    ...(prompt !== null && { prompt_tokens: prompt }),
    ...(usage.output !== null && { completion_tokens: usage.output }),
    ...(usage.cacheRead !== null && { cached_tokens: usage.cacheRead }),
  };
};

const totals = (steps: readonly AtifStep[]): NonNullable<AtifTrajectory['final_metrics']> => {
  const sum = (key: keyof AtifMetrics): number | null => {
    const values = steps.flatMap((step) => step.metrics?.[key] ?? []);
    return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
  };
  const [prompt, completion, cached] = [sum('prompt_tokens'), sum('completion_tokens'), sum('cached_tokens')];
  return {
    ...(prompt !== null && { total_prompt_tokens: prompt }),
    ...(completion !== null && { total_completion_tokens: completion }),
    ...(cached !== null && { total_cached_tokens: cached }),
    total_steps: steps.length,
  };
};
