import type { Problem } from '../core/problem.ts';

/** The LLM protocols that scaffolds speak. */
export type Protocol = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/**
 * One block of a message, the same for every protocol; order is that of the wire.
 * `signature` is the provider's seal on its reasoning (Gemini also seals text and calls); it is sent back unchanged.
 * `image.bytes` is the size of the decoded image.
 */
export type Block =
  | { type: 'text'; text: string; signature?: string }
  | { type: 'thinking'; text: string; signature?: string }
  | { type: 'redacted_thinking'; data: string }
  | ToolCall
  | ToolResult
  | { type: 'image'; mediaType: string; bytes: number }
  | { type: 'unknown'; raw: unknown };

/**
 * A tool call. `input` is the parsed arguments; when they are not JSON, `input` is null, `rawInput` holds the text.
 * `incomplete` marks a call that was cut (token limit, broken stream).
 */
export interface ToolCall {
  type: 'tool_call';
  id: string;
  name: string;
  input: unknown;
  rawInput?: string;
  incomplete?: true;
  signature?: string;
}

/** The result of a tool call, paired by id. */
export interface ToolResult {
  type: 'tool_result';
  id: string;
  blocks: Block[];
  isError?: true;
}

/**
 * A tool as it was offered to the model: its whole JSON Schema, `$defs` and all.
 * A tool that the provider runs itself has no schema (null); `raw` holds it as sent.
 */
export interface ToolSchema {
  name: string;
  description: string;
  schema: unknown;
  raw?: unknown;
}

export interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  blocks: Block[];
}

/** One request, decoded. `params` holds sampling parameters, thinking, effort, max_tokens, tool_choice and the like, as sent. */
export interface DecodedRequest {
  model: string | null;
  stream: boolean;
  system: Block[];
  messages: WireMessage[];
  tools: ToolSchema[];
  params: Record<string, unknown>;
  problems: Problem[];
}

/** Tokens as the provider counts them; null where it does not say. Cumulative figures are not added up. */
export interface Usage {
  input: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
}

/**
 * A fault as the provider worded it. `status` is the HTTP status, or, for an error inside an HTTP 200, the one it stands for.
 * `retryable`: the fault is passing and no content was delivered, so the same request may be sent again unseen;
 * whether the fault as such is passing is `status` alone.
 */
export interface ReplyError {
  type: string;
  /** The provider's finer word, where it has one: `context_length_exceeded`. */
  code?: string;
  status: number;
  message: string;
  retryable: boolean;
}

/** One reply of a provider. */
export interface DecodedReply {
  outcome: 'complete' | 'incomplete' | 'error';
  /** Why it is not complete: `missing_message_stop`, `missing_finish_reason`, ... */
  reason?: string;
  blocks: Block[];
  /** The protocol's own word: `end_turn`, `stop`, `length`, ... */
  stop: string | null;
  usage: Usage;
  error?: ReplyError;
  /** SSE events seen (0 for a JSON reply). */
  events: number;
  /** Bytes that were not UTF-8, each shown as U+FFFD. */
  replacementCharacters: number;
  model?: string | null;
  /** What was lossy or unreadable in the reply; absent when nothing was. */
  problems?: Problem[];
}

/** What a script wants to answer; each protocol writes it as its own API would. */
export interface ReplyPlan {
  id: string;
  model: string;
  blocks: Block[];
  stop: 'end' | 'tool' | 'length';
  usage: { input: number; output: number };
}

/** Bytes of an HTTP reply; `chunks` are the pieces in which a stream is sent. */
export interface HttpReply {
  status: number;
  headers: [string, string][];
  chunks: Uint8Array[];
}

/** What a request path is for; `models` is the list that clients probe. */
export type Endpoint = 'generate' | 'count_tokens' | 'models' | 'other';

/** One protocol: everything pure, nothing that opens a socket. The list is `wire/all.ts`. */
export interface WireProtocol {
  id: Protocol;
  /** What a request is for, or null when the path is not of this protocol. `path` may hold a query string. */
  endpoint(method: string, path: string): Endpoint | null;
  /** The model named in the path (Gemini), else null. */
  modelInPath(path: string): string | null;
  /** Reads a parsed request body; never throws, reports what it could not read. */
  readRequest(body: unknown, path: string): DecodedRequest;
  decodeReply(chunks: Iterable<Uint8Array>, options: { contentType: string; status?: number }): DecodedReply;
  writeReply(plan: ReplyPlan, stream: boolean): HttpReply;
  /** An error body as this API words it. `retryable: false` is worded so that scaffolds do not retry where the protocol has a way. */
  writeError(error: { status: number; type: string; message: string }): HttpReply;
  writeTokenCount(tokens: number): HttpReply;
  writeModels(models: readonly string[]): HttpReply;
}
