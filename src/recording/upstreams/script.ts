import { isObject, parseJson } from '../../core/json.ts';
import { sleep } from '../../host/clock.ts';
import type { Dialect } from '../../scaffolds/dialect.ts';
import type { CallRole } from '../../scaffolds/scaffold.ts';
import { protocols as allProtocols } from '../../wire/all.ts';
import type { Block, DecodedRequest, HttpReply, Protocol, ToolCall, WireProtocol } from '../../wire/schema.ts';
import type { AttemptEnd, IncomingReply, OutgoingRequest, Upstream } from '../schema.ts';
import { type FaultKind, type Script, type ScriptTurn, subagentKey } from '../script.ts';
import { auxiliaryAnswer } from './auxiliary.ts';
import { UpstreamError } from './error.ts';
import { unexpected } from './expect.ts';
import { callId, mainPart, type Part, positionOf, subagentPart } from './position.ts';

/** What a scripted model needs to play one attempt. */
export interface ScriptUpstreamOptions {
  /** As it stands in the record: `script/careful`. */
  id: string;
  script: Script;
  dialect: Dialect;
  /** What a request is for: the scaffold's own. */
  classify(request: DecodedRequest): CallRole;
  /** Default: all of `wire/all.ts`. */
  protocols?: Readonly<Record<Protocol, WireProtocol>> | undefined;
  /** Path of the workspace inside the sandbox; a function when it is known only once the sandbox runs. */
  workspace: string | (() => string);
  /** Waits before each answer; default: the script's `delay_ms`. */
  delayMs?: number | undefined;
  /** Told of a script that does not fit, besides the attempt's own `onEnd`. */
  onEnd?: ((end: AttemptEnd) => void) | undefined;
}

/** A turn's answer, or why there is none. */
type Answer = { blocks: Block[]; id: string } | { mismatch: string };

const STATUS_FAULTS: Readonly<Record<string, { status: number; type: string; message: string }>> = {
  429: { status: 429, type: 'rate_limit_error', message: 'This request would exceed the rate limit (scripted fault)' },
  529: { status: 529, type: 'overloaded_error', message: 'Overloaded (scripted fault)' },
  500: { status: 500, type: 'api_error', message: 'Internal server error (scripted fault)' },
};

/**
 * A model that plays a script over the real protocol, through the scaffold's dialect (docs/formats/script.md). Every answer follows
 * from the request alone, so a request that comes again gets the same one; only what a compaction took from the history is
 * remembered. One an attempt.
 */
export const scriptUpstream = (options: ScriptUpstreamOptions): Upstream => {
  const player = new ScriptPlayer(options);
  return { id: options.id, free: true, send: (request, signal) => player.send(request, signal) };
};

class ScriptPlayer {
  readonly #options: ScriptUpstreamOptions;
  readonly #main: Part;
  readonly #struck = new Map<number, number>();
  /** Turns of the main thread that were answered, and what the last compaction took away. */
  #answered = 0;
  #gone: { turns: number; summary: string | null } = { turns: 0, summary: null };

  constructor(options: ScriptUpstreamOptions) {
    this.#options = options;
    this.#main = mainPart(options.script);
  }

  #workspace(): string {
    const { workspace } = this.#options;
    return typeof workspace === 'string' ? workspace : workspace();
  }

  async send(request: OutgoingRequest, signal: AbortSignal): Promise<IncomingReply> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request.body) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { protocols = allProtocols, script, delayMs = script.delayMs } = this.#options;
    const protocol = protocols[request.protocol === 'other' ? 'anthropic' : request.protocol];
    if (delayMs > 0) await sleep(delayMs, signal);
    if (protocol.endpoint(request.method, request.path) === 'count_tokens') {
      return replyOf(protocol.writeTokenCount(tokensOf(bytes.length)));
    }
    const body = parseJson(bytes.toString());
    if (!isObject(body)) return this.#mismatch(protocol, 'the request is no JSON object');
    const decoded = protocol.readRequest(body, request.path);
    const { role, kind } = this.#options.classify(decoded);
    if (role === 'auxiliary') return this.#auxiliary(protocol, decoded, kind, bytes.length);
    const part = role === 'main' ? this.#main : this.#subagent(decoded);
    if (part === null)
      return this.#mismatch(protocol, 'a subagent started that no `subagent` action of the script asks for');
    return this.#turn(protocol, decoded, part, bytes.length, signal);
  }

  #auxiliary(protocol: WireProtocol, request: DecodedRequest, kind: string | undefined, size: number): IncomingReply {
    const text = auxiliaryAnswer(this.#options.script.auxiliary, kind);
    if (kind === 'compaction') this.#gone = { turns: this.#answered, summary: text };
    return this.#write(protocol, request, `aux_${kind ?? 'other'}`, [{ type: 'text', text }], size);
  }

  /** Which entry of `subagents` a subagent's request belongs to: the one whose prompt it was given. */
  #subagent(request: DecodedRequest): Part | null {
    const { script } = this.#options;
    const first = request.messages.find((m) => m.role === 'user');
    const given = (first?.blocks ?? []).flatMap((b) => (b.type === 'text' ? [b.text] : [])).join('\n');
    const lists = [...script.queries, ...Object.values(script.subagents)];
    const started = lists
      .flat()
      .flatMap((t) => t.do ?? [])
      .flatMap((a) => ('subagent' in a ? [a.subagent] : []))
      .filter((s) => given.includes(s.prompt.trim()))
      .sort((a, b) => b.prompt.length - a.prompt.length)[0];
    const key = started === undefined ? null : subagentKey(script, started);
    return key === null ? null : subagentPart(script, key);
  }

  async #turn(
    protocol: WireProtocol,
    request: DecodedRequest,
    part: Part,
    size: number,
    signal: AbortSignal,
  ): Promise<IncomingReply> {
    const isMain = part === this.#main;
    const position = positionOf(part, request.messages, isMain ? this.#gone : { turns: 0, summary: null });
    const answer = this.#answer(protocol, request, part, position);
    if ('mismatch' in answer) return this.#mismatch(protocol, answer.mismatch);
    const fault = isMain ? this.#fault(position) : null;
    if (isMain) this.#answered = Math.max(this.#answered, position + 1);
    const reply = this.#write(protocol, request, answer.id, answer.blocks, size);
    return fault === null ? reply : strike(protocol, fault, reply, signal);
  }

  #answer(protocol: WireProtocol, request: DecodedRequest, part: Part, position: number): Answer {
    const { dialect } = this.#options;
    const workspace = this.#workspace();
    const turn = part.turns[position];
    if (turn === undefined)
      return { mismatch: `the script is over after ${part.turns.length} turns, but the scaffold asks on` };
    const wrong = position === 0 ? null : unexpected(part, position - 1, request.messages, dialect, workspace);
    if (wrong !== null) return { mismatch: wrong };
    const calls = this.#calls(protocol.id, request, part, turn);
    if ('mismatch' in calls) return calls;
    const id = `${part.id}_${turn.query}_${turn.turn}${calls.first ? '_p' : ''}`;
    return { id, blocks: calls.first ? calls.calls : [...speech(turn.content), ...calls.calls] };
  }

  /** A turn's actions as the scaffold's own tool calls; those that need another turn first come alone. */
  #calls(
    protocol: Protocol,
    request: DecodedRequest,
    part: Part,
    { query, turn, content }: Part['turns'][number],
  ): { calls: ToolCall[]; first: boolean } | { mismatch: string } {
    const { dialect } = this.#options;
    const workspace = this.#workspace();
    const calls: ToolCall[] = [];
    const firsts: ToolCall[] = [];
    for (const [action, wanted] of (content.do ?? []).entries()) {
      const encoded = dialect.encode(wanted, request.tools, workspace);
      const name = Object.keys(wanted)[0] ?? '';
      if (encoded === 'unsupported') {
        const offered = request.tools.map((t) => t.name).join(', ');
        return { mismatch: `query ${query}, turn ${turn}: no tool for "${name}" among: ${offered}` };
      }
      const first = !Array.isArray(encoded);
      const list = Array.isArray(encoded) ? encoded : encoded.first;
      const numbered = list.map((c, call) => ({
        ...c,
        id: callId(protocol, { part: part.id, query, turn, action, call, first }),
      }));
      (first ? firsts : calls).push(...numbered);
    }
    if (firsts.length === 0) return { calls, first: false };
    const again = request.messages.some((m) =>
      m.blocks.some((b) => b.type === 'tool_call' && firsts.some((f) => f.id === b.id)),
    );
    return again
      ? { mismatch: `query ${query}, turn ${turn}: the tool that was asked for first did not help` }
      : { calls: firsts, first: true };
  }

  #fault(position: number): FaultKind | null {
    const turn = this.#main.turns[position];
    const fault = this.#options.script.faults.find((f) => f.at[0] === turn?.query && f.at[1] === turn.turn);
    if (fault === undefined) return null;
    const struck = this.#struck.get(position) ?? 0;
    this.#struck.set(position, struck + 1);
    return struck < fault.times ? fault.kind : null;
  }

  #write(protocol: WireProtocol, request: DecodedRequest, id: string, blocks: Block[], size: number): IncomingReply {
    const calls = blocks.some((b) => b.type === 'tool_call');
    const plan = {
      id: `${protocol.id === 'anthropic' ? 'msg' : 'resp'}_script_${id}`,
      model: request.model ?? this.#options.id,
      blocks,
      stop: calls ? ('tool' as const) : ('end' as const),
      usage: { input: tokensOf(size), output: tokensOf(JSON.stringify(blocks).length) },
    };
    return replyOf(protocol.writeReply(plan, request.stream));
  }

  /** A script that does not fit is the end: the scaffold is told so in a way that it does not repeat, and the attempt is over. */
  #mismatch(protocol: WireProtocol, message: string): IncomingReply {
    const ends: AttemptEnd = { outcome: 'scaffold_failed', reason: 'script_mismatch', message };
    this.#options.onEnd?.(ends);
    const error = {
      status: 400,
      type: 'invalid_request_error',
      message: `octobench: the script does not fit: ${message}`,
    };
    return { ...replyOf(protocol.writeError(error)), ends };
  }
}

const speech = (turn: ScriptTurn): Block[] => [
  ...(turn.think === undefined ? [] : [{ type: 'thinking' as const, text: turn.think, signature: SIGNATURE }]),
  ...(turn.say === undefined ? [] : [{ type: 'text' as const, text: turn.say }]),
];
// Clients keep a thinking block only with a signature, and send it back.
const SIGNATURE = Buffer.from('octobench script').toString('base64');

/** About four bytes a token, as a rule of thumb. */
const tokensOf = (bytes: number): number => Math.ceil(bytes / 4);

const replyOf = (reply: HttpReply): IncomingReply => ({
  status: reply.status,
  headers: reply.headers,
  body: bodyOf(reply.chunks),
});

async function* bodyOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** A reply that stops half way. */
async function* cutBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = Buffer.concat(chunks);
  yield whole.subarray(0, Math.ceil(whole.length / 2));
  throw new UpstreamError('reset', 'script_cut');
}

const strike = async (
  protocol: WireProtocol,
  fault: FaultKind,
  reply: IncomingReply,
  signal: AbortSignal,
): Promise<IncomingReply> => {
  const error = STATUS_FAULTS[fault];
  if (error !== undefined) return replyOf(protocol.writeError(error));
  if (fault === 'cut') return { ...reply, body: cutBody(reply.body) };
  if (fault === 'hang') await sleep(LONGEST_TIMER, signal);
  throw new UpstreamError('reset', `script_${fault}`);
};
/** Longer than any attempt; a timer cannot wait longer. */
const LONGEST_TIMER = 2 ** 31 - 1;
