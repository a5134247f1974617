import { randomBytes } from 'node:crypto';
import type { ModelTier, Stub } from '../scaffolds/scaffold.ts';
import { protocolOf, protocols } from '../wire/all.ts';
import type { Endpoint, HttpReply, WireProtocol } from '../wire/schema.ts';
import { headerOf } from './headers.ts';
import type { AttemptSpec, Upstream } from './schema.ts';

/** An attempt's key: unguessable, and the same in a header, a URL and JSON. */
export const newToken = (): string => `ob-${randomBytes(24).toString('hex')}`;

/** What a request asks for: an endpoint of a protocol, a stub of the scaffold, or nothing we know. */
export type Purpose =
  | { kind: 'endpoint'; protocol: WireProtocol; endpoint: Endpoint }
  | { kind: 'stub'; stub: Stub }
  | { kind: 'unknown' };

/** The protocol a client seems to speak, for answers to requests that name no endpoint. */
export const spokenBy = (method: string, path: string, headers: readonly [string, string][]): WireProtocol => {
  const named = protocolOf(method, path, headers);
  if (named !== null) return protocols[named];
  if (headerOf(headers, 'x-goog-api-key') !== null) return protocols.gemini;
  return headerOf(headers, 'x-api-key') === null ? protocols['openai-chat'] : protocols.anthropic;
};

/** What a request is for, from its first line and headers. Stubs come first: a scaffold's own service may look like an endpoint. */
export const purposeOf = (
  stubs: readonly Stub[],
  method: string,
  path: string,
  headers: readonly [string, string][],
): Purpose => {
  const stub = stubs.find((s) => s.method === method && path.startsWith(s.path));
  if (stub !== undefined) return { kind: 'stub', stub };
  const protocol = spokenBy(method, path, headers);
  const endpoint = protocol.endpoint(method, path);
  return endpoint === null || endpoint === 'other' ? { kind: 'unknown' } : { kind: 'endpoint', protocol, endpoint };
};

/** Where a model's calls go. `model` is its name at the upstream. */
export interface Routed {
  upstream: Upstream;
  tier: ModelTier;
  model: string;
}

/** The declared name of a tier, the first one given. */
const nameOfTier = (spec: Pick<AttemptSpec, 'models'>, tier: ModelTier): string | null =>
  Object.keys(spec.models).find((name) => spec.models[name]?.tier === tier) ?? null;

/**
 * Resolves a name on the wire: declared, else an alias of a tier (of the main one where no model is that tier's own), else `anyModel`.
 * Null = not allowed. A missing name (null) is the main model's.
 */
export const routeModel = (
  spec: Pick<AttemptSpec, 'models' | 'aliases' | 'anyModel'>,
  name: string | null,
): Routed | null => {
  const own = name !== null && Object.hasOwn(spec.models, name) ? spec.models[name] : undefined;
  if (name !== null && own !== undefined) return { upstream: own.upstream, tier: own.tier, model: name };
  const tier = name === null ? 'main' : Object.hasOwn(spec.aliases, name) ? spec.aliases[name] : undefined;
  if (tier === undefined || Object.keys(spec.models).length === 0) {
    const any = spec.anyModel;
    return any === undefined ? null : { upstream: any.upstream, tier: any.tier, model: name ?? '' };
  }
  const declared = nameOfTier(spec, tier) ?? nameOfTier(spec, 'main');
  const route = declared === null ? undefined : spec.models[declared];
  return declared === null || route === undefined ? null : { upstream: route.upstream, tier, model: declared };
};

/** An upstream as it stands in the record. */
export const upstreamLabel = (upstream: Upstream, tier: ModelTier): string =>
  upstream.id.includes('/') ? upstream.id : `${upstream.id}/${tier}`;

/** A refusal in the words of the protocol: a 4xx that says the request is at fault, which clients do not send again. */
export const refusal = (protocol: WireProtocol, status: number, type: string, message: string): HttpReply =>
  protocol.writeError({ status, type, message: `octobench: ${message}` });

/** A stub as a reply. */
export const stubReply = (stub: Stub): HttpReply => ({
  status: stub.status,
  headers: stub.body === '' ? [] : [['content-type', 'application/json']],
  chunks: stub.body === '' ? [] : [Buffer.from(stub.body)],
});

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|host\.docker\.internal)(:\d+)?$/i;

/** True for a Host header that means this machine; a page of another site that resolves to it does not. */
export const isOwnHost = (host: string | undefined): boolean => host === undefined || LOOPBACK.test(host);
