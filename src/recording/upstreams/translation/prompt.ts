import type { Problem } from '../../../core/problem.ts';
import type { ToolCall } from '../../../wire/schema.ts';
import type { Conversation, Far, Picture, Piece } from './conversation.ts';
import type { Seals } from './seals.ts';

type Options = { providerOptions?: Record<string, Record<string, string>> };
type TextPart = { type: 'text'; text: string };
type FilePart = { type: 'file'; mediaType: string; data: { type: 'data'; data: string } | { type: 'url'; url: URL } };
type ResultPart = {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: { type: 'text'; value: string } | { type: 'content'; value: (TextPart | FilePart)[] };
};
type AnswerPart = (
  | TextPart
  | { type: 'reasoning'; text: string }
  | { type: 'tool-call'; toolCallId: string; toolName: string; input: unknown }
) &
  Options;

/** The AI SDK's prompt (`LanguageModelV4Prompt`), as far as it is used. */
export type Prompt = (
  | { role: 'system'; content: string }
  | { role: 'user'; content: (TextPart | FilePart)[] }
  | { role: 'assistant'; content: AnswerPart[] }
  | { role: 'tool'; content: ResultPart[] }
)[];

const lost = (kind: string, message: string): Problem => ({ kind, severity: 'warning', message });

/**
 * A conversation as the AI SDK's prompt for a provider. Results stand directly after their calls, in the calls' order, and what
 * the user said follows; signatures go back to the call they came with. What the provider's protocol has no place for is a Problem.
 */
export const toPrompt = (
  conversation: Conversation,
  far: Far,
  seals: Seals,
): { prompt: Prompt; problems: Problem[] } => {
  const problems: Problem[] = [];
  const prompt: Prompt = systemOf(conversation, far);
  let calls: ToolCall[] = [];
  let given: Piece[] = [];
  const flush = (): void => {
    prompt.push(...writeGiven(given, calls, far, problems));
    given = [];
  };
  for (const { role, pieces } of conversation.messages) {
    if (role === 'assistant') {
      flush();
      calls = pieces.filter((piece) => piece.type === 'tool_call');
      prompt.push({ role, content: writeAnswer(pieces, far, seals, problems) });
      continue;
    }
    if (role === 'system')
      problems.push(lost('system_message_moved', 'a system message within the conversation was sent as the user’s'));
    given.push(...pieces);
  }
  flush();
  return { prompt, problems };
};

const textOf = (pieces: readonly Piece[], between: string): string =>
  pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : [])).join(between);

const systemOf = ({ system }: Conversation, far: Far): Prompt => {
  const texts = system.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []));
  const joined = far === 'openai-chat' && texts.length > 0 ? [texts.join('\n\n')] : texts;
  return joined.map((content) => ({ role: 'system', content }));
};

const fileOf = ({ mediaType, source }: Picture): FilePart => ({
  type: 'file',
  mediaType,
  data: typeof source === 'string' ? { type: 'data', data: source } : { type: 'url', url: source },
});

const writeGiven = (given: readonly Piece[], calls: readonly ToolCall[], far: Far, problems: Problem[]): Prompt => {
  const place = (id: string): number => calls.findIndex((call) => call.id === id) >>> 0;
  const results = given.filter((piece) => piece.type === 'result').sort((a, b) => place(a.id) - place(b.id));
  const shown: (TextPart | FilePart)[] = [];
  const parts = results.map((result): ResultPart => {
    const head = { toolCallId: result.id, toolName: calls.find(({ id }) => id === result.id)?.name ?? 'unknown' };
    return { type: 'tool-result', ...head, output: writeResult(result, far, shown, problems) };
  });
  const said = given.flatMap((piece) => writeSaid(piece, problems));
  const user = [...shown, ...said];
  return [
    ...(parts.length > 0 ? [{ role: 'tool' as const, content: parts }] : []),
    ...(user.length > 0 ? [{ role: 'user' as const, content: user }] : []),
  ];
};

const writeSaid = (piece: Piece, problems: Problem[]): (TextPart | FilePart)[] => {
  if (piece.type === 'text') return piece.text === '' ? [] : [{ type: 'text', text: piece.text }];
  if (piece.type === 'picture') return [fileOf(piece)];
  if (piece.type !== 'result')
    problems.push(lost('block_not_forwarded', `a ${kindOf(piece)} of the user was left out`));
  return [];
};

const kindOf = (piece: Piece): string => {
  const raw = piece.type === 'unknown' ? (piece.raw as { type?: unknown } | null)?.type : undefined;
  return typeof raw === 'string' ? raw : piece.type;
};

/** The mark of a failed call where a protocol has no field for it. */
const marked = (text: string, isError: boolean): string =>
  isError && !/^\W*(tool_use_)?error/i.test(text) ? `Error: ${text}` : text;

const writeResult = (
  result: Extract<Piece, { type: 'result' }>,
  far: Far,
  shown: (TextPart | FilePart)[],
  problems: Problem[],
): ResultPart['output'] => {
  const pictures = result.pieces.filter((piece) => piece.type === 'picture');
  const strange = result.pieces.filter((piece) => piece.type !== 'picture' && piece.type !== 'text');
  for (const piece of strange)
    problems.push(lost('block_not_forwarded', `a ${kindOf(piece)} in a tool result was left out`));
  const texts = textOf(result.pieces, far === 'anthropic' ? '\n' : '');
  if (pictures.length === 0) return { type: 'text', value: marked(texts, result.isError) };
  if (far === 'anthropic') {
    const value = result.pieces.flatMap((piece) => (piece.type === 'result' ? [] : writeSaid(piece, [])));
    return { type: 'content', value };
  }
  // Neither of the two takes images in a result: they follow as the user's, and the result says so.
  shown.push({ type: 'text', text: `Images of the result of tool call ${result.id}:` }, ...pictures.map(fileOf));
  const note = `[${pictures.length} image${pictures.length > 1 ? 's' : ''}: see the next message]`;
  return { type: 'text', value: marked(texts === '' ? note : `${texts}\n${note}`, result.isError) };
};

const writeAnswer = (pieces: readonly Piece[], far: Far, seals: Seals, problems: Problem[]): AnswerPart[] => {
  const calls = pieces.filter((piece) => piece.type === 'tool_call');
  const kept =
    far === 'anthropic' ? calls.map(({ id }) => seals.get(id)).find((sealed) => sealed !== undefined) : undefined;
  const reasoning = (kept?.thinking ?? []).map((block): AnswerPart => {
    const text = block.type === 'thinking' ? block.text : '';
    const seal = block.type === 'thinking' ? { signature: block.signature ?? '' } : { redactedData: block.data };
    return { type: 'reasoning', text, providerOptions: { anthropic: seal } };
  });
  const parts = pieces.flatMap((piece): AnswerPart[] => {
    switch (piece.type) {
      case 'text':
        return piece.text === '' ? [] : [{ type: 'text', text: piece.text }];
      case 'tool_call':
        return [writeCall(piece, far, seals)];
      case 'thinking':
        return kept === undefined ? writeThinking(piece, far, problems) : [];
      default:
        problems.push(lost('block_not_forwarded', `a ${kindOf(piece)} of the model was left out`));
        return [];
    }
  });
  return [...reasoning, ...parts];
};

const writeThinking = (block: Extract<Piece, { type: 'thinking' }>, far: Far, problems: Problem[]): AnswerPart[] => {
  if (far === 'openai-chat') return block.text === '' ? [] : [{ type: 'reasoning', text: block.text }];
  if (far === 'gemini') return [{ type: 'reasoning', text: block.text }];
  // Anthropic takes back only what it sealed itself.
  problems.push(lost('thinking_not_forwarded', 'thinking without a signature was left out'));
  return [];
};

const writeCall = (call: ToolCall, far: Far, seals: Seals): AnswerPart => {
  const signature = far === 'gemini' ? seals.get(call.id)?.signature : undefined;
  const input = call.input ?? call.rawInput ?? {};
  return {
    type: 'tool-call',
    toolCallId: call.id,
    toolName: call.name,
    // As text, the SDK sends it as it is.
    input: far === 'openai-chat' && typeof input !== 'string' ? JSON.stringify(input) : input,
    ...(signature !== undefined && { providerOptions: { google: { thoughtSignature: signature } } }),
  };
};
