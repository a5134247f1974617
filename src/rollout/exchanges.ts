import { parseJson } from '../core/json.ts';
import type { CallRecord } from '../recording/schema.ts';
import type { CallRole } from '../scaffolds/scaffold.ts';
import { protocols } from '../wire/all.ts';
import { isContextOverflow } from '../wire/fault.ts';
import type { DecodedReply, DecodedRequest } from '../wire/schema.ts';

/** What went wrong with an exchange. `gone` = the scaffold left (or was killed) before the reply was whole. */
export type Fault =
  | { kind: 'error'; status: number; message: string; overflow: boolean }
  | { kind: 'reset' }
  | { kind: 'stall' }
  | { kind: 'truncated' }
  | { kind: 'gone' };

/** A recorded call that asked a model for a reply, with what the reply came to. */
export interface Exchange {
  call: CallRecord;
  reply: DecodedReply | null;
  fault: Fault | null;
  /** Parses the request anew each time: requests are large, few are asked for. */
  request(): DecodedRequest;
  role(): CallRole;
  /** Assistant messages in the request's history. */
  assistants(): number;
}

const decode = (call: CallRecord): DecodedReply | null => {
  const { response, protocol } = call;
  if (response === null || protocol === 'other') return null;
  const contentType = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  const bytes = response.body.decoded?.() ?? response.body.bytes();
  return protocols[protocol].decodeReply([bytes], { contentType, status: response.status ?? 200 });
};

const faultOf = (call: CallRecord, reply: DecodedReply | null): Fault | null => {
  if (reply?.outcome === 'complete') return null;
  if (reply?.error !== undefined) {
    const { status, message } = reply.error;
    return { kind: 'error', status, message, overflow: isContextOverflow(reply.error) };
  }
  if (call.end === 'client_gone' || call.end === 'lost') return { kind: 'gone' };
  if (reply !== null && reply.blocks.length > 0) return { kind: 'truncated' };
  if (call.end === 'upstream_timeout') return { kind: 'stall' };
  return { kind: call.end === 'upstream_reset' ? 'reset' : 'truncated' };
};

const readRequest = (call: CallRecord): DecodedRequest => {
  const protocol = protocols[call.protocol === 'other' ? 'anthropic' : call.protocol];
  const { body, path } = call.request;
  return protocol.readRequest(parseJson(new TextDecoder().decode(body.decoded?.() ?? body.bytes())), path);
};

/**
 * The exchanges among calls: requests for a reply that reached an upstream. Token counts, model lists, stubs and what the proxy refused
 * are none. Replies are decoded once; requests only where somebody asks.
 */
export const readExchanges = (
  calls: Iterable<CallRecord>,
  classify: (request: DecodedRequest) => CallRole,
): Exchange[] => {
  const exchanges: Exchange[] = [];
  for (const call of calls) {
    if (call.protocol === 'other' || call.end === 'refused' || call.end === 'limit') continue;
    if (protocols[call.protocol].endpoint(call.request.method, call.request.path) !== 'generate') continue;
    const reply = decode(call);
    let known: { role: CallRole; assistants: number } | undefined;
    const about = (): { role: CallRole; assistants: number } => {
      if (known === undefined) {
        const request = readRequest(call);
        const assistants = request.messages.filter((m) => m.role === 'assistant').length;
        known = { role: classify(request), assistants };
      }
      return known;
    };
    exchanges.push({
      call,
      reply,
      fault: faultOf(call, reply),
      request: () => readRequest(call),
      role: () => about().role,
      assistants: () => about().assistants,
    });
  }
  return exchanges;
};

/** True for an exchange of the main thread. */
export const isMain = (exchange: Exchange): boolean => exchange.role().role === 'main';
