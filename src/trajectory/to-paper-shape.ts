import type { Block, ToolSchema } from '../wire/schema.ts';
import type { Message, Segment, Thread, Trajectory } from './schema.ts';

/** A message of the paper's shape; `content` is always a string. */
export interface PaperMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  reasoning_content?: string;
  generation?: boolean;
  tool_calls?: { id: string; name: string; arguments: unknown }[];
  tool_name?: string | null;
  tool_call_id?: string;
  is_error?: true;
  /** The blocks in order, where joining them loses something. */
  blocks?: unknown[];
  model?: string;
  empty?: true;
  lossy_unicode?: true;
  invalid_tool_args?: string[];
}

/** The paper's `{meta, tools, messages}`: one conversation from its first message to one end. */
export interface PaperShape {
  meta: Record<string, unknown>;
  tools: unknown[];
  messages: PaperMessage[];
}

/** One way through a thread: the messages of a segment with what it continues by a fork, up to one end. */
interface Line {
  thread: Thread;
  segment: Segment;
  messages: Message[];
  abandoned: boolean;
}

const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/**
 * One entry a segment, the main thread's first, one more for every reply that was abandoned. `generation` marks the response of
 * a recorded call in the first entry that holds it.
 */
export const toPaperShape = (t: Trajectory): PaperShape[] => {
  const lines = t.threads.flatMap((thread) => thread.segments.map((segment) => lineOf(t, thread, segment)));
  const all = [...lines.filter((line) => line.messages.length > 0), ...lines.flatMap(abandonedOf)];
  const shown = new Set<number>();
  const index = new Map(all.flatMap((line, i) => (line.abandoned ? [] : [[line.segment.id, i] as const])));
  const several =
    new Set(t.threads.filter((thread) => thread.segments.length > 0).map((thread) => thread.role)).size > 1;
  return all.map((line) => paperOf(t, line, { shown, index, several }));
};

/** A fork starts with the messages that it shares with what it leaves. */
const lineOf = (t: Trajectory, thread: Thread, segment: Segment): Line => {
  const base =
    segment.from === undefined
      ? undefined
      : t.threads.flatMap((x) => x.segments.map((s) => [x, s] as const)).find(([, s]) => s.id === segment.continues);
  const before = base === undefined ? [] : lineOf(t, base[0], base[1]).messages;
  const own = base === undefined ? 0 : before.length - base[1].messages.length;
  return {
    thread,
    segment,
    messages: [...before.slice(0, own + (segment.from ?? 0)), ...segment.messages],
    abandoned: false,
  };
};

const isAside = (message: Message, i: number, messages: readonly Message[]): boolean =>
  message.abandoned === true && message.role === 'assistant' && messages[i + 1]?.role === 'assistant';

/** Replies that another one replaced end a line of their own. */
const abandonedOf = (line: Line): Line[] =>
  line.messages.flatMap((message, i, all) => {
    if (!isAside(message, i, all) || !line.segment.messages.includes(message)) return [];
    const before = all.slice(0, i).filter((m, k) => !isAside(m, k, all));
    return [{ ...line, messages: [...before, message], abandoned: true }];
  });

const paperOf = (
  t: Trajectory,
  line: Line,
  context: { shown: Set<number>; index: ReadonlyMap<string, number>; several: boolean },
): PaperShape => {
  const messages = line.abandoned ? line.messages : line.messages.filter((m, i, all) => !isAside(m, i, all));
  const calls = messages.filter((m) => m.role === 'assistant' && m.call !== null);
  const models = [...new Set(calls.flatMap((m) => m.model ?? []))];
  const names = new Map(
    messages.flatMap((m) => m.blocks.flatMap((b) => (b.type === 'tool_call' ? [[b.id, b.name] as const] : []))),
  );
  const system = textOf(line.segment.system);
  return {
    meta: metaOf(t, line, models, context),
    tools: (t.toolsets[calls.at(-1)?.toolset ?? line.segment.toolset ?? -1]?.tools ?? []).map(toolOf),
    messages: [
      ...(line.segment.system.length > 0
        ? [{ role: 'system' as const, content: system, ...blocksOf(line.segment.system, false) }]
        : []),
      ...messages.flatMap((m) => messagesOf(m, names, models.length > 1, context.shown)),
    ],
  };
};

const metaOf = (
  t: Trajectory,
  line: Line,
  models: readonly string[],
  context: { index: ReadonlyMap<string, number>; several: boolean },
): Record<string, unknown> => {
  const { thread, segment } = line;
  const limit = LIMITS.map((name) => segment.params[name]).find((value) => value !== undefined);
  const base = segment.continues === null ? undefined : context.index.get(segment.continues);
  const abandoned = new Set(line.messages.filter((m) => m.abandoned).map((m) => m.call));
  const failed = [
    ...(segment.failed ?? []),
    ...segment.messages.flatMap((m) => (m.attempts ?? []).filter((call) => !abandoned.has(call))),
  ];
  const segments = thread.segments.filter((s) => s.because !== 'rewind');
  return {
    session_id: t.labels.nameless === undefined ? t.session : null,
    biz_id: t.labels.biz_id ?? '',
    model: models.at(-1) ?? segment.model ?? null,
    ...(limit !== undefined && { max_tokens: limit }),
    ...(models.length > 1 && { models }),
    ...(t.labels.runs !== undefined && { run: t.run }),
    ...(context.several && { agent: thread.role === 'auxiliary' ? 'aux' : thread.role }),
    ...(thread.kind !== undefined && thread.kind !== 'side' && thread.kind !== 'title' && { kind: thread.kind }),
    ...(thread.parent !== null && { parent_tool_call_id: thread.parent.toolCall }),
    ...(segments.length > 1 && segment.because !== 'rewind' && { segment: segments.indexOf(segment) }),
    ...(base !== undefined && segment.from === undefined && { continues: base }),
    ...(base !== undefined && segment.from !== undefined && { branch_of: base }),
    ...(line.abandoned && { abandoned: true }),
    ...(failed.length > 0 && !line.abandoned && { failed_calls: failed.length }),
    ...toolChanges(t, line),
  };
};

/** Names of the tools at each turn from which they changed. */
const toolChanges = (t: Trajectory, line: Line): Record<string, unknown> => {
  const changes: { turn: number; tools: string[] }[] = [];
  let last: number | undefined;
  for (const { turn, toolset } of line.messages) {
    if (turn === null || toolset === undefined || toolset === last) continue;
    changes.push({ turn, tools: (t.toolsets[toolset]?.tools ?? []).map((tool) => tool.name) });
    last = toolset;
  }
  return changes.length > 1 ? { tools_by_turn: changes } : {};
};

const toolOf = (tool: ToolSchema): unknown =>
  tool.schema === null && tool.raw !== undefined
    ? tool.raw
    : { type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.schema } };

const oneLine = (block: Block): string | null => {
  if (block.type === 'text') return block.text;
  if (block.type === 'image') return `[image ${block.mediaType} ${block.bytes} bytes]`;
  return block.type === 'unknown' ? JSON.stringify(block.raw) : null;
};

const textOf = (blocks: readonly Block[]): string => blocks.flatMap((b) => oneLine(b) ?? []).join('\n');

const paperBlock = (block: Block): unknown => {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: block.text };
    case 'redacted_thinking':
      return { type: 'redacted_thinking' };
    case 'tool_call':
      return { type: 'tool_use', id: block.id };
    case 'image':
      return { type: 'image', media_type: block.mediaType, bytes: block.bytes };
    default:
      return block;
  }
};

/** Blocks of which two would fall together, or whose order would be lost. */
const blocksOf = (blocks: readonly Block[], always: boolean): { blocks?: unknown[] } => {
  const count = (...types: Block['type'][]): number => blocks.filter((b) => types.includes(b.type)).length;
  const joined = count('text', 'image', 'unknown') > 1 || count('thinking') > 1 || count('redacted_thinking') > 0;
  const firstCall = blocks.findIndex((b) => b.type === 'tool_call');
  const late = firstCall >= 0 && blocks.slice(firstCall).some((b) => b.type !== 'tool_call');
  return always && (joined || late) ? { blocks: blocks.map(paperBlock) } : {};
};

const messagesOf = (
  message: Message,
  names: ReadonlyMap<string, string>,
  showModel: boolean,
  shown: Set<number>,
): PaperMessage[] => {
  if (message.role === 'assistant') return [assistantOf(message, showModel, shown)];
  const lossy = message.lossy === true && { lossy_unicode: true as const };
  if (message.role === 'user')
    return [{ role: 'user', content: textOf(message.blocks), ...blocksOf(message.blocks, true), ...lossy }];
  return message.blocks.flatMap((block) =>
    block.type !== 'tool_result'
      ? []
      : [
          {
            role: 'tool' as const,
            tool_name: names.get(block.id) ?? null,
            tool_call_id: block.id,
            content: textOf(block.blocks),
            ...(block.isError === true && { is_error: true as const }),
            ...blocksOf(block.blocks, true),
            ...lossy,
          },
        ],
  );
};

const assistantOf = (message: Message, showModel: boolean, shown: Set<number>): PaperMessage => {
  const { blocks, call } = message;
  const calls = blocks.flatMap((b) => (b.type === 'tool_call' ? [b] : []));
  const invalid = calls.filter((b) => b.rawInput !== undefined).map((b) => b.id);
  const generation = call !== null && !shown.has(call);
  if (call !== null) shown.add(call);
  return {
    role: 'assistant',
    content: textOf(blocks),
    reasoning_content: blocks.flatMap((b) => (b.type === 'thinking' ? [b.text] : [])).join('\n'),
    generation,
    ...(calls.length > 0 && {
      tool_calls: calls.map((b) => ({ id: b.id, name: b.name, arguments: b.rawInput ?? b.input })),
    }),
    ...blocksOf(blocks, true),
    ...(showModel && message.model !== undefined && { model: message.model }),
    ...(blocks.length === 0 && call !== null && { empty: true as const }),
    ...(message.lossy === true && { lossy_unicode: true as const }),
    ...(invalid.length > 0 && { invalid_tool_args: invalid }),
  };
};
