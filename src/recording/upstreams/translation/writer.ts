import type { ReplyError } from '../../../wire/schema.ts';
import type { FarPart } from './part.ts';

/** An event of a stream: an object, or a word such as `[DONE]`. */
export interface WireEvent {
  event?: string;
  data: Record<string, unknown> | string;
}

/** Writes one reply in a client's protocol while its parts arrive. */
export interface NearWriter {
  start(): WireEvent[];
  part(part: FarPart): WireEvent[];
  /** The far side's `finish` part: everything was said. */
  finish(part: FarPart): WireEvent[];
  /** The provider reported an error within the stream. */
  error(error: ReplyError): WireEvent[];
}
