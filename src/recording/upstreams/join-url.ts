/**
 * The URL of a client's path at a provider. The client's own folders before the version are dropped, and what base URL and path have in
 * common is there once: `https://api.openai.com/v1` + `/v1/responses`, `https://host/anthropic` + `/api/llm/a/v1/messages?beta=true`.
 */
export const joinUrl = (baseUrl: string, path: string): URL => {
  const base = new URL(baseUrl);
  const [target = '/', query] = path.split(/\?(.*)/s);
  const version = /\/v1(?:beta|alpha)?(?=\/)/.exec(target);
  const own = version === null ? target : target.slice(version.index);
  const folder = base.pathname.replace(/\/+$/, '');
  const first = own.split('/')[1] ?? '';
  const joined = first !== '' && folder.endsWith(`/${first}`) ? folder + own.slice(first.length + 1) : folder + own;
  base.pathname = joined;
  base.search = query === undefined ? '' : `?${query}`;
  return base;
};
