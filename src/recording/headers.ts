/** What belongs to one connection and is never passed on (RFC 9110 §7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Where clients put their key; the attempt's token in them is taken out, the provider's key put in at the edge. */
const KEY_HEADERS: ReadonlySet<string> = new Set(['x-api-key', 'authorization', 'x-goog-api-key', 'api-key']);

/** Raw headers of Node as pairs, names as they were written. */
export const headerPairs = (raw: readonly string[]): [string, string][] => {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([raw[i] as string, raw[i + 1] as string]);
  return pairs;
};

const listedByConnection = (headers: readonly [string, string][]): string[] =>
  headers
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((v) => v.trim().toLowerCase()));

const without = (headers: readonly [string, string][], more: (name: string) => boolean): [string, string][] => {
  const listed = listedByConnection(headers);
  return headers.filter(([name]) => {
    const key = name.toLowerCase();
    return !HOP_BY_HOP.has(key) && !listed.includes(key) && !more(key);
  });
};

/** A client's headers on their way to an upstream: lower case, without hop-by-hop ones, host, expect and the client's key. */
export const outgoingHeaders = (headers: readonly [string, string][]): [string, string][] =>
  without(headers, (name) => name === 'host' || name === 'expect' || KEY_HEADERS.has(name)).map(([name, value]) => [
    name.toLowerCase(),
    value,
  ]);

/** An upstream's headers on their way to the client, as they were written, less those of its connection. */
export const returnedHeaders = (headers: readonly [string, string][]): [string, string][] =>
  without(headers, () => false);

/** The value of a header, or null. */
export const headerOf = (headers: readonly [string, string][], name: string): string | null =>
  headers.find(([n]) => n.toLowerCase() === name)?.[1] ?? null;

/** What a client gives as its key, and its path without that key; `prefixed` tokens stand in the path as `/t/<token>/`. */
export interface Credentials {
  token: string | null;
  path: string;
}

const PREFIX = /^\/t\/([^/?#]+)(?=[/?#]|$)/;
const KEY_PARAMETER = /([?&])key=([^&#]*)(&|$)/;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Finds the attempt's token: path prefix, `x-api-key`, `Authorization: Bearer`, `x-goog-api-key`, `?key=`; the first that `knows` accepts. */
export const credentialsOf = (
  request: { url?: string | undefined; headers: Readonly<Record<string, string | string[] | undefined>> },
  knows: (token: string) => boolean,
): Credentials => {
  const { headers } = request;
  let path = request.url ?? '/';
  const given: (string | null | undefined)[] = [];
  const prefix = PREFIX.exec(path);
  if (prefix !== null) {
    given.push(decoded(prefix[1] as string));
    const rest = path.slice(prefix[0].length);
    path = rest.startsWith('/') ? rest : `/${rest}`;
  }
  const single = (value: string | string[] | undefined): string | undefined =>
    Array.isArray(value) ? value[0] : value;
  given.push(single(headers['x-api-key']));
  given.push(/^Bearer\s+(.+)$/i.exec(single(headers.authorization) ?? '')?.[1]?.trim());
  given.push(single(headers['x-goog-api-key']), single(headers['api-key']));
  const parameter = KEY_PARAMETER.exec(path);
  if (parameter !== null) {
    given.push(decoded(parameter[2] as string));
    path = path.replace(KEY_PARAMETER, (_, before: string, __, after: string) => (after === '&' ? before : ''));
  }
  const token = given.find((t): t is string => typeof t === 'string' && knows(t)) ?? null;
  return { token, path };
};

// A space, a control character or a backslash in a request target; dots and slashes, plain or encoded, that climb or start a host.
const TRICKS = /[\s\\\u007f]|%(?:00|0[ad]|2f|5c)|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|^\/\//i;

/** Why a request target is refused: another host's, or a path that does not mean what it says. Null = fine. */
export const badTarget = (url: string): string | null => {
  if (!url.startsWith('/')) return 'the request target must be a path';
  const path = url.split(/[?#]/)[0] ?? '';
  return TRICKS.test(path) ? 'the path is not allowed' : null;
};
