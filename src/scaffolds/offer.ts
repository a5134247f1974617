import { isAbsolute, join } from 'node:path/posix';
import { isObject } from '../core/json.ts';
import type { ToolCall, ToolSchema } from '../wire/schema.ts';

/** What `Dialect.encode` gives back. */
export type Encoded = ToolCall[] | { first: ToolCall[] } | 'unsupported';

/** The tools that a request offers, as an encoder asks about them. */
export interface Offer {
  has(name: string): boolean;
  /** Does the tool take an argument of this name. */
  takes(name: string, argument: string): boolean;
  /** A path as file tools want it: absolute, inside the workspace unless it says otherwise. */
  absolute(path: string): string;
}

export const offerOf = (tools: readonly ToolSchema[], workspace: string): Offer => {
  const byName = new Map(tools.map((t) => [t.name, t.schema]));
  return {
    has: (name) => byName.has(name),
    takes: (name, argument) => {
      const schema = byName.get(name);
      return isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, argument);
    },
    absolute: (path) => (isAbsolute(path) || path.startsWith('~') ? path : join(workspace, path)),
  };
};

/** A call whose id the caller gives. */
export const toolCall = (name: string, input: unknown): ToolCall => ({ type: 'tool_call', id: '', name, input });

/** The call where its tool is offered. */
export const whenOffered = (offer: Offer, name: string, input: Record<string, unknown>): Encoded =>
  offer.has(name) ? [toolCall(name, input)] : 'unsupported';

/** A few words that say what a longer text is about, for arguments that want a description. */
export const inShort = (text: string): string => text.split(/\s+/).slice(0, 5).join(' ').slice(0, 60);
