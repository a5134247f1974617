import type { Problem } from '../core/problem.ts';
import type { CallRecord } from '../recording/schema.ts';
import type { Block, DecodedReply, WireProtocol } from '../wire/schema.ts';
import type { Content } from './content.ts';
import { type ReadRequest, RequestDecoder } from './decode.ts';
import { createNode, descend, type Node, type Reply, type Turn } from './forest.ts';
import type { SessionKind } from './roles.ts';
import { SharedList } from './shared-list.ts';

/** A reply whose bytes end where no reply ends. */
const CUT_BODY = new Set(['empty_body', 'truncated_body']);
const UNKNOWN_USAGE = { input: null, output: null, cacheRead: null, cacheWrite: null };

/** All calls of one session, placed in a forest by what they say. */
export class Session {
  readonly key: string;
  readonly root: Node = createNode(null, null);
  readonly turns: Turn[] = [];
  /** Calls that count tokens: no turn. */
  readonly counts: number[] = [];
  readonly problems: Problem[] = [];
  readonly decoder: RequestDecoder = new RequestDecoder((problem) => this.problems.push(problem));
  #places = new WeakMap<ReadRequest, SharedList<Node>>();
  #rewritten = new Set<Node>();

  /** What the calls say of themselves beside their content. */
  readonly labels: Record<string, string> = {};

  readonly kind: SessionKind;

  constructor(key: string, kind: SessionKind) {
    this.key = key;
    this.kind = kind;
  }

  /** Places a call that asked for a turn. */
  add(call: CallRecord, protocol: WireProtocol): void {
    const biz = /[?&]biz_id=([^&]*)/.exec(call.request.path)?.[1];
    if (call.origin === 'import' && biz !== undefined) this.labels.biz_id ??= decodeURIComponent(biz);
    const request = this.decoder.read(call, protocol);
    if (request === null) return;
    const node = this.#place(request, call.id);
    for (let at: Node | null = node; at !== null && !at.used; at = at.parent) at.used = true;
    const turn: Turn = {
      id: call.id,
      at: call.request.at,
      order: this.turns.length,
      imported: call.origin === 'import',
      attempt: call.attempt,
      end: call.end,
      setting: request.setting,
      node,
      reply: this.#reply(call, protocol),
      copies: [],
      next: null,
    };
    const twin = node.turns.find((other) => isTwin(other, turn));
    if (twin !== undefined) {
      twin.copies.push(turn.id);
      this.problems.push({
        kind: turn.imported ? 'logged_twice' : 'repeated_call',
        severity: 'info',
        call: turn.id,
        message: `same request and same reply as call ${twin.id}`,
      });
      return;
    }
    node.turns.push(turn);
    this.turns.push(turn);
  }

  /** Walks from the place of the last message that the base shares. System messages at the front join the system prompt. */
  #place(request: ReadRequest, call: number): Node {
    const known = request.base === null ? undefined : this.#places.get(request.base);
    const reused = known === undefined ? 0 : request.reused;
    const added: Node[] = [];
    request.base = null;
    let node = known?.at(reused - 1) ?? this.root;
    const merge = (a: Content, b: Content): Content => this.decoder.content('assistant', [...a.blocks, ...b.blocks]);
    for (const entry of request.entries.from(reused)) {
      if (entry.system.length > 0 && node !== this.root)
        node = descend(node, this.decoder.content('user', entry.system), merge);
      for (const content of entry.contents) {
        node = descend(node, content, merge);
        this.#noteRewrite(node, call);
      }
      added.push(node);
    }
    this.#places.set(request, known?.extend(reused, added) ?? SharedList.of(added));
    this.#addLeadingSystem(request);
    return node;
  }

  #addLeadingSystem(request: ReadRequest): void {
    const front: Block[] = [];
    for (let i = 0; i < request.entries.length; i++) {
      const entry = request.entries.at(i);
      front.push(...(entry?.system ?? []));
      if ((entry?.contents.length ?? 0) > 0) break;
    }
    if (front.length > 0) request.setting = { ...request.setting, system: [...request.setting.system, ...front] };
  }

  /** The message as the model saw it first is kept. */
  #noteRewrite(node: Node, call: number): void {
    if (!node.rewritten || this.#rewritten.has(node)) return;
    this.#rewritten.add(node);
    this.problems.push({
      kind: 'history_rewritten',
      severity: 'info',
      call,
      message: `a ${node.content?.role ?? 'user'} message was sent in another form than before`,
    });
  }

  #reply(call: CallRecord, protocol: WireProtocol): Reply {
    const none: Reply = { content: null, incomplete: null, stop: null, model: null, usage: UNKNOWN_USAGE };
    if (call.response === null) return { ...none, incomplete: call.end === 'lost' ? 'no_response_in_log' : call.end };
    const { headers, status, body } = call.response;
    const contentType = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
    const decoded = protocol.decodeReply([body.decoded?.() ?? body.bytes()], {
      contentType,
      ...(status !== null && { status }),
    });
    for (const problem of decoded.problems ?? []) this.problems.push({ ...problem, call: call.id });
    const { stop, usage } = decoded;
    const incomplete = whyIncomplete(call, decoded);
    const said = incomplete === null || decoded.blocks.length > 0;
    const lossy = decoded.replacementCharacters > 0 || (decoded.problems ?? []).some((p) => p.kind === 'lossy_unicode');
    const content = said ? this.decoder.content('assistant', decoded.blocks, lossy) : null;
    if (incomplete !== null)
      this.problems.push({
        kind: content === null ? 'failed_call' : 'incomplete_reply',
        severity: content === null ? 'info' : 'warning',
        call: call.id,
        message: decoded.error === undefined ? incomplete : `${decoded.error.type}: ${decoded.error.message}`,
      });
    return { content, incomplete, stop, model: decoded.model ?? null, usage };
  }
}

/** Why a reply is not whole, or null. What an import does not tell (how a stream ended) is not held against its replies. */
const whyIncomplete = (call: CallRecord, reply: DecodedReply): string | null => {
  if (reply.outcome === 'error') return reply.error?.type ?? 'error';
  if (reply.outcome === 'complete') return null;
  const reason = reply.reason ?? 'incomplete';
  return call.origin === 'import' && reply.events === 0 && !CUT_BODY.has(reason) ? null : reason;
};

/** The same request with the same tools and model got the same reply: one call, logged twice. */
const isTwin = (a: Turn, b: Turn): boolean =>
  a.reply.content !== null &&
  a.reply.content === b.reply.content &&
  a.reply.incomplete === b.reply.incomplete &&
  a.setting.toolset === b.setting.toolset &&
  a.setting.systemKey === b.setting.systemKey &&
  a.setting.model === b.setting.model;
