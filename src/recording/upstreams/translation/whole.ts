import { parseJson } from '../../../core/json.ts';
import { decodeReply, protocols } from '../../../wire/all.ts';
import type { DecodedReply, ReplyPlan } from '../../../wire/schema.ts';
import type { IncomingReply } from '../../schema.ts';
import type { Near } from './conversation.ts';

const STREAM = { contentType: 'text/event-stream' };

const planStop = (stop: string | null): ReplyPlan['stop'] =>
  stop === 'max_tokens' || stop === 'length' ? 'length' : stop === 'tool_use' || stop === 'tool_calls' ? 'tool' : 'end';

const usageOf = (near: Near, { usage }: DecodedReply): Record<string, unknown> =>
  near === 'anthropic'
    ? {
        input_tokens: usage.input,
        cache_read_input_tokens: usage.cacheRead,
        cache_creation_input_tokens: usage.cacheWrite,
        output_tokens: usage.output,
      }
    : {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        prompt_tokens_details: { cached_tokens: usage.cacheRead },
      };

/** The reply to a client that did not ask for a stream, from the stream that it would have got. */
export const toWhole = (
  near: Near,
  { id, model }: { id: string; model: string },
  stream: readonly Uint8Array[],
  headers: readonly [string, string][],
): IncomingReply => {
  const protocol = protocols[near];
  const decoded = decodeReply(near, stream, STREAM);
  const plan: ReplyPlan = {
    id,
    model,
    blocks: decoded.blocks,
    stop: planStop(decoded.stop),
    usage: { input: decoded.usage.input ?? 0, output: decoded.usage.output ?? 0 },
  };
  const reply = decoded.error === undefined ? protocol.writeReply(plan, false) : protocol.writeError(decoded.error);
  const body = parseJson(Buffer.concat(reply.chunks).toString()) as Record<string, unknown>;
  if (decoded.error === undefined) body.usage = usageOf(near, decoded);
  return {
    status: reply.status,
    headers: [...reply.headers, ...headers],
    body: (async function* () {
      yield Buffer.from(JSON.stringify(body));
    })(),
  };
};
