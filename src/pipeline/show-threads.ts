import { BenchError } from '../core/errors.ts';
import { oneLine, printable } from '../core/text.ts';
import type { Message, Thread, Trajectory } from '../trajectory/schema.ts';
import type { Block } from '../wire/schema.ts';
import type { View } from './schema.ts';

interface Choice {
  thread?: string;
  turn?: number;
  raw?: boolean;
  view: View;
}

const turnsOf = (thread: Thread): number =>
  thread.segments.flatMap((s) => s.messages).filter((m) => m.turn !== null).length;

const title = (thread: Thread): string => {
  const kind = thread.kind === undefined ? '' : ` ${thread.kind}`;
  const from = thread.parent === null ? '' : `, started by ${thread.parent.toolCall} in ${thread.parent.thread}`;
  return `== ${thread.id}: ${thread.role}${kind}, ${turnsOf(thread)} turns${from}`;
};

const folded = (text: string, choice: Choice): string =>
  choice.raw === true ? printable(text) : oneLine(text, choice.view.width - 4);

const blockLine = (block: Block, choice: Choice): string => {
  switch (block.type) {
    case 'text':
      return printable(block.text);
    case 'thinking':
      return `(reasoning, not visible to the user) ${folded(block.text, choice)}`;
    case 'redacted_thinking':
      return '(redacted reasoning)';
    case 'tool_call':
      return `> ${block.name} ${folded(block.rawInput ?? JSON.stringify(block.input), choice)}  [${block.id}]`;
    case 'tool_result': {
      const text = block.blocks.map((b) => (b.type === 'text' ? b.text : `[${b.type}]`)).join('\n');
      return `< ${block.isError === true ? '(error) ' : ''}${folded(text, choice)}`;
    }
    case 'image':
      return `[image ${block.mediaType} ${block.bytes} bytes]`;
    default:
      return `[unknown block] ${folded(JSON.stringify(block.raw), choice)}`;
  }
};

const messageLines = (message: Message, choice: Choice): string[] => {
  const turn = message.turn === null ? '' : ` turn ${message.turn}`;
  const call = message.call === null ? '' : ` (call ${message.call})`;
  const mark = message.abandoned === true ? ' abandoned' : '';
  return [`-- ${message.role}${turn}${mark}${call}`, ...message.blocks.map((b) => blockLine(b, choice)), ''];
};

const threadLines = (thread: Thread, choice: Choice): string[] =>
  thread.segments.flatMap((segment) => [
    ...(segment.because === 'start' ? [] : [`-- ${segment.because} at turn ${segment.at}`, '']),
    ...segment.messages
      .filter((m) => choice.turn === undefined || m.turn === choice.turn)
      .flatMap((m) => messageLines(m, choice)),
  ]);

/** Threads, turns and calls of a trajectory for a terminal: auxiliary threads as one line each unless one is asked for by id. */
export const showThreads = (trajectory: Trajectory, choice: Choice): string => {
  const { threads } = trajectory;
  const asked = threads.filter((t) => t.id === choice.thread || (choice.thread === 'main' && t.role === 'main'));
  if (choice.thread !== undefined && asked.length === 0) {
    throw new BenchError(
      'usage',
      'show',
      `there is no thread ${choice.thread}; there are: ${threads.map((t) => t.id).join(', ')}`,
    );
  }
  const shown = choice.thread === undefined ? threads.filter((t) => t.role !== 'auxiliary') : asked;
  if (
    choice.turn !== undefined &&
    !shown.some((t) => t.segments.some((s) => s.messages.some((m) => m.turn === choice.turn)))
  ) {
    throw new BenchError('usage', 'show', `there is no turn ${choice.turn}`);
  }
  const hidden = choice.thread === undefined ? threads.filter((t) => t.role === 'auxiliary').map(title) : [];
  return [...shown.flatMap((t) => [title(t), '', ...threadLines(t, choice)]), ...hidden].join('\n');
};
