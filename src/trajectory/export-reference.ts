import type { Block, ToolSchema } from '../wire/schema.ts';
import type { Message, Segment, Thread, Trajectory } from './schema.ts';

/** A line of the reference toolkit's raw log. */
export interface ReferenceLine {
  session_id: string;
  biz_id: string;
  request_time: number;
  request_body: Record<string, unknown>;
  response_body: Record<string, unknown>;
}

/**
 * A trajectory as the reference toolkit would have logged its calls: one line a generated reply, in the order of their calls, each
 * with the whole history before it, in Anthropic's form. Reading it again gives the same turns. Grows with the square of the calls:
 * that is the format. Failed calls and the bytes of images are not in a trajectory, so they are not in it.
 */
export function* toReferenceLog(t: Trajectory): Generator<ReferenceLine> {
  const places = t.threads.flatMap((thread) =>
    thread.segments.flatMap((segment) =>
      segment.messages.flatMap((message, index) =>
        message.role === 'assistant' && message.call !== null ? [{ thread, segment, message, index }] : [],
      ),
    ),
  );
  places.sort((a, b) => (a.message.call ?? 0) - (b.message.call ?? 0));
  for (const { thread, segment, message, index } of places) {
    const history = [...before(t, thread, segment), ...segment.messages.slice(0, index)];
    yield {
      session_id: t.session,
      biz_id: t.labels.biz_id ?? '',
      request_time: message.at ?? message.call ?? 0,
      request_body: {
        messages: messagesOf(history),
        system: segment.system.map(blockOf),
        tools: (t.toolsets[message.toolset ?? -1]?.tools ?? []).map(toolOf),
        model: message.model ?? null,
        ...segment.params,
      },
      response_body: {
        content: message.blocks.map(blockOf),
        ...(message.stop != null && { stop_reason: message.stop }),
      },
    };
  }
}

/** What stands before a fork. */
const before = (t: Trajectory, thread: Thread, segment: Segment): Message[] => {
  if (segment.from === undefined) return [];
  const base = t.threads
    .flatMap((x) => x.segments.map((s) => [x, s] as const))
    .find(([, s]) => s.id === segment.continues);
  return base === undefined
    ? []
    : [...before(t, base[0] ?? thread, base[1]), ...base[1].messages.slice(0, segment.from)];
};

/** Messages as a client sends them: abandoned replies left out, what the user's side sent in a row in one message. */
const messagesOf = (history: readonly Message[]): { role: string; content: unknown[] }[] => {
  const messages: { role: string; content: unknown[] }[] = [];
  for (const [i, message] of history.entries()) {
    if (message.role === 'assistant') {
      const replaced = message.abandoned === true && history[i + 1]?.role === 'assistant';
      if (!replaced && message.blocks.length > 0)
        messages.push({ role: 'assistant', content: message.blocks.map(blockOf) });
      continue;
    }
    const last = messages.at(-1);
    if (last?.role === 'user') last.content.push(...message.blocks.map(blockOf));
    else messages.push({ role: 'user', content: message.blocks.map(blockOf) });
  }
  return messages;
};

const toolOf = (tool: ToolSchema): unknown =>
  tool.raw ?? { name: tool.name, description: tool.description, input_schema: tool.schema };

const blockOf = (block: Block): unknown => {
  switch (block.type) {
    case 'thinking':
      return {
        type: 'thinking',
        thinking: block.text,
        ...(block.signature !== undefined && { signature: block.signature }),
      };
    case 'tool_call':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.rawInput ?? block.input };
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: block.id,
        content: block.blocks.map(blockOf),
        ...(block.isError === true && { is_error: true }),
      };
    case 'image':
      return { type: 'text', text: `[image ${block.mediaType} ${block.bytes} bytes]` };
    case 'unknown':
      return block.raw;
    default:
      return block;
  }
};
