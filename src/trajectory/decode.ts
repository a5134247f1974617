import { hash } from 'node:crypto';
import { canonicalJson, parseJson } from '../core/json.ts';
import type { Problem } from '../core/problem.ts';
import type { CallRecord } from '../recording/schema.ts';
import type { Block, DecodedRequest, Protocol, ToolSchema, WireMessage, WireProtocol } from '../wire/schema.ts';
import { type Content, contentOf } from './content.ts';
import { textOf } from './json-scan.ts';
import { type Layout, layoutOf, type Piece, pieceBytes, type Relayout, relayout, restText } from './layout.ts';
import { SharedList } from './shared-list.ts';

/** What one item of a request's list of messages says; `system` is what it adds to the system prompt. */
export interface Entry {
  system: Block[];
  contents: Content[];
}

/** What a request says beside its messages. */
export interface Setting {
  protocol: Protocol;
  model: string | null;
  stream: boolean;
  system: Block[];
  /** Equal for equal system prompts. */
  systemKey: string;
  toolset: number;
  params: Record<string, unknown>;
}

/** A request, decoded: its messages one by one, those of the base first. */
export interface ReadRequest {
  entries: SharedList<Entry>;
  /** Entries, counted from the first, that are those of `base`. */
  reused: number;
  /** The request it was read from; whoever places it lets go of it, so that no chain of them is kept. */
  base: ReadRequest | null;
  setting: Setting;
}

interface Kept {
  layout: Layout | null;
  read: ReadRequest;
}

/** Requests whose cut bodies are kept, so that later ones can be read from them. */
const KEPT = 64;
/** Protocols in which a message can be read without the others (Gemini's calls have no ids of their own). */
const SEPARABLE = new Set(['anthropic', 'openai-chat', 'openai-responses']);
const listKey = (protocol: string): string => (protocol === 'openai-responses' ? 'input' : 'messages');

/**
 * Decodes the requests of one session. Equal messages, tool sets and system prompts are one object; a body of which a delta
 * tells what is new costs no more than that. Every problem goes to `onProblem`, once.
 */
export class RequestDecoder {
  readonly toolsets: ToolSchema[][] = [];
  #kept = new Map<number, Kept>();
  #entries = new Map<string, Entry>();
  #contents = new Map<string, Content>();
  #settings = new Map<string, Setting>();
  #toolsets = new Map<string, number>();
  #systems = new Map<string, Block[]>();
  readonly #onProblem: (problem: Problem) => void;

  constructor(onProblem: (problem: Problem) => void) {
    this.#onProblem = onProblem;
  }

  /** The request of a call, or null (with a Problem) when its body is no JSON object. */
  read(call: CallRecord, protocol: WireProtocol): ReadRequest | null {
    const { body, path } = call.request;
    // What a delta shares is bytes as they were sent; of a compressed body they say nothing.
    const delta = body.decoded === undefined ? body.delta : null;
    const base = delta === null ? undefined : this.#kept.get(delta.of);
    const again = delta !== null && base?.layout ? relayout(base.layout, delta) : null;
    const read =
      again !== null && base !== undefined
        ? this.#readAgain(again, base.read, call, protocol)
        : this.#readWhole(body.decoded?.() ?? body.bytes(), call, protocol);
    if (read === null)
      this.#onProblem({ kind: 'unreadable_request', severity: 'error', call: call.id, message: `no JSON: ${path}` });
    return read;
  }

  #keep(id: number, layout: Layout | null, read: ReadRequest): ReadRequest {
    this.#kept.set(id, { layout, read });
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return read;
  }

  #readAgain(again: Relayout, base: ReadRequest, call: CallRecord, protocol: WireProtocol): ReadRequest | null {
    const { layout, reused } = again;
    const added: Entry[] = [];
    for (const piece of layout.pieces.from(reused)) {
      const entry = this.#entry(piece, reused + added.length, call, protocol);
      if (entry === null) return null;
      added.push(entry);
    }
    const entries = base.entries.extend(reused, added);
    const setting = again.sameRest ? base.setting : this.#setting(restText(layout), call, protocol);
    return setting === null ? null : this.#keep(call.id, layout, { entries, reused, base, setting });
  }

  #readWhole(bytes: Uint8Array, call: CallRecord, protocol: WireProtocol): ReadRequest | null {
    const layout = SEPARABLE.has(protocol.id) ? layoutOf(bytes) : null;
    if (layout !== null) {
      const setting = this.#setting(restText(layout), call, protocol);
      const entries = layout.pieces.from(0).map((piece, i) => this.#entry(piece, i, call, protocol));
      if (setting !== null && entries.every((entry) => entry !== null))
        return this.#keep(call.id, layout, { entries: SharedList.of(entries), reused: 0, base: null, setting });
    }
    const body = parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    if (typeof body !== 'object' || body === null) return null;
    const request = protocol.readRequest(body, call.request.path);
    this.#report(request.problems, call);
    const entry = this.#entryOf(request.messages, [], request.problems);
    return this.#keep(call.id, null, {
      entries: SharedList.of([entry]),
      reused: 0,
      base: null,
      setting: this.#settingOf(request, protocol.id),
    });
  }

  #entry(piece: Piece, index: number, call: CallRecord, protocol: WireProtocol): Entry | null {
    const bytes = pieceBytes(piece);
    const digest = `${protocol.id} ${hash('sha1', bytes, 'base64')}`;
    const known = this.#entries.get(digest);
    if (known !== undefined) return known;
    const message = parseJson(textOf(bytes));
    if (message === undefined) return null;
    const request = protocol.readRequest({ [listKey(protocol.id)]: [message] }, call.request.path);
    this.#report(request.problems, call, index);
    const entry = this.#entryOf(request.messages, request.system, request.problems);
    this.#entries.set(digest, entry);
    return entry;
  }

  #entryOf(messages: readonly WireMessage[], system: Block[], problems: readonly Problem[]): Entry {
    const lossy = problems.some((p) => p.kind === 'lossy_unicode');
    const entry: Entry = { system: [...system], contents: [] };
    for (const message of messages) {
      if (message.role === 'assistant') entry.contents.push(this.content('assistant', message.blocks, lossy));
      else if (message.role === 'system' && messages.length === 1) entry.system.push(...message.blocks);
      else entry.contents.push(this.content('user', message.blocks, lossy));
    }
    return entry;
  }

  /** The one object for a content. */
  content(role: Content['role'], blocks: Block[], lossy = false): Content {
    const content = contentOf(role, blocks, lossy);
    const id = `${role} ${content.exact}`;
    const known = this.#contents.get(id);
    if (known !== undefined) return known;
    this.#contents.set(id, content);
    return content;
  }

  #setting(rest: string, call: CallRecord, protocol: WireProtocol): Setting | null {
    const digest = `${protocol.id} ${hash('sha1', rest, 'base64')}`;
    const known = this.#settings.get(digest);
    if (known !== undefined) return known;
    const body = parseJson(rest);
    if (typeof body !== 'object' || body === null) return null;
    const request = protocol.readRequest(body, call.request.path);
    this.#report(request.problems, call);
    const setting = this.#settingOf(request, protocol.id);
    this.#settings.set(digest, setting);
    return setting;
  }

  #settingOf(request: DecodedRequest, protocol: Protocol): Setting {
    const { model, stream, params } = request;
    const systemKey = canonicalJson(request.system.map((b) => (b.type === 'text' ? b.text : b)));
    const digest = hash('sha1', systemKey, 'base64');
    const system = this.#systems.get(digest) ?? request.system;
    this.#systems.set(digest, system);
    const tools = hash('sha1', canonicalJson(request.tools), 'base64');
    const toolset = this.#toolsets.get(tools) ?? this.toolsets.push(request.tools) - 1;
    this.#toolsets.set(tools, toolset);
    return { protocol, model, stream, system, systemKey: digest, toolset, params };
  }

  // A message that is read alone calls itself the first.
  #report(problems: readonly Problem[], call: CallRecord, index?: number): void {
    for (const problem of problems) {
      const field =
        index === undefined ? problem.field : problem.field?.replace(/^(messages|input)\[0\]/, `$1[${index}]`);
      this.#onProblem({ ...problem, call: call.id, ...(field !== undefined && { field }) });
    }
  }
}
