import type { Block } from '../wire/schema.ts';
import type { Message, Segment, Thread, Trajectory } from './schema.ts';

/** How much of a trajectory is written. */
export interface MarkdownOptions {
  /** Auxiliary threads too. */
  auxiliary?: boolean;
}

/**
 * A trajectory for people to read: a heading a turn, tool calls with their arguments, results folded, reasoning quoted. What an
 * agent wrote stands in fences that its own text cannot close.
 */
export const toMarkdown = (t: Trajectory, options: MarkdownOptions = {}): string => {
  const threads = t.threads.filter((thread) => options.auxiliary === true || thread.role !== 'auxiliary');
  const facts = [
    `run ${t.run}`,
    ...(t.dialect === null ? [] : [`dialect ${t.dialect.id} (${t.dialect.how})`]),
    ...(t.workspace === null ? [] : [`workspace \`${t.workspace}\``]),
    ...Object.entries(t.labels).map(([key, value]) => `${key} ${value}`),
  ];
  const problems = t.problems.filter((p) => p.severity !== 'info');
  return [
    `# ${line(t.session)}`,
    line(facts.join(', ')),
    ...threads.map(threadText),
    ...(problems.length > 0
      ? ['## Problems', problems.map((p) => `- ${line(`${p.kind}: ${p.message}`)}`).join('\n')]
      : []),
  ]
    .join('\n\n')
    .concat('\n');
};

const line = (text: string): string => text.toWellFormed().replace(/\s+/g, ' ');

const threadText = (thread: Thread): string => {
  const parent =
    thread.parent === null ? '' : `, started by call \`${thread.parent.toolCall}\` of ${thread.parent.thread}`;
  const kind = thread.kind === undefined ? '' : ` (${thread.kind})`;
  return [`## Thread ${thread.id}: ${thread.role}${kind}${parent}`, ...thread.segments.map(segmentText)].join('\n\n');
};

const segmentText = (segment: Segment): string => {
  const from = segment.continues === null ? '' : `*Continues ${segment.continues}: ${segment.because}.*`;
  const system = segment.system.map(plain).join('\n');
  return [from, system === '' ? '' : folded('System prompt', system), ...segment.messages.map(messageText)]
    .filter((part) => part !== '')
    .join('\n\n');
};

const messageText = (message: Message): string => {
  if (message.role === 'tool') return message.blocks.map(resultText).join('\n\n');
  if (message.role === 'user')
    return [
      `### User${message.query === null ? '' : ` (query ${message.query})`}`,
      ...message.blocks.map((b) => fenced(plain(b))),
    ].join('\n\n');
  const title =
    message.abandoned === true ? 'Abandoned reply' : message.turn === null ? 'Earlier reply' : `Turn ${message.turn}`;
  const cut = message.incomplete === undefined ? [] : [`*Not whole: ${line(message.incomplete)}.*`];
  return [
    `### ${title}`,
    ...cut,
    ...message.blocks.map(saidText),
    ...(message.blocks.length === 0 ? ['*Said nothing.*'] : []),
  ].join('\n\n');
};

const saidText = (block: Block): string => {
  switch (block.type) {
    case 'text':
      return fenced(block.text);
    case 'thinking':
      return folded('Reasoning, not visible to the user', block.text);
    case 'tool_call':
      return `Call of \`${line(block.name)}\` (\`${line(block.id)}\`)\n\n${fenced(block.rawInput ?? JSON.stringify(block.input, null, 2), 'json')}`;
    default:
      return fenced(plain(block));
  }
};

const resultText = (block: Block): string =>
  block.type === 'tool_result'
    ? folded(
        `Result of ${line(block.id)}${block.isError === true ? ', error' : ''}`,
        block.blocks.map(plain).join('\n'),
      )
    : fenced(plain(block));

const folded = (title: string, body: string): string =>
  `<details><summary>${escaped(title)}</summary>\n\n${fenced(body)}\n\n</details>`;

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

/** A fence longer than any in the text. */
const fenced = (text: string, language = ''): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.toWellFormed()}\n${fence}`;
};

const plain = (block: Block): string => {
  if (block.type === 'text') return block.text;
  if (block.type === 'image') return `[image ${block.mediaType} ${block.bytes} bytes]`;
  return block.type === 'unknown' ? (JSON.stringify(block.raw, null, 2) ?? '') : `[${block.type}]`;
};
